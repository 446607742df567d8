import type { Instant } from '../../../domain/base/instant.ts';

/** Jobs among those that were looked at. */
export interface OldJobs {
  /** Those that can go. */
  readonly jobs: readonly number[];
  /** Those whose log can go; the jobs above are among them where they have one. */
  readonly logs: readonly number[];
  /** Go on behind this id; `null`: what follows is too young. */
  readonly next: number | null;
}

/** How old something has to be; `null`: it stays for ever. */
export interface OldJobRule {
  readonly jobsBefore: Instant | null;
  readonly logsBefore: Instant | null;
}

/**
 * What is over for long, and may be forgotten. Every call is one short look or one short change, whatever there is; each
 * may be made again, and by several processes at once.
 */
export interface HistoryStore {
  /**
   * Looks at the next `limit` jobs by id. A job can go when it ended before and is not the latest of its server and lane,
   * unless it may belong to a batch that is still known.
   */
  oldJobs(rule: OldJobRule, after: number, limit: number): Promise<OldJobs>;
  /** Takes at most `limit` pieces of the log of a job that is over; its last lines stay with the job. Returns whether there are more. */
  forgetLog(jobId: number, limit: number): Promise<boolean>;
  /** Returns how many there were. Their logs have to be gone. */
  forgetJobs(ids: readonly number[]): Promise<number>;
  /** The next batches by id that ended before, of `limit` that are looked at. */
  oldBatches(
    before: Instant,
    after: number,
    limit: number,
  ): Promise<{ readonly batches: readonly number[]; readonly next: number | null }>;
  /** Takes at most `limit` members; with the last of them the batch. Returns whether there are more. */
  forgetBatch(id: number, limit: number): Promise<boolean>;
}
