import type { Feature } from '../access/scope.ts';
import { DomainError } from '../base/errors.ts';

/** Parameters of a job, beyond its type and server; every type supports a dry run. */
export type JobParameter =
  | 'sourceFilter'
  | 'service'
  | 'osSteps'
  | 'prune'
  | 'guard'
  | 'updateJobId'
  | 'observeMinutes'
  | 'planId'
  | 'graceSeconds'
  | 'snapshotId'
  | 'sample'
  | 'template'
  | 'variables'
  | 'restore'
  | 'dump'
  | 'waitForHostMinutes';

/**
 * How a job shares its server with other jobs. A server has at most one active job in each lane.
 * - `own`: a lane per type; runs beside all others.
 * - `changing`: a lane per type; waits for other jobs of changing and project lanes.
 * - `project`: a lane per compose project, which also waits as a changing one does.
 * - `whole_host`: no other job is accepted on the server.
 */
type LaneKind = 'own' | 'changing' | 'project' | 'whole_host';

interface JobTypeRow {
  /** Display name. */
  readonly title: string;
  readonly feature: Feature;
  /** Who may start it. Scripts may start what agents may; operators and their schedules all types. */
  readonly startedBy: 'agents' | 'scripts' | 'operators';
  readonly lane: LaneKind;
  /** A job that is not a dry run waits until a maintenance window of its server is open. */
  readonly waitsForWindow: boolean;
  /** On the machine that Drover runs on, it would give control of Drover. */
  readonly needsControl: boolean;
  /** It can be started on servers whose feature is off. */
  readonly ignoresFeatureFlag: boolean;
  /** A reviewer sees its dry run before approving it: it changes the host, or removes something. */
  readonly isShownFirst: boolean;
  /** It cannot be undone: in the web UI you type the server's name to start it. */
  readonly isFinal: boolean;
  /** `planId`: a dry run produces a plan, and a job can do exactly that plan. */
  readonly takes: readonly Exclude<JobParameter, 'waitForHostMinutes'>[];
  /** It saves what it may break by default; other types that can do so only on request. */
  readonly guardsByDefault: boolean;
  /** It may wait for a host that is down. */
  readonly waitsForHost: boolean;
  /** For a type that a type and parameters do not start: how to start it. */
  readonly startedElsewhere: string | null;
}

const CHECK = {
  lane: 'own',
  waitsForWindow: false,
  needsControl: false,
  ignoresFeatureFlag: false,
  isShownFirst: false,
  isFinal: false,
  startedElsewhere: null,
  guardsByDefault: false,
  waitsForHost: true,
} as const;

const CHANGE = { ...CHECK, lane: 'changing', waitsForWindow: true, isShownFirst: true } as const;

const STACK_ACTION = {
  ...CHANGE,
  feature: 'docker',
  startedBy: 'scripts',
  lane: 'project',
  takes: ['sourceFilter', 'service', 'planId'],
} as const;

/** A restore is urgent, so it waits neither for a window nor for its host, and works while the feature is off. */
const RESTORE = {
  ...CHANGE,
  feature: 'backup',
  startedBy: 'operators',
  waitsForWindow: false,
  needsControl: true,
  ignoresFeatureFlag: true,
  waitsForHost: false,
} as const;

