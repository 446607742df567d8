import { type Instant, MINUTE, SECOND } from '../base/instant.ts';

/** How many tries are free before the first wait, and the longest wait. */
export interface ThrottleRule {
  readonly free: number;
  readonly longestWait: number;
}

/**
 * Per account, from all unknown browsers. It has more free tries than an address, so that a single address cannot
 * lock an account. The longest wait is short enough that several addresses cannot lock it for long.
 */
export const ACCOUNT_THROTTLE: ThrottleRule = { free: 10, longestWait: 5 * MINUTE };
/** Per address, which many users may share. Beyond its free tries it has a second counter per account. */
export const ADDRESS_THROTTLE: ThrottleRule = { free: 5, longestWait: 15 * MINUTE };
/** Per browser that has signed in to the account before. */
export const DEVICE_THROTTLE: ThrottleRule = { free: 3, longestWait: 5 * MINUTE };
/** Failures expire this long after the last one. */
export const THROTTLE_MEMORY = 60 * MINUTE;
/** Maximum number of addresses with remembered failures; the one with the oldest last failure is dropped first. */
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

/** The result of a try. */
export interface CountedTry {
  /** In milliseconds; 0 if the try may go on. */
  readonly wait: number;
  /** Including this one. */
  readonly failures: number;
  /** The first try that was refused in this wait: worth an audit entry, the others are not. */
  readonly isFirstRefusal: boolean;
}

/** In milliseconds, after this many failures: doubles from one second. */
export const waitAfter = (failures: number, rule: ThrottleRule): number =>
  failures <= rule.free
    ? 0
    : Math.min(SECOND * 2 ** Math.min(failures - rule.free - 1, 30), rule.longestWait);

/**
 * Counts a try as a failure before the password is checked, so that many concurrent tries do not all count as the
 * first. A successful one is forgiven afterwards. One that comes too early counts no failure.
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
