import type { Instant } from '../../../domain/base/instant.ts';

/** Jobs among the examined ones. */
export interface OldJobs {
  /** Those that can go. */
  readonly jobs: readonly number[];
  /** Those whose log can be deleted; includes the jobs above that have one. */
  readonly logs: readonly number[];
  /** Continue after this id; `null`: what follows is too recent. */
  readonly next: number | null;
}

/** The minimum age; `null`: keep forever. */
export interface OldJobRule {
  readonly jobsBefore: Instant | null;
  readonly logsBefore: Instant | null;
}

/**
 * Old data that can be deleted. Every call is one short query or one short change, whatever the size; each can be
 * repeated, and run by several processes at once.
 */
export interface HistoryStore {
  /**
   * Looks at the next `limit` jobs by id. A job can go when it ended before and is not the latest of its server and lane,
   * unless it may belong to a batch that is still known.
   */
  oldJobs(rule: OldJobRule, after: number, limit: number): Promise<OldJobs>;
  /** Takes at most `limit` pieces of the log of a job that is over; its last lines stay with the job. Returns whether there are more. */
  forgetLog(jobId: number, limit: number): Promise<boolean>;
  /** Returns how many there were. Their logs must be deleted already. */
  forgetJobs(ids: readonly number[]): Promise<number>;
  /** The next batches by id that ended before, of `limit` examined ones. */
  oldBatches(
    before: Instant,
    after: number,
    limit: number,
  ): Promise<{ readonly batches: readonly number[]; readonly next: number | null }>;
  /** Takes at most `limit` members; with the last of them the batch. Returns whether there are more. */
  forgetBatch(id: number, limit: number): Promise<boolean>;
  /** Takes at most `limit` requests for changes that were decided before. Returns whether there may be more. */
  forgetChanges(before: Instant, limit: number): Promise<boolean>;
}
