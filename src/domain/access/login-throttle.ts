import { type Instant, MINUTE, SECOND } from '../base/instant.ts';

/** How many tries are free before one has to wait, and the longest wait. */
export interface ThrottleRule {
  readonly free: number;
  readonly longestWait: number;
}

/**
 * Of one account, from all browsers that it does not know. It has more free tries than one address has, so that one
 * address alone keeps nobody out. The longest wait is short enough that several do not keep anybody out for long.
 */
export const ACCOUNT_THROTTLE: ThrottleRule = { free: 10, longestWait: 5 * MINUTE };
/** Of one address, which many people may share. Beyond its free tries it has an account's second counter. */
export const ADDRESS_THROTTLE: ThrottleRule = { free: 5, longestWait: 15 * MINUTE };
/** Of one browser that signed in to the account before. */
export const DEVICE_THROTTLE: ThrottleRule = { free: 3, longestWait: 5 * MINUTE };
/** Failures are forgotten so long after the last. */
export const THROTTLE_MEMORY = 60 * MINUTE;
/** Addresses with failures that are remembered at once; the one whose last failure is oldest goes first. */
export const MAX_ADDRESSES = 5_000;
/** Names without an account share this many counters: they cannot fill the table. */
export const NAME_BUCKETS = 512;

/** The failures of an account, an address or a browser so far. */
export interface Throttle {
  readonly failures: number;
  /** No try counts before. */
  readonly nextAt: Instant;
  readonly lastAt: Instant;
  /** The `nextAt` for which a refusal was reported already; 0 for none. */
  readonly reportedUntil: Instant;
}

/** What became of a try. */
export interface CountedTry {
  /** In milliseconds; 0 if the try may go on. */
  readonly wait: number;
  /** Including this one. */
  readonly failures: number;
  /** The first try that was refused in this wait: worth an audit entry, the others are not. */
  readonly isFirstRefusal: boolean;
}

/** In milliseconds, after so many failures: doubling from one second. */
export const waitAfter = (failures: number, rule: ThrottleRule): number =>
  failures <= rule.free
    ? 0
    : Math.min(SECOND * 2 ** Math.min(failures - rule.free - 1, 30), rule.longestWait);

/**
 * Counts a try as a failure: it is written down before the password is looked at, so that many tries at once do not all
 * count as the first. A good one is forgiven afterwards. One that comes too early counts no failure.
 */
export function countTry(
  before: Throttle | null,
  now: Instant,
  rule: ThrottleRule,
): CountedTry & { readonly after: Throttle } {
  const remembered = before !== null && now < before.lastAt + THROTTLE_MEMORY ? before : null;
  if (remembered !== null && now < remembered.nextAt) {
    return {
      wait: remembered.nextAt - now,
      failures: remembered.failures,
      isFirstRefusal: remembered.reportedUntil !== remembered.nextAt,
      after: { ...remembered, reportedUntil: remembered.nextAt },
    };
  }
  const failures = (remembered?.failures ?? 0) + 1;
  const after = { failures, nextAt: now + waitAfter(failures, rule), lastAt: now, reportedUntil: 0 };
  return { wait: 0, failures, isFirstRefusal: false, after };
}
