import type { ApprovalTerms, Requester } from '../access/requester.ts';
import { DomainError, type ErrorCode, InvalidInput } from '../base/errors.ts';
import type { Instant } from '../base/instant.ts';
import { oneLine } from '../base/one-line.ts';
import { type JobType, laneOf } from './job-types.ts';
import type { JobPhase } from './phases.ts';

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

/** Longest observation of an update. */
export const MAX_OBSERVE_MINUTES = 60;
export const DEFAULT_OBSERVE_MINUTES = 2;

/** Parameters of a job, beyond its type and server. */
export interface JobParams {
  /** A backup source's name, or a compose project's directory. */
  readonly sourceFilter: string | null;
  /** One compose service. */
  readonly service: string | null;
  /** In the order in which they run. */
  readonly osSteps: readonly OsStep[] | null;
  /** Report what would change, and change nothing. */
  readonly dryRun: boolean;
  /** Remove replaced images that are no longer used. */
  readonly prune?: boolean | undefined;
  /**
   * Save first what the update may break. For container_patch: the data, which is restored if the update fails; if it is
   * not given, projects whose data backup sources cover. For os_patch: the configuration; the server is compared
   * before and after.
   */
  readonly guard?: boolean | undefined;
  /** For os_downgrade: the package update whose packages get their earlier versions again. */
  readonly updateJobId?: number | undefined;
  /** For guarded updates: how long the project or server is observed before the update counts as good. */
  readonly observeMinutes?: number | undefined;
  /** For batches: each job applies exactly the plan of its server's dry run in this batch, or nothing. */
  readonly planBatchId?: number | undefined;
  /** Apply exactly the plan of this dry run, or nothing. */
  readonly planId?: number | undefined;
  /** How long a reboot waits, so that users of the host can finish and anyone can cancel it. */
  readonly graceSeconds?: number | undefined;
  /**
   * For snapshot_verify: this snapshot; otherwise the newest of each source. For restore: the snapshot to restore.
   */
  readonly snapshotId?: number | undefined;
  /** For snapshot_verify: how much of a snapshot, as `parseSample` reads it. */
  readonly sample?: string | undefined;
  /** The name of the template to deploy. */
  readonly template?: string | undefined;
  /** Where the values for the template's variables are stored. */
  readonly orderId?: number | undefined;
  readonly restore?: RestoreParams | undefined;
  readonly dump?: DumpRestoreParams | undefined;
  /** How long the job waits for a host that is down before it starts; absent: it fails at once. */
  readonly waitForHostMinutes?: number | undefined;
  /** An operator said that maintenance windows do not count. */
  readonly outsideWindow?: boolean | undefined;
}

/** The target directory on the snapshot's server. */
export interface RestoreParams {
  /** Absolute; `/` restores everything to its original place. */
  readonly directory: string;
  /** Paths in the snapshot, without leading slash; empty: all of it. */
  readonly subpaths: readonly string[];
  /** Replace existing files that differ. */
  readonly overwrite: boolean;
}

/** Which dump of a snapshot to restore, and into which database. */
export interface DumpRestoreParams {
  readonly name: string;
  /** `null`: the whole server's. */
  readonly database: string | null;
}

export interface JobError {
  readonly code: ErrorCode;
  /** One sentence for people. */
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
  /** The current step, or what it waits for. */
  readonly current: string | null;
  /** 0 to 100 if known. */
  readonly percent: number | null;
  /** Its steps so far, oldest first. Lists leave them out. */
  readonly phases: readonly JobPhase[];
  /** One line on how it ended. */
  readonly summary: string | null;
  readonly scheduled: boolean;
  readonly requestedBy: string;
  /** The requester's id; null for jobs of older versions and of the service itself. */
  readonly requester: Pick<Requester, 'kind' | 'id'> | null;
  /** Why, in the requester's own words; null if it gave no reason. */
  readonly reason: string | null;
  readonly error: JobError | null;
  /** The runner's result, as plain JSON. */
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
  | 'reason'
> & {
  /** For a job that waits for approval. */
  readonly approval?: ApprovalTerms;
  /** The limited groups of servers that its server belongs to; absent: none. */
  readonly groups?: readonly GroupUse[];
};

/** A group of servers, named by a tag, of which only some may be updated at the same time. */
export interface GroupUse {
  readonly tag: string;
  /** The job waits while this many run on servers of the group; `null`: it only counts. */
  readonly atOnce: number | null;
}

/** A job as it is first written. The server's name is kept, so that history reads the same after a rename. */
export function requestJob(input: {
  readonly server: { readonly id: number; readonly name: string };
  readonly type: JobType;
  readonly params: JobParams;
  readonly requestedBy: string;
  /** Absent: the service itself. */
  readonly requester?: Pick<Requester, 'kind' | 'id'>;
  readonly reason?: string | null;
  readonly scheduled: boolean;
  readonly groups?: readonly GroupUse[];
  /** Null: no approval needed. */
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
    reason: input.reason ?? null,
    ...(input.groups === undefined ? {} : { groups: input.groups }),
    ...(input.approval === null ? {} : { approval: input.approval }),
  };
}

/** The lane is taken; carries the job that holds it. */
export class JobAlreadyActive extends DomainError {
  readonly job: Job;

