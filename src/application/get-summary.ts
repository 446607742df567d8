import type { Actor } from '../domain/actor.ts';
import { HOUR } from '../domain/instant.ts';
import { visibleIds } from './list-servers.ts';
import type { Clock } from './ports/clock.ts';
import type { JobStore } from './ports/job-store.ts';
import type { FleetTotals, ServerStore } from './ports/server-store.ts';

export interface Summary extends FleetTotals {
  /** Pending and running. */
  readonly jobsRunning: number;
}

/** The state of the caller's part of the fleet in a few numbers. */
export class GetSummary {
  readonly #servers: ServerStore;
  readonly #jobs: JobStore;
  readonly #clock: Clock;
  readonly #staleHours: number;

  constructor(deps: { servers: ServerStore; jobs: JobStore; clock: Clock; backupStaleHours: number }) {
    this.#servers = deps.servers;
    this.#jobs = deps.jobs;
    this.#clock = deps.clock;
    this.#staleHours = deps.backupStaleHours;
  }

  async execute(actor: Actor): Promise<Summary> {
    actor.require('read');
    const ids = visibleIds(actor);
    const staleBefore = this.#clock.now() - this.#staleHours * HOUR;
    const [totals, jobsRunning] = await Promise.all([
      this.#servers.totals({ ids }, staleBefore),
      this.#jobs.countActive({ serverIds: ids }),
    ]);
    return { ...totals, jobsRunning };
  }
}
