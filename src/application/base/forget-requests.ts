import { REPLIES_KEPT_MS } from './answer-once.ts';
import { UseCase } from './use-case.ts';

const BATCH = 1_000;
const MAX_BATCHES = 100;

/** Deletes expired idempotency keys and their replies. */
export class ForgetRequests extends UseCase<'requests'> {
  async execute(signal: AbortSignal): Promise<void> {
    for (let batch = 0; batch < MAX_BATCHES && !signal.aborted; batch += 1) {
      if ((await this.deps.requests.prune(REPLIES_KEPT_MS, BATCH)) < BATCH) return;
    }
  }
}
