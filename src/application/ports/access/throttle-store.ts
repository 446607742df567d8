import type { CountedTry, ThrottleRule } from '../../../domain/access/login-throttle.ts';
import type { Instant } from '../../../domain/base/instant.ts';

/** Failed sign-ins, shared by all replicas. A subject names a counter: `address:192.0.2.1`, `account:ann`. */
export interface ThrottleStore {
  /**
   * Counts a try as failed before it is made, in one step, so that concurrent tries do not all count as the first.
   * Nothing is counted if it comes too early; of several such tries at the same time, one is the first.
   */
  count(subject: string, now: Instant, rule: ThrottleRule): Promise<CountedTry>;
  /** Takes one failure back: the try was good. */
  forgive(subject: string): Promise<void>;
  /** Deletes all failures of the subject. */
  clear(subject: string): Promise<void>;
  /** Deletes subjects whose last failure is older; at most this many at a time. Returns how many. */
  forgetBefore(at: Instant, most: number): Promise<number>;
  /**
   * Of the subjects with this prefix, keeps those with the latest failures; deletes up to a limit at a time. Returns
   * how many.
   */
  keepLatest(prefix: string, keep: number, most: number): Promise<number>;
}
