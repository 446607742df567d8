import type { AdvanceBatches } from '../../../application/automation/advance-batches.ts';
import type { RunDueSchedules } from '../../../application/automation/run-due-schedules.ts';
import type { JobWakeup } from '../../../application/jobs/job-wakeup.ts';
import type { Clock } from '../../../application/ports/base/clock.ts';
import type { Logger } from '../../../application/ports/base/logger.ts';
import type { LeaseStore } from '../../../application/ports/jobs/lease-store.ts';
import { SECOND } from '../../../domain/base/instant.ts';
import { LeasedLoop } from './leased-loop.ts';

/** Slots are on whole minutes. */
const SCHEDULES_EVERY_MS = 5 * SECOND;
/** Another process may have advanced one; this one is notified only of its own. */
const BATCHES_EVERY_MS = SECOND;
/** Many jobs of a wide batch end at the same time; their effects on it are written together. */
const BATCHES_REST_MS = 100;

/** Starts jobs without a waiting user: those of schedules, and the next ones of batches. */
export class Dispatcher {
  readonly #loops: readonly LeasedLoop[];
  readonly #forget: () => void;

  constructor(deps: {
    schedules: Pick<RunDueSchedules, 'execute'>;
    batches: Pick<AdvanceBatches, 'execute' | 'isIdle'>;
    wakeup: JobWakeup;
    leases: LeaseStore;
    owner: string;
    clock: Clock;
    log: Logger;
  }) {
    const { schedules, batches } = deps;
    const batchLoop = new LeasedLoop(
      {
        name: 'advancing batches',
        lease: 'batches',
        everyMs: BATCHES_EVERY_MS,
        restMs: BATCHES_REST_MS,
        work: (signal) => batches.execute(signal),
        isIdle: () => batches.isIdle(),
      },
      deps,
    );
    this.#forget = deps.wakeup.onBatchMoves(() => batchLoop.wake());
    this.#loops = [
      new LeasedLoop(
        {
          name: 'running schedules',
          lease: 'schedules',
          everyMs: SCHEDULES_EVERY_MS,
          work: (signal) => schedules.execute(signal),
        },
        deps,
      ),
      batchLoop,
    ];
  }

  start(): void {
    for (const loop of this.#loops) loop.start();
  }

  async stop(): Promise<void> {
    this.#forget();
    await Promise.all(this.#loops.map((loop) => loop.stop()));
  }
}
