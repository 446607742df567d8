import type { IdempotencyStore } from '../ports/base/idempotency-store.ts';
import { REPLIES_KEPT_MS } from './answer-once.ts';

const BATCH = 1_000;
const MAX_BATCHES = 100;

interface Deps {
  readonly requests: IdempotencyStore;
}

/** Deletes expired idempotency keys and their replies. */
export class ForgetRequests {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async execute(signal: AbortSignal): Promise<void> {
    for (let batch = 0; batch < MAX_BATCHES && !signal.aborted; batch += 1) {
      if ((await this.#deps.requests.prune(REPLIES_KEPT_MS, BATCH)) < BATCH) return;
    }
  }
}
