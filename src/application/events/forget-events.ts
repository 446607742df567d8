import { tooOldAt } from '../../domain/base/instant.ts';
import { UseCase } from '../base/use-case.ts';

const BATCH = 500;
const MAX_BATCHES = 100;

/** Deletes old events. */
export class ForgetEvents extends UseCase<'deliveries' | 'clock' | 'kept.events'> {
  async execute(signal: AbortSignal): Promise<void> {
    const before = tooOldAt(this.deps.clock.now(), this.deps.kept.events);
    if (before === null) return;
    for (let batch = 0; batch < MAX_BATCHES && !signal.aborted; batch += 1)
      if ((await this.deps.deliveries.prune(before, BATCH)) < BATCH) return;
  }
}