/** All that differs between job types. Their order is published: those for agents first, then scripts, then operators. */
const JOB_TYPE_TABLE = {
  backup: {
    ...CHECK,
    title: 'Back up',
    feature: 'backup',
    startedBy: 'agents',
    takes: ['sourceFilter', 'planId'],
  },
  retention: {
    ...CHECK,
    title: 'Apply retention',
    feature: 'backup',
    startedBy: 'agents',
    isShownFirst: true,
    isFinal: true,
    takes: ['sourceFilter', 'planId'],
  },
  os_patch: {
    ...CHANGE,
    title: 'Update packages',
    feature: 'os',
    startedBy: 'agents',
    takes: ['osSteps', 'guard', 'observeMinutes', 'planId'],
  },
  container_patch: {
    ...CHANGE,
    title: 'Update containers',
    feature: 'docker',
    startedBy: 'agents',
    guardsByDefault: true,
    takes: ['sourceFilter', 'service', 'prune', 'guard', 'observeMinutes', 'planId'],
  },
  os_update_check: {
    ...CHECK,
    title: 'Check for package updates',
    feature: 'os',
    startedBy: 'agents',
    takes: [],
  },
  container_update_check: {
    ...CHECK,
    title: 'Check for newer images',
    feature: 'docker',
    startedBy: 'agents',
    takes: ['sourceFilter'],
  },
  host_reboot: {
    ...CHANGE,
    title: 'Reboot',
    feature: 'os',
    startedBy: 'scripts',
    lane: 'whole_host',
    isFinal: true,
    // A host that was down has just started.
    waitsForHost: false,
    takes: ['graceSeconds', 'planId'],
  },
  docker_stack_check: {
    ...CHECK,
    title: 'Check a stack',
    feature: 'docker',
    startedBy: 'scripts',
    lane: 'project',
    takes: ['sourceFilter', 'service'],
  },
  // A deploy runs the current content of a file or template, possibly as root.
  docker_stack_deploy: {
    ...STACK_ACTION,
    title: 'Deploy a stack',
    needsControl: true,
    takes: ['sourceFilter', 'service', 'prune', 'planId'],
  },
  docker_stack_stop: { ...STACK_ACTION, title: 'Stop a stack' },
  docker_stack_start: { ...STACK_ACTION, title: 'Start a stack' },
  docker_stack_restart: { ...STACK_ACTION, title: 'Restart a stack' },
  template_deploy: {
    ...STACK_ACTION,
    title: 'Deploy a template',
    needsControl: true,
    takes: ['sourceFilter', 'template', 'variables', 'planId'],
  },
  template_redeploy: {
    ...STACK_ACTION,
    title: 'Deploy a template again',
    needsControl: true,
    takes: ['sourceFilter', 'variables', 'planId'],
  },
  snapshot_verify: {
    ...CHECK,
    title: 'Verify snapshots',
    feature: 'backup',
    startedBy: 'operators',
    takes: ['sourceFilter', 'snapshotId', 'sample'],
  },
  restore: {
    ...RESTORE,
    title: 'Restore',
    takes: ['snapshotId', 'restore'],
    startedElsewhere: "Start a restore from the snapshot's page in the web UI, or with `drover restore`.",
  },
  // A dump contains statements that the database's client runs.
  dump_restore: {
    ...RESTORE,
    title: 'Restore a database',
    isFinal: true,
    takes: ['snapshotId', 'dump', 'planId'],
    startedElsewhere: 'Start the restore of a dump with `drover dump restore SNAPSHOT NAME`.',
  },
  // It may undo security fixes: only a user who has seen its plan starts it.
  os_downgrade: {
    ...CHANGE,
    title: 'Downgrade packages',
    feature: 'os',
    startedBy: 'operators',
    // Its plan is valid for an hour.
    waitsForHost: false,
    takes: ['updateJobId', 'planId'],
    startedElsewhere:
      "Plan a downgrade on the update job's page in the web UI, or with `drover job downgrade ID`.",
  },
} as const satisfies Readonly<Record<string, JobTypeRow>>;

type Table = typeof JOB_TYPE_TABLE;
export type JobType = keyof Table;
type TypeStartedBy<Who> = { [T in JobType]: Table[T]['startedBy'] extends Who ? T : never }[JobType];

const row = (type: JobType): JobTypeRow => JOB_TYPE_TABLE[type];

export const JOB_TYPES = Object.keys(JOB_TYPE_TABLE) as readonly string[] as readonly JobType[];

const startedBy = <Who extends JobTypeRow['startedBy']>(...who: readonly Who[]) =>
  JOB_TYPES.filter((type): type is TypeStartedBy<Who> =>
    (who as readonly JobTypeRow['startedBy'][]).includes(row(type).startedBy),
  );

/** Job types that agents may start. */
export const MCP_JOB_TYPES = startedBy('agents');
/** Job types that scripts may start. */
export const API_JOB_TYPES = startedBy('agents', 'scripts');
/** Types that their name and a few parameters start; a restore starts at its snapshot. */
export const PLAIN_JOB_TYPES: readonly JobType[] = JOB_TYPES.filter(
  (type) => row(type).startedElsewhere === null,
);

export const jobTitle = (type: JobType): string => row(type).title;
/** `Update packages on web-01`, `Reboot web-01`. */
export const jobOn = (type: JobType, server: string): string =>
  `${jobTitle(type)} ${type === 'host_reboot' ? '' : 'on '}${server}`;
