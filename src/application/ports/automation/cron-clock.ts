import type { CronRule } from '../../../domain/automation/cron-rule.ts';
import type { Instant } from '../../../domain/base/instant.ts';

/**
 * Reads cron rules in time zones. At clock changes it follows Vixie cron: a rule with one minute and one hour matches
 * once on each of its days, at the first of two such times, and at the first moment after a gap that contains its
 * time; any other rule matches whenever the clock shows one of its times, again in a repeated hour.
 */
export interface CronClock {
  /** Throws `InvalidInput` for an invalid expression or time zone, or if no match is left. */
  check(rule: CronRule, now: Instant): void;
  /** The first time after this one; `null` if there is none. */
  next(rule: CronRule, after: Instant): Instant | null;
  /** The last time up to and including this one; `null` if there was none. */
  last(rule: CronRule, at: Instant): Instant | null;
}
