import { DAY, HOUR, type Instant, MINUTE, SECOND, toIso } from '../../domain/instant.ts';

const DATE_AFTER = 60 * DAY;

/** How long ago, roughly; `never` where it never was. */
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

/** What follows a list that shows only a part. */
export function moreOf(page: {
  readonly items: readonly unknown[];
  readonly total: number;
  readonly offset: number;
}): string {
  const next = page.offset + page.items.length;
  return next < page.total
    ? `Showing ${page.offset + 1} to ${next} of ${page.total}; go on with --offset ${next}.\n`
    : '';
}
