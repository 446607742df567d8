import type { Clock } from '../../../application/ports/base/clock.ts';
import type { Logger } from '../../../application/ports/base/logger.ts';
import type { LeaseStore } from '../../../application/ports/jobs/lease-store.ts';
import { SECOND } from '../../../domain/base/instant.ts';
import { Periodic, type PeriodicTask } from './periodic.ts';

/** How long the others stay out after a process that dies with the lease. */
const LEASE_MS = 30 * SECOND;

/** The work has to be safe in two processes at once: a slow one may outlive its lease. */
export interface LeasedTask extends PeriodicTask {
  readonly lease: string;
  /** Asked first; nothing is written while it is true. */
  readonly isIdle?: () => Promise<boolean>;
}

/** Does something again and again, in one process at a time. */
export class LeasedLoop {
  readonly #loop: Periodic;
  readonly #giveUp: () => Promise<void>;

  constructor(task: LeasedTask, deps: { leases: LeaseStore; owner: string; clock: Clock; log: Logger }) {
    const { lease, isIdle, work, ...period } = task;
    const { leases, owner } = deps;
    this.#loop = new Periodic(
      {
        ...period,
        work: async (signal) => {
          if (isIdle && (await isIdle())) return;
          if (await leases.hold(lease, owner, LEASE_MS)) await work(signal);
        },
      },
      deps,
    );
    this.#giveUp = () => leases.release(lease, owner);
  }

  start(): void {
    this.#loop.start();
  }

  /** Looks again now instead of at the end of the pause. */
  wake(): void {
    this.#loop.wake();
  }

  /** Resolves once a running run has ended; another process may continue immediately. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    await this.#giveUp();
  }
}
