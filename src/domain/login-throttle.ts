import { type Instant, MINUTE, SECOND } from './instant.ts';

/** How many tries are free before one has to wait, and the longest wait. */
export interface ThrottleRule {
  readonly free: number;
  readonly longestWait: number;
}

/** Of one account. The longest wait is short enough that nobody can be kept out of their account for long. */
export const ACCOUNT_THROTTLE: ThrottleRule = { free: 3, longestWait: 5 * MINUTE };
/** Of one address, which many people may share. */
export const ADDRESS_THROTTLE: ThrottleRule = { free: 10, longestWait: 15 * MINUTE };
/** Failures are forgotten so long after the last. */
export const THROTTLE_MEMORY = 60 * MINUTE;

/** The failures of an account or an address so far. */
export interface Throttle {
  readonly failures: number;
  /** No try counts before. */
  readonly nextAt: Instant;
  readonly lastAt: Instant;
}

/** In milliseconds, after so many failures: doubling from one second. */
export const waitAfter = (failures: number, rule: ThrottleRule): number =>
  failures <= rule.free
    ? 0
    : Math.min(SECOND * 2 ** Math.min(failures - rule.free - 1, 30), rule.longestWait);

/**
 * A try as a failure: it is written down before the password is looked at, so that many tries at once do not all count
 * as the first. A good one is forgiven afterwards. Returns null where it comes too early.
 */
export function countTry(before: Throttle | null, now: Instant, rule: ThrottleRule): Throttle | null {
  const remembered = before !== null && now < before.lastAt + THROTTLE_MEMORY ? before : null;
  if (remembered !== null && now < remembered.nextAt) return null;
  const failures = (remembered?.failures ?? 0) + 1;
  return { failures, nextAt: now + waitAfter(failures, rule), lastAt: now };
}
