import type { Actor } from '../../domain/access/actor.ts';
import { DAY, type Instant } from '../../domain/base/instant.ts';
import type { FleetDay } from '../../domain/fleet/day-strip.ts';
import { stepAt } from '../../domain/fleet/sample.ts';
import { UseCase } from '../base/use-case.ts';

/** How many days before today are shown. */
export const MAX_FLEET_DAYS = 29;

interface Past {
  readonly today: Instant;
  readonly days: Promise<readonly FleetDay[]>;
}

/**
 * The fleet on past days, from the samples of its servers. They no longer change, so each day they are read once: 290,000
 * samples of 10,000 servers take 50 ms on SQLite.
 */
export class GetFleetDays extends UseCase<'clock' | 'inventories.fleetDays'> {
  #past: Past | null = null;

  /** The days before today, the oldest first; `null` without samples, and for users who do not see all servers. */
  async execute(actor: Actor): Promise<readonly (FleetDay | null)[]> {
    actor.requireRole('viewer');
    const { today, days } = this.#read();
    const known = new Map(actor.serverIds === null ? (await days).map((each) => [each.day, each]) : []);
    return Array.from(
      { length: MAX_FLEET_DAYS },
      (_, index) => known.get(today - (MAX_FLEET_DAYS - index) * DAY) ?? null,
    );
  }

  #read(): Past {
    const today = stepAt('day', this.deps.clock.now());
    if (this.#past?.today === today) return this.#past;
    const days = this.deps.inventories.fleetDays(today - MAX_FLEET_DAYS * DAY, today);
    const past = { today, days };
    this.#past = past;
    // The next visitor tries again.
    days.catch(() => {
      if (this.#past === past) this.#past = null;
    });
    return past;
  }
}
