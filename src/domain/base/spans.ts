import { DAY, HOUR, type Instant, MINUTE, SECOND, toIso } from './instant.ts';

const DATE_AFTER = 60 * DAY;

/** How long ago, roughly; `never` for null. */
export function ago(at: Instant | null, now: Instant): string {
  if (at === null) return 'never';
  const past = now - at;
  return past > DATE_AFTER ? toIso(at).slice(0, 10) : `${duration(Math.max(0, past))} ago`;
}

/** `12 s`, `5 min`, `3 h`, `2 d`: the largest unit that fills at least one. */
export function duration(ms: number): string {
  if (ms >= DAY) return `${Math.floor(ms / DAY)} d`;
  if (ms >= HOUR) return `${Math.floor(ms / HOUR)} h`;
  if (ms >= MINUTE) return `${Math.floor(ms / MINUTE)} min`;
  return `${Math.floor(ms / SECOND)} s`;
}

export const count = (number: number, one: string, many = `${one}s`): string =>
  `${number} ${number === 1 ? one : many}`;
