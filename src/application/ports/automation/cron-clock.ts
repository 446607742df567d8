import type { CronRule } from '../../../domain/automation/cron-rule.ts';
import type { Instant } from '../../../domain/base/instant.ts';

/**
 * Reads cron rules on the clocks of time zones. Where the clocks change, as Vixie's cron does: a rule with one minute and
 * one hour comes once on each of its days, at the first of two such times, and at the first moment after a gap that
 * its time lies in; any other rule comes whenever the clock shows one of its times, in a repeated hour again.
 */
export interface CronClock {
  /** Throws `InvalidInput` for an expression or time zone that it cannot read, or whose time does not come any more. */
  check(rule: CronRule, now: Instant): void;
  /** The first time after this one; `null` where none comes. */
  next(rule: CronRule, after: Instant): Instant | null;
  /** The last time up to this one, itself included; `null` where there was none. */
  last(rule: CronRule, at: Instant): Instant | null;
}
