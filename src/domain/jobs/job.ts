import type { ApprovalTerms, Requester } from '../access/requester.ts';
import type { Feature } from '../access/scope.ts';
import { DomainError, type ErrorCode } from '../base/errors.ts';
import type { Instant } from '../base/instant.ts';

/** Job types that agents may start. */
export const MCP_JOB_TYPES = [
  'backup',
  'retention',
  'os_patch',
  'container_patch',
  'os_update_check',
  'container_update_check',
] as const;

/** What scripts may ask for, the six above first. */
export const API_JOB_TYPES = [
  ...MCP_JOB_TYPES,
  'host_reboot',
  'docker_stack_check',
  'docker_stack_deploy',
  'docker_stack_stop',
  'docker_stack_start',
  'docker_stack_restart',
  'template_deploy',
  'template_redeploy',
] as const;

/** What only operators and their schedules start. */
const INTERNAL_JOB_TYPES = ['snapshot_verify', 'restore', 'dump_restore'] as const;

/** All job types. */
export const JOB_TYPES = [...API_JOB_TYPES, ...INTERNAL_JOB_TYPES] as const;
export type JobType = (typeof JOB_TYPES)[number];
/** Those that are asked for by type and a few parameters; a restore begins at its snapshot. */
export const PLAIN_JOB_TYPES: readonly JobType[] = JOB_TYPES.filter(
  (type) => type !== 'restore' && type !== 'dump_restore',
);

export const JOB_STATUSES = [
  'awaiting_approval',
  'pending',
  'running',
  'success',
  'failed',
  'cancelled',
] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

export const ACTIVE_STATUSES = ['pending', 'running'] as const satisfies readonly JobStatus[];
export const TERMINAL_STATUSES = ['success', 'failed', 'cancelled'] as const satisfies readonly JobStatus[];
/** Those that may still change. */
export const UNFINISHED_STATUSES = [
  'awaiting_approval',
  ...ACTIVE_STATUSES,
] as const satisfies readonly JobStatus[];
export type TerminalStatus = (typeof TERMINAL_STATUSES)[number];

export const isTerminal = (status: JobStatus): status is TerminalStatus =>
  (TERMINAL_STATUSES as readonly JobStatus[]).includes(status);
export const isActive = (status: JobStatus): boolean => status === 'pending' || status === 'running';

/** In the order in which they run. `full_upgrade` is an upgrade that may also remove packages that are in its way. */
export const OS_STEPS = ['update', 'upgrade', 'full_upgrade', 'autoremove'] as const;
export type OsStep = (typeof OS_STEPS)[number];
export const DEFAULT_OS_STEPS = ['update', 'upgrade', 'autoremove'] as const satisfies readonly OsStep[];

/** Steps in the order in which they run; a full upgrade has the other one in it. */
export const orderedSteps = (steps: readonly OsStep[] = DEFAULT_OS_STEPS): readonly OsStep[] =>
  OS_STEPS.filter((step) => steps.includes(step) && !(step === 'upgrade' && steps.includes('full_upgrade')));

/** Longest grace of a reboot: until its end nothing else runs on the host. */
export const MAX_GRACE_SECONDS = 3_600;

/** What a job was asked to do, beyond its type and server. */
export interface JobParams {
  /** A backup source's name, or a compose project's directory. */
  readonly sourceFilter: string | null;
  /** One compose service. */
  readonly service: string | null;
  /** In the order in which they run. */
  readonly osSteps: readonly OsStep[] | null;
  /** Say what would change, and change nothing. */
  readonly dryRun: boolean;
  /** Remove images that were replaced and that nothing uses any more. */
  readonly prune?: boolean | undefined;
  /** Of a batch: each of its jobs does just what the dry run of its server in this batch planned, or nothing. */
  readonly planBatchId?: number | undefined;
  /** Do just what this dry run planned, or nothing. */
  readonly planId?: number | undefined;
  /** How long a reboot waits, for those who are on the host and for whoever cancels it. */
  readonly graceSeconds?: number | undefined;
  /** For snapshot_verify: this snapshot; otherwise the newest of each source. For restore: the one to give back. */
  readonly snapshotId?: number | undefined;
  /** For snapshot_verify: how much of a snapshot, as `parseSample` reads it. */
  readonly sample?: string | undefined;
  /** The name of the template to deploy. */
  readonly template?: string | undefined;
  /** Where the values for the template's variables are kept. */
  readonly orderId?: number | undefined;
  readonly restore?: RestoreParams | undefined;
  readonly dump?: DumpRestoreParams | undefined;
  /** An operator said that maintenance windows do not count. */
  readonly outsideWindow?: boolean | undefined;
}

