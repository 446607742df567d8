import { EVENTS_KEPT_MS } from '../domain/delivery.ts';
import type { Clock } from './ports/clock.ts';
import type { DeliveryStore } from './ports/delivery-store.ts';

const BATCH = 500;
const MOST_BATCHES = 100;

/** Forgets what was told long ago. */
export class ForgetEvents {
  readonly #deliveries: DeliveryStore;
  readonly #clock: Clock;

  constructor(deps: { deliveries: DeliveryStore; clock: Clock }) {
    this.#deliveries = deps.deliveries;
    this.#clock = deps.clock;
  }

  async execute(signal: AbortSignal): Promise<void> {
    const before = this.#clock.now() - EVENTS_KEPT_MS;
    for (let batch = 0; batch < MOST_BATCHES && !signal.aborted; batch += 1)
      if ((await this.#deliveries.prune(before, BATCH)) < BATCH) return;
  }
}
