import type { Instant } from '../../domain/instant.ts';
import type { ThrottleRule } from '../../domain/login-throttle.ts';

/** Failed sign-ins, shared by all replicas. A subject is an account's name or an address. */
export interface ThrottleStore {
  /**
   * Counts a try as failed before it is made, in one step, so that many tries at once do not all count as the first.
   * Returns how long to wait in milliseconds, 0 where the try may go on; nothing is counted where it may not.
   */
  count(subject: string, now: Instant, rule: ThrottleRule): Promise<number>;
  /** Takes one failure back: the try was good. */
  forgive(subject: string): Promise<void>;
  /** Forgets all failures of the subject. */
  clear(subject: string): Promise<void>;
  /** Forgets the subjects whose last failure lies before; at most so many at a time. Returns how many. */
  forgetBefore(at: Instant, most: number): Promise<number>;
}