/** The same for a type that another version may have written. */
export function jobName(type: string): string {
  const known = JOB_TYPES.find((each) => each === type);
  return known === undefined ? type : jobTitle(known);
}
export const featureOf = (type: JobType): Feature => row(type).feature;
export const takes = (type: JobType, parameter: JobParameter): boolean =>
  parameter === 'waitForHostMinutes' ? row(type).waitsForHost : row(type).takes.includes(parameter);
/** Whether a job can apply exactly a dry run's plan. */
export const takesPlan = (type: JobType): boolean => takes(type, 'planId');
/** Whether it is about one compose project, and needs that project's directory. */
export const needsProject = (type: JobType): boolean => row(type).lane === 'project';
export const startedElsewhere = (type: JobType): string | null => row(type).startedElsewhere;
/** Types that one request can start on many servers, or a schedule: nothing differs from server to server. */
export const REPEATABLE_JOB_TYPES: readonly JobType[] = PLAIN_JOB_TYPES.filter(
  (type) => !takes(type, 'template'),
);
export const needsWindow = (type: JobType, dryRun: boolean): boolean => row(type).waitsForWindow && !dryRun;
export const jobNeedsControl = (type: JobType): boolean => row(type).needsControl;
export const ignoresFeatureFlag = (type: JobType): boolean => row(type).ignoresFeatureFlag;
/** Whether a reviewer sees its dry run before approving it. */
export const isShownFirst = (type: JobType, { dryRun }: { readonly dryRun: boolean }): boolean =>
  row(type).isShownFirst && !dryRun;
export const guardsByDefault = (type: JobType): boolean => row(type).guardsByDefault;
export const isFinal = (type: JobType): boolean => row(type).isFinal;

/** Throws `scope_missing` if a token asks for a type that is limited to operators. */
export function refuseInternal(actor: { readonly kind: string }, type: JobType): void {
  if (actor.kind !== 'token' || row(type).startedBy !== 'operators') return;
  throw new DomainError(
    'scope_missing',
    `API tokens cannot start jobs of type ${type}. Ask an operator to start or schedule it.`,
  );
}

const PROJECT_LANE = 'stack:';

/** The lane of a job: its type's own, or its compose project's. */
export const laneOf = (type: JobType, params: { readonly sourceFilter: string | null }): string =>
  row(type).lane === 'project' ? `${PROJECT_LANE}${params.sourceFilter ?? ''}` : type;

/** A replica of another version may know lanes that this one does not. */
function laneKind(lane: string): LaneKind {
  if (lane.startsWith(PROJECT_LANE)) return 'project';
  const type = JOB_TYPES.find((each) => each === lane);
  return type === undefined ? 'own' : row(type).lane;
}

const isWholeHost = (lane: string): boolean => laneKind(lane) === 'whole_host';

/** Whether a job in one lane keeps a job in another from being accepted on the same server. */
export const lanesCollide = (a: string, b: string): boolean => a === b || isWholeHost(a) || isWholeHost(b);

/** True for lanes that wait beside each other on a server but never run beside each other. */
export const runsExclusively = (lane: string): boolean => laneKind(lane) !== 'own';

/** A backup may stop and start containers, and an update saves their data: neither may run during the other. */
const isBackupBesideUpdate = (one: string, other: string): boolean =>
  one === 'backup' && other === 'container_patch';

/** Whether a job takes snapshots of its server's sources: only one such job runs on a server at a time. */
export const takesSnapshots = (
  lane: string,
  { guard, dryRun }: { readonly guard?: boolean | undefined; readonly dryRun: boolean },
): boolean => lane === 'backup' || (lane === 'os_patch' && guard === true && !dryRun);

/** Whether a pending job in this lane may have to wait for one that runs on the same server. */
export const mayWait = (lane: string): boolean => runsExclusively(lane) || lane === 'backup';

/** Whether a pending job has to wait for one that runs on the same server. */
export const mustWaitFor = (pending: string, running: string): boolean =>
  lanesCollide(pending, running) ||
  isBackupBesideUpdate(pending, running) ||
  isBackupBesideUpdate(running, pending) ||
  (runsExclusively(pending) && runsExclusively(running));
