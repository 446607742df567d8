import { type KeptDays, tooOldAt } from '../../domain/base/instant.ts';
import type { Clock } from '../ports/base/clock.ts';
import type { DeliveryStore } from '../ports/events/delivery-store.ts';

const BATCH = 500;
const MAX_BATCHES = 100;

interface Deps {
  readonly deliveries: DeliveryStore;
  readonly clock: Clock;
  readonly kept: Pick<KeptDays, 'events'>;
}

/** Deletes old events. */
export class ForgetEvents {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async execute(signal: AbortSignal): Promise<void> {
    const before = tooOldAt(this.#deps.clock.now(), this.#deps.kept.events);
    if (before === null) return;
    for (let batch = 0; batch < MAX_BATCHES && !signal.aborted; batch += 1)
      if ((await this.#deps.deliveries.prune(before, BATCH)) < BATCH) return;
  }
}
