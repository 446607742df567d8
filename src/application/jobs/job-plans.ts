import {
  describePlannedDump,
  isPlannedDump,
  type PlannedDump,
  plannedDumpLine,
} from '../../domain/backups/dump-plan.ts';
import { DomainError } from '../../domain/base/errors.ts';
import { HOUR, type Instant, MINUTE, toIso, toMinute } from '../../domain/base/instant.ts';
import { oneLine } from '../../domain/base/one-line.ts';
import {
  type ContainerChange,
  containerChangeLine,
  describeContainerChange,
  isContainerChange,
} from '../../domain/compose/container-change.ts';
import {
  changeLine,
  describeChange,
  isPackageChange,
  type PackageChange,
} from '../../domain/fleet/package-change.ts';
import type { Job, JobParams, JobResult } from '../../domain/jobs/job.ts';
import type { JobType } from '../../domain/jobs/job-types.ts';
import type { Digest } from '../ports/base/digest.ts';
import type { JobStore } from '../ports/jobs/job-store.ts';
import type { RunResult } from './runner.ts';

/** How long a plan may be used after its dry run has ended. */
const GOOD_FOR_MS = HOUR;
/** The clocks of two machines may differ by this much. */
const MAX_SKEW_MS = 5 * MINUTE;
/** A plan has to be shown whole; of more changes there is none. */
export const MAX_PLANNED = 1_000;
/** How many differences to show. */
const MAX_DIFFERENCES = 100;
/** How many of these the refusal names, and how many characters of each. */
const MAX_NAMED = 3;
const MAX_NAMED_LENGTH = 160;

/** The parts of plans. */
export interface PlanKind<Change> {
  /** Changes that bring about the same have the same line. */
  readonly line: (change: Change) => string;
  /** Text for people. */
  readonly describe: (change: Change) => string;
  /** Whether a value from a stored result is a valid change. */
  readonly isChange: (value: unknown) => value is Change;
}

export const PACKAGE_PLAN: PlanKind<PackageChange> = {
  line: changeLine,
  describe: describeChange,
  isChange: isPackageChange,
};
export const CONTAINER_PLAN: PlanKind<ContainerChange> = {
  line: containerChangeLine,
  describe: describeContainerChange,
  isChange: isContainerChange,
};
export const DUMP_PLAN: PlanKind<PlannedDump> = {
  line: plannedDumpLine,
  describe: describePlannedDump,
  isChange: isPlannedDump,
};

/**
 * Extra fields of a dry run's result, besides its `changes`, so that a job can apply exactly this plan. `lines`: one
 * per change, by its `PlanKind`.
 */
export function planResult(
  job: Job,
  lines: readonly string[],
  at: Instant,
  digest: Digest,
): {
  readonly plan_id: number | null;
  readonly plan_expires_at: string | null;
  readonly digest: string | null;
} {
  if (lines.length > MAX_PLANNED) return { plan_id: null, plan_expires_at: null, digest: null };
  return {
    plan_id: job.id,
    plan_expires_at: toIso(at + GOOD_FOR_MS),
    digest: planDigest(job, lines, digest),
  };
}

/** How to use the plan in a dry run's result, as a sentence; `null` if its type has no plans. */
export function planHint({ plan_id: id, plan_expires_at: until }: JobResult): string | null {
  if (id === null) {
    return `The plan is too long to be applied exactly (more than ${MAX_PLANNED} changes): a job does whatever is needed when it runs.`;
  }
  if (typeof id !== 'number' || typeof until !== 'string') return null;
  return `To apply exactly this plan, start the job with the same parameters and plan ${id} before ${toMinute(Date.parse(until))}.`;
}

const planDigest = (
  { serverId, jobType, params }: Pick<Job, 'serverId' | 'jobType' | 'params'>,
  lines: readonly string[],
  digest: Digest,
): string => digest.sha256(JSON.stringify([serverId, jobType, askedFor(params), lines]));

const askedFor = (params: JobParams): string => {
  const { sourceFilter, service, osSteps, prune, graceSeconds, template, orderId, snapshotId, dump } = params;
  const { guard, observeMinutes, updateJobId } = params;
  return JSON.stringify([
    sourceFilter,
    service,
    osSteps,
    graceSeconds ?? null,
    ...(prune ? ['prune'] : []),
    ...(guard === undefined && observeMinutes === undefined ? [] : [{ guard, observeMinutes }]),
    ...(updateJobId === undefined ? [] : [{ updateJobId }]),
    ...(template === undefined && orderId === undefined ? [] : [{ template, orderId }]),
    ...(dump === undefined ? [] : [{ snapshotId, name: dump.name, database: dump.database }]),
  ]);
};