/** Where on its server a snapshot is given back to. */
export interface RestoreParams {
  /** Absolute; `/` puts everything back where it came from. */
  readonly directory: string;
  /** Paths in the snapshot, without leading slash; empty: all of it. */
  readonly subpaths: readonly string[];
  /** Replace what is there and differs. */
  readonly overwrite: boolean;
}

/** Which dump of a snapshot is restored, and into which database. */
export interface DumpRestoreParams {
  readonly name: string;
  /** `null`: the whole server's. */
  readonly database: string | null;
}

export interface JobError {
  readonly code: ErrorCode;
  /** One sentence for a person. */
  readonly detail: string;
}

export interface Job {
  readonly id: number;
  readonly serverId: number;
  /** The server's name when the job was made. */
  readonly serverName: string;
  readonly jobType: JobType;
  readonly lane: string;
  readonly status: JobStatus;
  readonly params: JobParams;
  readonly createdAt: Instant;
  readonly startedAt: Instant | null;
  readonly finishedAt: Instant | null;
  /** What it is doing now, or what it waits for. */
  readonly current: string | null;
  /** 0 to 100 where it is known. */
  readonly percent: number | null;
  /** One line on how it ended. */
  readonly summary: string | null;
  readonly scheduled: boolean;
  readonly requestedBy: string;
  /** Whoever asked, by their id; null for jobs of older versions and of the service itself. */
  readonly requester: Pick<Requester, 'kind' | 'id'> | null;
  readonly error: JobError | null;
  /** What the runner found or did, as plain JSON. */
  readonly result: JobResult | null;
  /** The last few lines of the log. */
  readonly logTail: readonly string[];
  readonly cancelRequestedAt: Instant | null;
}

export type JobResult = { readonly [key: string]: unknown };

export type NewJob = Pick<
  Job,
  | 'serverId'
  | 'serverName'
  | 'jobType'
  | 'lane'
  | 'status'
  | 'params'
  | 'createdAt'
  | 'scheduled'
  | 'requestedBy'
  | 'requester'
> & {
  /** Of a job that waits for a person. */
  readonly approval?: ApprovalTerms;
};

const FEATURE_OF_TYPE = {
  backup: 'backup',
  retention: 'backup',
  snapshot_verify: 'backup',
  restore: 'backup',
  dump_restore: 'backup',
  os_patch: 'os',
  os_update_check: 'os',
  host_reboot: 'os',
  container_patch: 'docker',
  container_update_check: 'docker',
  docker_stack_check: 'docker',
  docker_stack_deploy: 'docker',
  docker_stack_stop: 'docker',
  docker_stack_start: 'docker',
  docker_stack_restart: 'docker',
  template_deploy: 'docker',
  template_redeploy: 'docker',
} as const satisfies Record<JobType, Feature>;

export const featureOf = (type: JobType): Feature => FEATURE_OF_TYPE[type];

/** Throws `scope_missing` where a token asks for what only operators start. */
export function refuseInternal(actor: { readonly kind: string }, type: JobType): void {
  if (actor.kind !== 'token' || (API_JOB_TYPES as readonly JobType[]).includes(type)) return;
  throw new DomainError(
    'scope_missing',
    `A token cannot start jobs of type ${type}; an operator or a schedule does.`,
  );
}

export const REBOOT_LANE = 'host_reboot';
const STACK_LANE = 'stack:';

/**
 * The lane of a job: a server has at most one active job in each. Every agent type and the reboot is a lane of its own;
 * stack actions and templates share one lane per compose project.
 */
export function laneOf(type: JobType, params: JobParams): string {
  if (type.startsWith('docker_stack_') || type.startsWith('template_')) {
    return `${STACK_LANE}${params.sourceFilter ?? ''}`;
  }
  return type;
}

/** Whether a job in one lane keeps a job in another from being accepted on the same server. */
export const lanesCollide = (a: string, b: string): boolean =>
  a === b || a === REBOOT_LANE || b === REBOOT_LANE;

/** Lanes that change the host: they may wait beside each other but never run beside each other. */
const changesHost = (lane: string): boolean =>
  lane === 'os_patch' ||
  lane === 'container_patch' ||
  lane === 'restore' ||
  lane === 'dump_restore' ||
  lane === REBOOT_LANE ||
  lane.startsWith(STACK_LANE);

