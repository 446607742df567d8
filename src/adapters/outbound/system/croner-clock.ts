import { Cron } from 'croner';
import type { CronClock } from '../../../application/ports/automation/cron-clock.ts';
import type { CronRule } from '../../../domain/automation/cron-rule.ts';
import { InvalidInput } from '../../../domain/base/errors.ts';
import { type Instant, MINUTE } from '../../../domain/base/instant.ts';

/** The library also reads dates, seconds and years; a schedule has none of them. */
const FIVE_FIELDS = /^\S+( +\S+){4}$/;
const NICKNAME = /^@(yearly|annually|monthly|weekly|daily|midnight|hourly)$/i;
const LONGEST = 100;
/** A name, not an offset: `+02:00` would ignore daylight saving time. */
const ZONE = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;

export class CronerClock implements CronClock {
  check(rule: CronRule, now: Instant): void {
    const { expression, timeZone } = rule;
    if (!isZone(timeZone)) {
      throw fault('/time_zone', 'Enter the name of a time zone, such as Europe/Berlin or UTC.');
    }
    if (expression.length > LONGEST || !(FIVE_FIELDS.test(expression) || NICKNAME.test(expression))) {
      throw fault(
        '/cron',
        'Enter five fields: minute, hour, day of the month, month, day of the week, such as "30 2 * * 0".',
      );
    }
    let next: Instant | null;
    try {
      next = this.next(rule, now);
    } catch (error) {
      throw fault('/cron', `${reasonOf(error)}; an expression is like "30 2 * * 0".`);
    }
    if (next === null) throw fault('/cron', 'This time never occurs.');
  }

  next(rule: CronRule, after: Instant): Instant | null {
    return cronOf(rule).nextRun(new Date(after))?.getTime() ?? null;
  }

  last(rule: CronRule, at: Instant): Instant | null {
    // The library searches before a time and drops its milliseconds; times are at whole minutes.
    const nextMinute = Math.floor(at / MINUTE) * MINUTE + MINUTE;
    return cronOf(rule).previousRuns(1, new Date(nextMinute))[0]?.getTime() ?? null;
  }
}

/** Without a function to call it starts no timer. */
const cronOf = ({ expression, timeZone }: CronRule): Cron =>
  new Cron(expression, { timezone: timeZone, mode: '5-part', paused: true });

function isZone(name: string): boolean {
  if (!ZONE.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

const fault = (path: string, message: string): InvalidInput => new InvalidInput([{ path, message }]);

/** The library's message, without its own name and the full stop. */
const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error))
    .replace(/^CronPattern: /, '')
    .trimEnd()
    .replace(/\.$/, '')
    .slice(0, 200);
