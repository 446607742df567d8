import type { Actor } from '../../domain/access/actor.ts';
import { staleBefore } from '../../domain/fleet/fleet-conditions.ts';
import { UseCase } from '../base/use-case.ts';
import type { FleetTotals } from '../ports/fleet/server-store.ts';
import { visibleIds } from './list-servers.ts';

export interface Summary extends FleetTotals {
  /** Pending and running. */
  readonly jobsRunning: number;
  /** Notifications that are open or acknowledged, and not muted. */
  readonly alertsOpen: number;
}

/** The state of the caller's part of the fleet in a few numbers. */
export class GetSummary extends UseCase<'servers' | 'jobs' | 'notifications' | 'clock' | 'backupStaleHours'> {
  async execute(actor: Actor): Promise<Summary> {
    actor.require('read');
    const ids = visibleIds(actor);
    const [totals, jobsRunning, alertsOpen] = await Promise.all([
      this.deps.servers.totals({ ids }, staleBefore(this.deps.clock.now(), this.deps.backupStaleHours)),
      this.deps.jobs.countActive({ serverIds: ids }),
      this.deps.notifications.countOpen(ids),
    ]);
    return { ...totals, jobsRunning, alertsOpen };
  }
}
