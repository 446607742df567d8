import type { Actor } from '../domain/actor.ts';
import type { CronRule } from '../domain/cron-rule.ts';
import type { Instant } from '../domain/instant.ts';
import type { Clock } from './ports/clock.ts';
import type { CronClock } from './ports/cron-clock.ts';

const TIMES_AHEAD = 5;

/** When a rule would come round, for whoever writes one. */
export class PreviewTimes {
  readonly #cron: CronClock;
  readonly #clock: Clock;

  constructor(deps: { cron: CronClock; clock: Clock }) {
    this.#cron = deps.cron;
    this.#clock = deps.clock;
  }

  /** The next few times, at least one. Throws `InvalidInput` for what cannot be read, or never comes. */
  execute(actor: Actor, rule: CronRule): readonly Instant[] {
    actor.require('read');
    this.#cron.check(rule, this.#clock.now());
    const times: Instant[] = [];
    let at = this.#cron.next(rule, this.#clock.now());
    while (at !== null && times.length < TIMES_AHEAD) {
      times.push(at);
      at = this.#cron.next(rule, at);
    }
    return times;
  }
}
