/** A point in time: milliseconds since the Unix epoch, UTC. The domain never reads the clock; times are passed in. */
export type Instant = number;

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** ISO 8601 in UTC with milliseconds and `Z`, the one form in which times leave the service. */
export const toIso = (at: Instant): string => new Date(at).toISOString();
/** `2026-11-23 05:10 UTC`: a time in a text for people. */
export const toMinute = (at: Instant): string => `${toIso(at).slice(0, 16).replace('T', ' ')} UTC`;

export const toIsoOrNull = (at: Instant | null): string | null => (at === null ? null : toIso(at));

/** Retention in days; 0: keep forever. */
export interface KeptDays {
  readonly jobs: number;
  readonly logs: number;
  readonly events: number;
  readonly notifications: number;
  readonly audit: number;
}

/** Before which moment something is too old; `null`: nothing ever is. */
export const tooOldAt = (now: Instant, days: number): Instant | null =>
  days === 0 ? null : now - days * DAY;
