import type { Actor } from '../../domain/access/actor.ts';
import { UseCase } from '../base/use-case.ts';
import { visibleIds } from './list-servers.ts';

/** The numbers beside the places of the web UI. */
export interface NavigationCounts {
  readonly servers: number;
  /** Requests for approval that wait. */
  readonly approvals: number;
  /** Neither acknowledged nor muted. */
  readonly alerts: number;
  /** Jobs that are pending or run. */
  readonly jobs: number;
}

export class CountForNavigation extends UseCase<'servers' | 'approvals' | 'notifications' | 'jobs'> {
  async execute(actor: Actor): Promise<NavigationCounts> {
    actor.requireRole('viewer');
    const ids = visibleIds(actor);
    const [servers, approvals, alerts, jobs] = await Promise.all([
      this.deps.servers.list({ ids }, { limit: 1, offset: 0 }),
      this.deps.approvals.countWaiting(ids),
      this.deps.notifications.countOpen(ids, 'unacknowledged'),
      this.deps.jobs.countActive({ serverIds: ids }),
    ]);
    return { servers: servers.total, approvals, alerts, jobs };
  }
}
