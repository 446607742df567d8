import type { Requester } from '../access/requester.ts';
import { DomainError, type ErrorCode, type InputProblem, InvalidInput } from '../base/errors.ts';
import type { Instant } from '../base/instant.ts';
import type { HostSelector } from '../fleet/host-selector.ts';
import type { JobParams } from '../jobs/job.ts';
import type { JobType } from '../jobs/job-types.ts';
import type { Place, PolicyOrder } from './update-order.ts';

export const BATCH_STATUSES = [
  'awaiting_approval',
  'running',
  'success',
  'failed',
  'stopped',
  'cancelled',
] as const;
export type BatchStatus = (typeof BATCH_STATUSES)[number];
export type BatchEnd = Exclude<BatchStatus, 'awaiting_approval' | 'running'>;

/** Those that may still change. */
export const isUnfinished = (status: BatchStatus): boolean =>
  status === 'awaiting_approval' || status === 'running';

/**
 * State of a host in a batch. `active`: its job has not ended. `skipped`: it got no job; `code` says why. `left_out`:
 * the batch stopped before its turn.
 */
export const MEMBER_STATUSES = [
  'waiting',
  'active',
  'success',
  'failed',
  'cancelled',
  'skipped',
  'left_out',
] as const;
export type MemberStatus = (typeof MEMBER_STATUSES)[number];

/** For people. */
export const memberWord = (status: MemberStatus): string => (status === 'left_out' ? 'not started' : status);
export type MemberCounts = Readonly<Record<MemberStatus, number>>;

/** How many hosts at once, and when to stop. */
export interface BatchBounds {
  readonly maxParallel: number;
  /** This many hosts first; the rest only once all of them succeeded. 0: none. */
  readonly canary: number;
  /** Stops starting jobs after this many failed; `null`: never stops. */
  readonly stopAfterFailures: number | null;
}

/** One job on each of many hosts. */
export interface Batch {
  readonly id: number;
  readonly jobType: JobType;
  readonly params: JobParams;
  readonly selector: HostSelector;
  readonly bounds: BatchBounds;
  readonly status: BatchStatus;
  /** Incremented with every step: of two processes that advance a batch at the same time only one succeeds. */
  readonly version: number;
  readonly counts: MemberCounts;
  readonly requester: Requester;
  readonly scheduled: boolean;
  readonly scheduleId: number | null;
  /** Jobs that schedules start for a token wait for approval as the token's own do. */
  readonly requireApproval: boolean;
  /** Who approved it, if it needed approval; its jobs then need none. */
  readonly approvedBy: string | null;
  /** An operator said that maintenance windows do not count. */
  readonly outsideWindow: boolean;
  /** Policies that order its servers. Empty: the turns and the bounds alone decide. */
  readonly orders: readonly PolicyOrder[];
  readonly createdAt: Instant;
  readonly finishedAt: Instant | null;
  readonly cancelRequestedAt: Instant | null;
  /** Why no more jobs are started, as a sentence. */
  readonly stopReason: string | null;
}

export type NewBatch = Omit<
  Batch,
  'id' | 'status' | 'version' | 'counts' | 'approvedBy' | 'finishedAt' | 'cancelRequestedAt' | 'stopReason'
>;

/** One host of a batch. Its place in the list is its turn. */
export interface BatchMember {
  readonly serverId: number;
  /** The server's name when the batch was made. */
  readonly serverName: string;
  readonly status: MemberStatus;
  readonly jobId: number | null;
  /** Its job does not start earlier; `null`: no delay. */
  readonly notBefore: Instant | null;
  /** Why it got no job, or how its job failed. */
  readonly code: ErrorCode | null;
  readonly detail: string | null;
  /** Its place in the order of its policy; `null`: it has none. */
  readonly place: Place | null;
}

export type NewBatchMember = Pick<
  BatchMember,
  'serverId' | 'serverName' | 'notBefore' | 'code' | 'detail' | 'place'
>;

export const NO_MEMBERS: MemberCounts = {
  waiting: 0,
  active: 0,
  success: 0,
  failed: 0,
  cancelled: 0,
  skipped: 0,
  left_out: 0,
};

export const totalOf = (counts: MemberCounts): number =>
  MEMBER_STATUSES.reduce((sum, status) => sum + counts[status], 0);

export const MAX_PARALLEL = 100;
const USUAL_PARALLEL = 10;

/** The batch after a job of one of its hosts was started. */
export const withStarted = (batch: Batch): Batch => ({
  ...batch,
  version: batch.version + 1,
  counts: { ...batch.counts, waiting: batch.counts.waiting - 1, active: batch.counts.active + 1 },
});

