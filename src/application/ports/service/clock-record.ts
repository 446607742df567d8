import type { Instant } from '../../../domain/base/instant.ts';
import type { ClockJump } from '../../../domain/fleet/clock-jump.ts';

/** Shared knowledge of all services on a database about the clock. */
export interface ClockRecord {
  /** The latest time that was believed; `null` before the first. */
  seenAt(): Promise<Instant | null>;
  see(at: Instant): Promise<void>;
  /** The jumps that are not over, the oldest first. */
  open(): Promise<readonly ClockJump[]>;
  begin(jump: Omit<ClockJump, 'id' | 'acknowledged'>): Promise<void>;
  end(id: number, at: Instant): Promise<void>;
  /**
   * Corrects what a clock that was ahead has written: times further in the future than the service ever sets them, so
   * that nothing waits for them. Returns how many rows changed.
   */
  bringBack(now: Instant): Promise<number>;
}
