import type { ApprovalTerms, Requester } from '../../../domain/access/requester.ts';
import type {
  Batch,
  BatchEnd,
  BatchMember,
  BatchStatus,
  MemberStatus,
  NewBatch,
  NewBatchMember,
} from '../../../domain/automation/batch.ts';
import type { OrderedMember } from '../../../domain/automation/order-step.ts';
import type { ErrorCode } from '../../../domain/base/errors.ts';
import type { Instant } from '../../../domain/base/instant.ts';
import type { Page, PageRequest } from '../../../domain/base/page.ts';
import type { TerminalStatus } from '../../../domain/jobs/job.ts';
import type { ScheduleRunOrigin } from '../../../domain/jobs/job-origin.ts';
import type { ChangeRecord } from '../events/change-record.ts';

export interface BatchFilter {
  readonly status?: BatchStatus;
  readonly scheduleId?: number;
  /** Only those that this one asked for. */
  readonly requester?: Pick<Requester, 'kind' | 'id'>;
}

export interface MemberFilter {
  readonly status?: MemberStatus;
  /** Only these servers; `null` or absent: all. */
  readonly serverIds?: readonly number[] | null;
}

/** How the job of an active member ended. */
export interface MemberEnd {
  readonly serverId: number;
  readonly status: TerminalStatus;
}

export interface MemberSkip {
  readonly serverId: number;
  readonly code: ErrorCode;
  readonly detail: string;
}

/** A running batch, and job results that it has not processed yet. */
export interface RunningBatch {
  readonly batch: Batch;
  readonly ended: readonly MemberEnd[];
}

/**
 * Batches and their members. Methods that take a whole `Batch` advance it: they throw `lease_lost` if the batch is no
 * longer at that version, and otherwise increment the version. Each is one transaction with the same number of
 * statements for ten thousand members as for ten. `JobStore.enqueue` starts a member's job.
 */
export interface BatchStore {
  /**
   * Members with a code are skipped from the start, the others wait for their turns in the order of the list. Links
   * the schedule's run, as `JobStore.enqueue` does. With terms it waits for approval; throws `too_many_approvals`.
   */
  create(
    batch: NewBatch & { readonly approval?: ApprovalTerms },
    members: readonly NewBatchMember[],
    record: (batch: Batch) => ChangeRecord,
    origin?: ScheduleRunOrigin,
  ): Promise<Batch>;
  find(id: number): Promise<Batch | null>;
  /** The batch that started a job. */
  ofJob(jobId: number): Promise<Batch | null>;
  /** Newest first. */
  list(filter: BatchFilter, page: PageRequest): Promise<Page<Batch>>;
  /** How many there are in each state. */
  countByStatus(filter: BatchFilter): Promise<Readonly<Record<BatchStatus, number>>>;
  /** In the order of their turns. */
  members(id: number, filter: MemberFilter, page: PageRequest): Promise<Page<BatchMember>>;
  /** Those that run, oldest first, from the one after an id; at most `limit`. */
  running(after: number, limit: number): Promise<readonly RunningBatch[]>;
  /** Those that wait, in the order of their turns; at most `limit`. */
  waiting(id: number, limit: number): Promise<readonly BatchMember[]>;
  /** All, in the order of their turns, as the order of updates needs them. */
  ordered(id: number): Promise<readonly OrderedMember[]>;
  /** Jobs of members that have not ended and were not asked to stop; at most `MAX_PARALLEL`. */
  jobsToCancel(id: number): Promise<readonly number[]>;
  /** Active members end as their jobs did. */
  settle(batch: Batch, ended: readonly MemberEnd[]): Promise<Batch>;
  /** Waiting members get no job. */
  skip(batch: Batch, skipped: readonly MemberSkip[]): Promise<Batch>;
  /** All that wait are left out, or those of the given servers. */
  stop(batch: Batch, reason: string, serverIds?: readonly number[]): Promise<Batch>;
  finish(batch: Batch, status: BatchEnd, at: Instant, record: (batch: Batch) => ChangeRecord): Promise<Batch>;
  /**
   * Waiting members are left out; a batch that waits for approval ends immediately, and its request is withdrawn.
   * Throws `batch_not_found`, `batch_not_cancellable` (ended, or asked before).
   */
  requestCancel(id: number, at: Instant, record: (batch: Batch) => ChangeRecord): Promise<Batch>;
}
