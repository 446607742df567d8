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

/** `42 s`, `4 min 59 s`, `2 h 05 min`, `3 d 4 h`: the two largest units, for how long something took. */
export function elapsed(ms: number): string {
  const [days, hours, minutes, seconds] = [
    ms / DAY,
    (ms % DAY) / HOUR,
    (ms % HOUR) / MINUTE,
    (ms % MINUTE) / SECOND,
  ].map(Math.floor) as [number, number, number, number];
  const two = (value: number): string => String(value).padStart(2, '0');
  if (days > 0) return `${days} d ${hours} h`;
  if (hours > 0) return `${hours} h ${two(minutes)} min`;
  return minutes > 0 ? `${minutes} min ${two(seconds)} s` : `${seconds} s`;
}

export { count, grouped } from './count.ts';

/** How much of a whole is used, in percent: 100 only if all of it is. */
export const percentOf = (used: number, total: number): number =>
  total === 0 ? 0 : Math.floor((100 * used) / total);

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
