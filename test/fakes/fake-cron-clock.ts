import type { CronClock } from '../../src/application/ports/automation/cron-clock.ts';
import type { CronRule } from '../../src/domain/automation/cron-rule.ts';
import { InvalidInput } from '../../src/domain/base/errors.ts';
import { DAY, HOUR, type Instant, MINUTE } from '../../src/domain/base/instant.ts';

/** How far it looks for a time, in days. */
const HORIZON = 800;

/** The matching values of each field. It knows numbers, `*`, ranges, lists, steps and @daily. */
interface Fields {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly isDay: (year: number, month: number, day: number) => boolean;
}

/** Finds times by trying them one after the other, the clocks of time zones as `Intl` shows them. */
export class FakeCronClock implements CronClock {
  check(rule: CronRule, now: Instant): void {
    try {
      localOf(rule.timeZone, now);
    } catch {
      throw fault('/time_zone', 'There is no such time zone.');
    }
    if (this.next(rule, now) === null) throw fault('/cron', 'This time never occurs.');
  }

  next(rule: CronRule, after: Instant): Instant | null {
    for (let day = -1; day < HORIZON; day += 1) {
      const found = timesOn(rule, after + day * DAY).find((at) => at > after);
      if (found !== undefined) return found;
    }
    return null;
  }

  last(rule: CronRule, at: Instant): Instant | null {
    for (let day = 1; day > -HORIZON; day -= 1) {
      const found = timesOn(rule, at + day * DAY).findLast((time) => time <= at);
      if (found !== undefined) return found;
    }
    return null;
  }
}

const known = new Map<string, readonly Instant[]>();

/** A rule's times on the UTC day of a moment, in order. */
function timesOn(rule: CronRule, near: Instant): readonly Instant[] {
  const midnight = Math.floor(near / DAY) * DAY;
  const key = `${rule.expression} ${rule.timeZone} ${midnight}`;
  let times = known.get(key);
  if (!times) {
    if (known.size > 1_000) known.clear();
    times = timesFrom(rule, midnight);
    known.set(key, times);
  }
  return times;
}

function timesFrom({ expression, timeZone }: CronRule, midnight: Instant): Instant[] {
  const fields = parse(expression);
  const isFixed = fields.minutes.length === 1 && fields.hours.length === 1;
  const times = new Set<Instant>();
  // A local day reaches into the UTC days beside it.
  for (const day of [-1, 0, 1]) {
    const date = new Date(midnight + day * DAY);
    if (!fields.isDay(date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate())) continue;
    for (const hour of fields.hours) {
      for (const minute of fields.minutes) {
        const local = date.getTime() + hour * HOUR + minute * MINUTE;
        const found = instantsOf(timeZone, local);
        if (!isFixed) for (const at of found) times.add(at);
        else times.add(found[0] ?? afterGap(timeZone, local));
      }
    }
  }
  return [...times].filter((at) => at >= midnight && at < midnight + DAY).sort((a, b) => a - b);
}

/** The moments at which the zone's clocks show a time: none in a gap, two in a repeated hour. */
function instantsOf(timeZone: string, local: Instant): Instant[] {
  const offsets = new Set([local - DAY, local + DAY].map((at) => localOf(timeZone, at) - at));
  return [...offsets]
    .map((offset) => local - offset)
    .filter((at) => localOf(timeZone, at) === local)
    .sort((a, b) => a - b);
}

/** The first moment whose time is later than one in a gap. */
function afterGap(timeZone: string, local: Instant): Instant {
  const offset = localOf(timeZone, local - DAY) - (local - DAY);
  let at = local - offset;
  while (localOf(timeZone, at - MINUTE) > local) at -= MINUTE;
  return at;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** The zone's clock time at a moment, as if it were UTC. */
function localOf(timeZone: string, at: Instant): Instant {
  if (timeZone === 'UTC') return at;
  let format = formats.get(timeZone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-u-hc-h23', {
      timeZone,
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
    });
    formats.set(timeZone, format);
  }
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const part = (name: Intl.DateTimeFormatPartTypes): number => parts.get(name) ?? 0;
  const minutes = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'));
  return minutes + (at % MINUTE);
}

function parse(expression: string): Fields {
  const written = expression === '@daily' ? '0 0 * * *' : expression;
  const parts = written.split(' ');
  if (parts.length !== 5) throw fault('/cron', 'Five fields are needed.');
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = parts;
  const days = valuesOf(day, 1, 31);
  const months = valuesOf(month, 1, 12);
  const weekdays = valuesOf(weekday, 0, 7).map((value) => value % 7);
  return {
    minutes: valuesOf(minute, 0, 59),
    hours: valuesOf(hour, 0, 23),
    isDay: (y, m, d) => {
      const fitsDate = days.includes(d);
      const fitsWeekday = weekdays.includes(new Date(Date.UTC(y, m - 1, d)).getUTCDay());
      const either = day !== '*' && weekday !== '*';
      return months.includes(m) && (either ? fitsDate || fitsWeekday : fitsDate && fitsWeekday);
    },
  };
}

function valuesOf(field: string, least: number, most: number): number[] {
  return field.split(',').flatMap((part) => {
    const [, from = '', to, step = '1'] = /^(\*|\d+)(?:-(\d+))?(?:\/(\d+))?$/.exec(part) ?? [];
    const first = from === '*' ? least : Number(from || Number.NaN);
    const last = from === '*' ? most : Number(to ?? from);
    if (!(first >= least && last <= most && first <= last && Number(step) > 0)) {
      throw fault('/cron', 'An expression is like "30 2 * * 0".');
    }
    return Array.from({ length: last - first + 1 }, (_, at) => first + at).filter(
      (value) => (value - first) % Number(step) === 0,
    );
  });
}

const fault = (path: string, message: string): InvalidInput => new InvalidInput([{ path, message }]);
