import type { Actor } from '../../domain/access/actor.ts';
import type { NotificationStore } from '../ports/events/notification-store.ts';
import type { ServerStore } from '../ports/fleet/server-store.ts';
import type { ApprovalStore } from '../ports/jobs/approval-store.ts';
import type { JobStore } from '../ports/jobs/job-store.ts';
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

interface Deps {
  readonly servers: ServerStore;
  readonly approvals: ApprovalStore;
  readonly notifications: NotificationStore;
  readonly jobs: JobStore;
}

export class CountForNavigation {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async execute(actor: Actor): Promise<NavigationCounts> {
    actor.requireRole('viewer');
    const ids = visibleIds(actor);
    const [servers, approvals, alerts, jobs] = await Promise.all([
      this.#deps.servers.list({ ids }, { limit: 1, offset: 0 }),
      this.#deps.approvals.countWaiting(ids),
      this.#deps.notifications.countOpen(ids, 'unacknowledged'),
      this.#deps.jobs.countActive({ serverIds: ids }),
    ]);
    return { servers: servers.total, approvals, alerts, jobs };
  }
}