export interface RawBounds {
  readonly maxParallel?: number | undefined;
  readonly canary?: number | undefined;
  readonly stopAfterFailures?: number | null | undefined;
}

/** Throws `InvalidInput` with every fault named. */
export function batchBounds({ maxParallel, canary, stopAfterFailures }: RawBounds): BatchBounds {
  const bounds = {
    maxParallel: maxParallel ?? USUAL_PARALLEL,
    canary: canary ?? 0,
    stopAfterFailures: stopAfterFailures ?? null,
  };
  const problems: InputProblem[] = [];
  const check = (path: string, value: number | null, least: number, most: number): void => {
    if (value === null || (Number.isInteger(value) && value >= least && value <= most)) return;
    problems.push({ path, message: `Enter a whole number from ${least} to ${most}.` });
  };
  check('/max_parallel', bounds.maxParallel, 1, MAX_PARALLEL);
  check('/canary', bounds.canary, 0, MAX_PARALLEL);
  check('/stop_after_failures', bounds.stopAfterFailures, 1, 10_000);
  if (problems.length > 0) throw new InvalidInput(problems);
  return bounds;
}

/** The next step of a running batch. */
export type BatchStep =
  /** Start as many jobs as this at most. */
  | { readonly do: 'start'; readonly count: number }
  | { readonly do: 'stop'; readonly reason: string }
  /** Ask the jobs that are left to stop. */
  | { readonly do: 'cancel_jobs' }
  | { readonly do: 'wait' }
  | { readonly do: 'finish'; readonly status: BatchEnd };

type Progress = Pick<Batch, 'bounds' | 'counts' | 'stopReason' | 'cancelRequestedAt' | 'orders'>;

/**
 * Decides by the counts alone; if policies order the servers, they decide which of them start. Canaries are the first hosts that get a job: a host without one (its lane is busy, its
 * window closed) is not a canary, and the next host takes its place.
 */
export function nextStep(batch: Progress): BatchStep {
  const { counts, cancelRequestedAt } = batch;
  if (counts.waiting === 0 && counts.active === 0) return { do: 'finish', status: endOf(batch) };
  // A policy stops only its own servers.
  const over = cancelRequestedAt !== null || (batch.stopReason !== null && batch.orders.length === 0);
  if (!over) {
    const reason = reasonToStop(batch);
    if (reason !== null && counts.waiting > 0) return { do: 'stop', reason };
    const count = roomFor(batch);
    if (count > 0) return { do: 'start', count };
  }
  return { do: cancelRequestedAt === null ? 'wait' : 'cancel_jobs' };
}

/** Whether canaries are still to succeed before the rest may start. */
export const inCanary = ({ bounds, counts }: Pick<Progress, 'bounds' | 'counts'>): boolean =>
  counts.success < bounds.canary;

function reasonToStop({ bounds, counts }: Progress): string | null {
  const lost = counts.failed + counts.cancelled;
  if (bounds.canary > 0 && lost > 0 && counts.success + lost + counts.active <= bounds.canary) {
    return 'A canary failed, so Drover started no other servers.';
  }
  const { stopAfterFailures } = bounds;
  if (stopAfterFailures === null || counts.failed < stopAfterFailures) return null;
  return `${counts.failed === 1 ? 'A job' : `${counts.failed} jobs`} failed; the limit is ${stopAfterFailures}.`;
}

function roomFor({ bounds, counts }: Progress): number {
  const most = inCanary({ bounds, counts })
    ? Math.min(bounds.canary - counts.success, bounds.maxParallel)
    : bounds.maxParallel;
  return Math.min(Math.max(0, most - counts.active), counts.waiting);
}

/** Success: all jobs that were started succeeded, and there was at least one. */
function endOf({ counts, stopReason, cancelRequestedAt }: Progress): BatchEnd {
  if (cancelRequestedAt !== null) return 'cancelled';
  if (stopReason !== null) return 'stopped';
  return counts.success > 0 && counts.failed + counts.cancelled === 0 ? 'success' : 'failed';
}

export const batchNotFound = (id: number): DomainError =>
  new DomainError('batch_not_found', `There is no batch with id ${id}.`);

export const batchNotCancellable = (batch: Pick<Batch, 'id' | 'status'>): DomainError =>
  new DomainError(
    'batch_not_cancellable',
    isUnfinished(batch.status)
      ? `Batch ${batch.id} was already asked to stop. Poll it until it has stopped.`
      : `Batch ${batch.id} has ended (${batch.status}); there is nothing left to cancel.`,
  );
