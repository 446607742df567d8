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

const MINUTE_IN_TEXT = /\b(\d{4}-\d{2}-\d{2} \d{2}:\d{2}) UTC\b/g;

/** A text with the times that `toMinute` wrote, each shown as the reader's interface does. */
export function withTimes<T>(text: string, shown: (at: Instant, utc: string) => T): readonly (string | T)[] {
  const parts: (string | T)[] = [];
  let end = 0;
  for (const { 0: utc, 1: minute = '', index } of text.matchAll(MINUTE_IN_TEXT)) {
    const at = Date.parse(`${minute.replace(' ', 'T')}Z`);
    if (Number.isNaN(at)) continue;
    parts.push(text.slice(end, index), shown(at, utc));
    end = index + utc.length;
  }
  return [...parts, text.slice(end)];
}

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