/** Whether a pending job has to wait for one that runs on the same server. */
export const mustWaitFor = (pending: string, running: string): boolean =>
  lanesCollide(pending, running) || (changesHost(pending) && changesHost(running));

/** True for lanes whose claim has to look at what else runs on the server. */
export const runsExclusively = changesHost;

/** A job as it is first written. The server's name is kept, so that history reads the same after a rename. */
export function requestJob(input: {
  readonly server: { readonly id: number; readonly name: string };
  readonly type: JobType;
  readonly params: JobParams;
  readonly requestedBy: string;
  /** Absent: the service itself. */
  readonly requester?: Pick<Requester, 'kind' | 'id'>;
  readonly scheduled: boolean;
  /** Null: nobody has to be asked. */
  readonly approval: ApprovalTerms | null;
  readonly at: Instant;
}): NewJob {
  return {
    serverId: input.server.id,
    serverName: input.server.name,
    jobType: input.type,
    lane: laneOf(input.type, input.params),
    status: input.approval === null ? 'pending' : 'awaiting_approval',
    params: input.params,
    createdAt: input.at,
    scheduled: input.scheduled,
    requestedBy: input.requestedBy,
    requester: input.requester ?? null,
    ...(input.approval === null ? {} : { approval: input.approval }),
  };
}

/** The lane is taken; carries the job that holds it. */
export class JobAlreadyActive extends DomainError {
  readonly job: Job;

  constructor(job: Job) {
    super(
      'job_already_active',
      `Job ${job.id} (${job.jobType}) is already ${job.status} on ${job.serverName}; poll get_job until it is done instead of starting another.`,
    );
    this.job = job;
  }
}

/** A plan is for one job, whatever becomes of that. */
export const planUsed = (id: number): DomainError =>
  new DomainError(
    'plan_used',
    `A job was started by the plan of job ${id} before; a plan is for one job. Make a new one by a dry run.`,
  );

/** Cancelling ends waiting jobs at once and asks running ones to stop. A job that has ended stays as it is. */
export const isCancellable = (job: Pick<Job, 'status' | 'cancelRequestedAt'>): boolean =>
  !isTerminal(job.status) && job.cancelRequestedAt === null;

export const jobNotFound = (id: number): DomainError =>
  new DomainError('job_not_found', `There is no job with id ${id}.`);

export const jobNotCancellable = (job: Job): DomainError =>
  new DomainError(
    'job_not_cancellable',
    isTerminal(job.status)
      ? `Job ${job.id} has ended (${job.status}); there is nothing left to cancel.`
      : `Job ${job.id} was asked to stop before; poll get_job until it has.`,
  );

export const leaseLost = (id: number): DomainError =>
  new DomainError(
    'lease_lost',
    `This worker has no right to job ${id} any more: it was taken over, or it ended.`,
  );

/** What a pending job says while another keeps it from running. */
export const waitingFor = (running: Pick<Job, 'id' | 'jobType' | 'serverName'>): string =>
  `Waits for job ${running.id} (${running.jobType}) on ${running.serverName}.`;

/**
 * How often a job is claimed at the most. One that loses this many workers most likely takes them down itself, and
 * would go round for ever.
 */
export const MAX_CLAIMS = 20;

/** Whether another worker takes up a job whose worker is gone: there has to be something left to attach to. */
export const canBeTakenUp = (runMarker: string | null, claims: number): boolean =>
  runMarker !== null && claims < MAX_CLAIMS;

/** How a job ends whose worker is gone and that nobody takes up. */
export const workerLost = (runMarker: string | null, claims: number): JobError => ({
  code: 'worker_lost',
  detail:
    runMarker === null
      ? 'The worker that ran this job is gone, and what it did is unknown; look at the log, then start the job again.'
      : `The job was taken up ${claims} times and never came to its end; look into the service's own log before starting it again.`,
});

/** Refuses to take a server out of the fleet while one of its jobs waits or runs. */
export const serverHasActiveJob = (job: Pick<Job, 'id' | 'jobType' | 'status' | 'serverName'>): DomainError =>
  new DomainError(
    'job_already_active',
    `Job ${job.id} (${job.jobType}) is still ${job.status} on ${job.serverName}; wait for its end or cancel it, then remove the server.`,
  );
