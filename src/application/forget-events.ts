import { type KeptDays, tooOldAt } from '../domain/kept-days.ts';
import type { Clock } from './ports/clock.ts';
import type { DeliveryStore } from './ports/delivery-store.ts';

const BATCH = 500;
const MOST_BATCHES = 100;

/** Forgets what was told long ago. */
export class ForgetEvents {
  readonly #deliveries: DeliveryStore;
  readonly #clock: Clock;
  readonly #kept: Pick<KeptDays, 'events'>;

  constructor(deps: { deliveries: DeliveryStore; clock: Clock; kept: Pick<KeptDays, 'events'> }) {
    this.#deliveries = deps.deliveries;
    this.#clock = deps.clock;
    this.#kept = deps.kept;
  }

  async execute(signal: AbortSignal): Promise<void> {
    const before = tooOldAt(this.#clock.now(), this.#kept.events);
    if (before === null) return;
    for (let batch = 0; batch < MOST_BATCHES && !signal.aborted; batch += 1)
      if ((await this.#deliveries.prune(before, BATCH)) < BATCH) return;
  }
}
