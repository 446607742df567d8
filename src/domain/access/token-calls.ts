import { HOUR, type Instant } from '../base/instant.ts';

/** Calls with a token. */
export interface TokenCalls {
  readonly total: number;
  /** Of the last hours with calls: hours since the Unix epoch, and their calls. */
  readonly hours: readonly (readonly [hour: number, calls: number])[];
}

export const NO_CALLS: TokenCalls = { total: 0, hours: [] };

const DAY_HOURS = 24;
const DAYS_KEPT = 7;
const HOURS_KEPT = DAYS_KEPT * DAY_HOURS;

const hourOf = (at: Instant): number => Math.floor(at / HOUR);
const recent = ({ hours }: TokenCalls, now: Instant): TokenCalls['hours'] =>
  hours.filter(([hour]) => hour > hourOf(now) - HOURS_KEPT);

/** All calls of both; hours that are over for a week are dropped. */
export function mergeCalls(calls: TokenCalls, added: TokenCalls, now: Instant): TokenCalls {
  const hours = new Map(recent(calls, now));
  for (const [hour, count] of recent(added, now)) hours.set(hour, (hours.get(hour) ?? 0) + count);
  const sorted = [...hours].sort(([one], [other]) => one - other);
  return { total: calls.total + added.total, hours: sorted.slice(-HOURS_KEPT) };
}

export const callsAt = (at: Instant, count = 1): TokenCalls => ({
  total: count,
  hours: [[hourOf(at), count]],
});

/** In the last seven times 24 hours, the current hour included, the oldest first. */
export function callsByDay(calls: TokenCalls, now: Instant): readonly number[] {
  const days = Array.from({ length: DAYS_KEPT }, () => 0);
  for (const [hour, count] of recent(calls, now)) {
    const day = Math.min(DAYS_KEPT - 1, DAYS_KEPT - 1 - Math.floor((hourOf(now) - hour) / DAY_HOURS));
    days[day] = (days[day] ?? 0) + count;
  }
  return days;
}

/** In the last 24 hours, the current one included. */
export const callsOfDay = (calls: TokenCalls, now: Instant): number => callsByDay(calls, now).at(-1) ?? 0;
