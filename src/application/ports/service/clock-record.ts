import type { Instant } from '../../../domain/base/instant.ts';
import type { ClockJump } from '../../../domain/fleet/clock-jump.ts';

/** What all services on a database know of the clock. */
export interface ClockRecord {
  /** The latest time that was believed; `null` before the first. */
  seenAt(): Promise<Instant | null>;
  see(at: Instant): Promise<void>;
  /** The jumps that are not over, the oldest first. */
  open(): Promise<readonly ClockJump[]>;
  begin(jump: Omit<ClockJump, 'id' | 'acknowledged'>): Promise<void>;
  end(id: number, at: Instant): Promise<void>;
  /**
   * Brings back what a clock that was ahead has written: times that lie further ahead than the service ever sets them, so that
   * nothing stands still until they come. Returns how many rows that were.
   */
  bringBack(now: Instant): Promise<number>;
}
