import type { Actor } from '../../domain/access/actor.ts';
import type { Batch } from '../../domain/automation/batch.ts';
import { SECOND } from '../../domain/base/instant.ts';
import { UseCase } from '../base/use-case.ts';
import { visibleBatch } from './get-batch.ts';

const LOOK_EVERY_MS = SECOND;

/** Follows a batch to its end. */
export class FollowBatch extends UseCase<'batches' | 'clock'> {
  /** Returns the batch once it has ended, or as it is when the signal is aborted. Throws `batch_not_found`. */
  async execute(
    actor: Actor,
    id: number,
    onState: (batch: Batch) => void,
    signal: AbortSignal,
  ): Promise<Batch> {
    actor.require('read');
    for (;;) {
      const batch = await visibleBatch(this.deps.batches, actor, id);
      onState(batch);
      if (batch.status !== 'running' || signal.aborted) return batch;
      await this.deps.clock.sleep(LOOK_EVERY_MS, signal);
    }
  }
}