/** What `askedFor` compares, in the caller's terms. */
function askedText(params: JobParams): string {
  const { sourceFilter, service, osSteps, prune, graceSeconds, template, snapshotId, dump } = params;
  const given = [
    ['source_filter', sourceFilter],
    ['service', service],
    ['os_steps', osSteps?.join(', ')],
    ['prune', prune],
    ['guard', params.guard],
    ['observe_minutes', params.observeMinutes],
    ['update_job_id', params.updateJobId],
    ['grace_seconds', graceSeconds],
    ['template', template],
    ['snapshot', snapshotId],
    ['dump', dump?.name],
    ['database', dump?.database],
  ].flatMap(([name, value]) => (value === undefined || value === null ? [] : [`${name} ${value}`]));
  return given.length === 0 ? 'with no parameters' : `with ${given.join('; ')}`;
}

/** Refuses an unsuitable plan with `plan_not_found` or `plan_expired`. The store ensures that it is used once. */
export function checkPlan(
  plan: Job | null,
  asked: { readonly serverId: number; readonly jobType: JobType; readonly params: JobParams },
  now: Instant,
): void {
  const id = asked.params.planId;
  const refuse = (why: string): never => {
    throw new DomainError('plan_not_found', `There is no such plan: ${why}.`);
  };
  // A plan of another server is none, as if it did not exist.
  if (!plan || plan.serverId !== asked.serverId) return refuse(`this server has no job ${id}`);
  if (!plan.params.dryRun) return refuse(`job ${id} was not a dry run`);
  if (plan.jobType !== asked.jobType) return refuse(`job ${id} was a dry run of ${plan.jobType}`);
  if (askedFor(plan.params) !== askedFor(asked.params))
    return refuse(`job ${id} was a dry run of ${askedText(plan.params)}; repeat that with plan_id`);
  const expiresAt = plan.result?.['plan_expires_at'];
  if (plan.status !== 'success' || typeof expiresAt !== 'string') {
    return refuse(`job ${id} has not ended with a plan`);
  }
  // A plan of a clock that was ahead does not stay valid until that time comes.
  const goodForMs = Date.parse(expiresAt) - now;
  if (goodForMs <= 0 || goodForMs > GOOD_FOR_MS + MAX_SKEW_MS) {
    throw new DomainError(
      'plan_expired',
      goodForMs <= 0
        ? `The plan of job ${id} expired at ${toMinute(Date.parse(expiresAt))}. Do another dry run.`
        : `The plan of job ${id} was created while the clock was ahead. Do another dry run.`,
    );
  }
}

/** The changes of a plan, from the result of its dry run. */
export function plannedChanges<Change>(plan: Job | null, kind: PlanKind<Change>): readonly Change[] {
  const changes = plan?.result?.['changes'];
  if (!Array.isArray(changes) || !changes.every(kind.isChange)) {
    throw new DomainError('plan_not_found', 'The plan of this job no longer exists. Do another dry run.');
  }
  return changes;
}

/** How the current changes differ from the plan; `null` if they do not. */
export function driftFrom<Change>(
  plan: readonly Change[],
  now: readonly Change[],
  { line, describe }: PlanKind<Change>,
): { readonly failure: DomainError; readonly result: JobResult } | null {
  const [before, after] = [new Set(plan.map(line)), new Set(now.map(line))];
  const gone = plan.filter((change) => !after.has(line(change)));
  const added = now.filter((change) => !before.has(line(change)));
  if (gone.length + added.length === 0) return null;
  return {
    failure: new DomainError(
      'plan_drifted',
      `The host has changed since the dry run: ${differences(gone.map(describe), added.map(describe))}. Nothing was changed. Do another dry run and review its plan.`,
    ),
    result: {
      drift_count: gone.length + added.length,
      no_longer: gone.slice(0, MAX_DIFFERENCES),
      instead: added.slice(0, MAX_DIFFERENCES),
    },
  };
}

const differences = (gone: readonly string[], added: readonly string[]): string =>
  [
    ...(gone.length > 0 ? [`no longer needed: ${named(gone)}`] : []),
    ...(added.length > 0 ? [`now also needed: ${named(added)}`] : []),
  ].join('; ');

function named(changes: readonly string[]): string {
  const first = changes.slice(0, MAX_NAMED).map((change) => oneLine(change, MAX_NAMED_LENGTH));
  return first.join(', ') + (changes.length > MAX_NAMED ? ` and ${changes.length - MAX_NAMED} more` : '');
}

/** Nothing was started, so there is nothing to clean up. */
export const drifted = (
  planId: number | undefined,
  { failure, result }: { readonly failure: DomainError; readonly result: JobResult },
): RunResult => ({
  summary: failure.message,
  result: { dry_run: false, plan_id: planId ?? null, changes: [], changes_count: 0, ...result },
  failure,
});

/** The refusal of a job with a plan, if the changes would differ now; `null` if it can proceed. */
export async function refusalByPlan<Change>(
  jobs: Pick<JobStore, 'find'>,
  planId: number | undefined,
  now: readonly Change[],
  kind: PlanKind<Change>,
): Promise<RunResult | null> {
  if (planId === undefined) return null;
  const drift = driftFrom(plannedChanges(await jobs.find(planId), kind), now, kind);
  return drift && drifted(planId, drift);
}