  constructor(job: Job) {
    const name = `Job ${job.id} (${job.jobType})`;
    super(
      'job_already_active',
      job.status === 'awaiting_approval'
        ? `${name} on ${job.serverName} already waits for approval; tell the user, do not poll, and start no other.`
        : `${name} is already ${job.status} on ${job.serverName}; poll get_job until it is done instead of starting another.`,
    );
    this.job = job;
  }
}

/** A plan is for one job, whatever becomes of that. */
export const planUsed = (id: number): DomainError =>
  new DomainError(
    'plan_used',
    `A job was already started from the plan of job ${id}, and a plan works once. Do another dry run.`,
  );

/** Cancelling ends waiting jobs immediately and asks running ones to stop. An ended job stays as it is. */
export const isCancellable = (job: Pick<Job, 'status' | 'cancelRequestedAt'>): boolean =>
  !isTerminal(job.status) && job.cancelRequestedAt === null;

export const jobNotFound = (id: number): DomainError =>
  new DomainError('job_not_found', `There is no job with id ${id}.`);

export const jobNotCancellable = (job: Job): DomainError =>
  new DomainError(
    'job_not_cancellable',
    isTerminal(job.status)
      ? `Job ${job.id} has ended (${job.status}); there is nothing left to cancel.`
      : `Job ${job.id} is already stopping; poll get_job until it has stopped.`,
  );

export const leaseLost = (id: number): DomainError =>
  new DomainError(
    'lease_lost',
    `This worker no longer owns job ${id}: another process took it over, or it ended.`,
  );

/** The progress text of a job that waits for another one. */
export const waitingFor = (running: Pick<Job, 'id' | 'jobType' | 'serverName'>): string =>
  `Waits for job ${running.id} (${running.jobType}) on ${running.serverName}.`;

/**
 * How often a job can be claimed. One that loses this many workers most likely crashes them, and would loop forever.
 */
export const MAX_CLAIMS = 20;

/** Whether another worker takes over a job whose worker died: something has to be left to attach to. */
export const canBeTakenUp = (runMarker: string | null, claims: number): boolean =>
  runMarker !== null && claims < MAX_CLAIMS;

/** How a job ends if its worker died and no other takes over. */
export const workerLost = (runMarker: string | null, claims: number): JobError => ({
  code: 'worker_lost',
  detail:
    runMarker === null
      ? 'The worker that ran this job died, and its result is unknown. Check the log, then start the job again.'
      : `The job was started ${claims} times and never finished; check the service log before you start it again.`,
});

/** Refuses to take a server out of the fleet while one of its jobs waits or runs. */
export const serverHasActiveJob = (job: Pick<Job, 'id' | 'jobType' | 'status' | 'serverName'>): DomainError =>
  new DomainError(
    'job_already_active',
    `Job ${job.id} (${job.jobType}) is still ${job.status} on ${job.serverName}; wait until it ends or cancel it, then remove the server.`,
  );

export const MAX_REASON_LENGTH = 500;

/** Why a requester wants a job, in its own words: one line without invisible characters. Null if empty; throws `invalid_input` if too long. */
export function parseReason(text: string | null | undefined): string | null {
  if (text === null || text === undefined) return null;
  if (text.length > MAX_REASON_LENGTH) {
    const message = `A reason has at most ${MAX_REASON_LENGTH} characters.`;
    throw new InvalidInput([{ path: '/reason', message }]);
  }
  return oneLine(text.replace(/\p{Cs}/gu, '\ufffd'), MAX_REASON_LENGTH) || null;
}
