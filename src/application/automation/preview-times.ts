import type { Actor } from '../../domain/access/actor.ts';
import type { CronRule } from '../../domain/automation/cron-rule.ts';
import type { Instant } from '../../domain/base/instant.ts';
import { UseCase } from '../base/use-case.ts';

const TIMES_AHEAD = 5;
const MAX_TIMES = 200;

/** Previews the times of a rule. */
export class PreviewTimes extends UseCase<'cron' | 'clock'> {
  /** The next few times, at least one. Throws `InvalidInput` for a rule that is invalid or never matches. */
  execute(actor: Actor, rule: CronRule): readonly Instant[] {
    actor.require('read');
    this.deps.cron.check(rule, this.deps.clock.now());
    const times: Instant[] = [];
    let at = this.deps.cron.next(rule, this.deps.clock.now());
    while (at !== null && times.length < TIMES_AHEAD) {
      times.push(at);
      at = this.deps.cron.next(rule, at);
    }
    return times;
  }

  /** The times of a stored rule in a period, at most 200 of them. */
  until(
    actor: Actor,
    rule: CronRule,
    { from, until }: { readonly from: Instant; readonly until: Instant },
  ): readonly Instant[] {
    actor.require('read');
    const times: Instant[] = [];
    let at = this.deps.cron.next(rule, from);
    while (at !== null && at < until && times.length < MAX_TIMES) {
      times.push(at);
      at = this.deps.cron.next(rule, at);
    }
    return times;
  }
}
