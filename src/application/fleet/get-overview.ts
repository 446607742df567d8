import type { Actor } from '../../domain/access/actor.ts';
import type { Page, PageRequest } from '../../domain/base/page.ts';
import type { Notification, NotificationKind } from '../../domain/events/notification.ts';
import { staleBefore } from '../../domain/fleet/fleet-conditions.ts';
import type { Server } from '../../domain/fleet/server.ts';
import { type ServerOrder, STATE_NEEDS, type StateNeed } from '../../domain/fleet/server-list.ts';
import type { Job } from '../../domain/jobs/job.ts';
import { UseCase } from '../base/use-case.ts';
import type { FleetTotals } from '../ports/fleet/server-store.ts';
import type { GetSummary, Summary } from './get-summary.ts';
import { visibleIds } from './list-servers.ts';

/** Something that needs care: how often there is it, and the worst cases of it. */
export interface Concern<T> {
  readonly total: number;
  readonly worst: readonly T[];
}

export interface Overview {
  readonly summary: Summary;
  readonly needs: Readonly<Record<UrgentNeed, Concern<Server>>>;
  /** Open notifications of jobs that failed, and whose like has not succeeded since. */
  readonly failedJobs: Concern<Notification>;
  /** Open alerts that appear nowhere else here. */
  readonly others: Concern<Notification>;
  /** Jobs that wait for approval. */
  readonly approvals: Concern<Job>;
  /** The latest jobs. */
  readonly recent: readonly Job[];
  /** The first servers by name. */
  readonly fleet: readonly Server[];
}

export type UrgentNeed = Exclude<StateNeed, 'critical_alert' | 'alert' | 'no_backup'>;

/** The name of a need's total, and the sort order that lists its worst cases first. */
const NEEDS: Readonly<Record<UrgentNeed, { count: keyof FleetTotals; worst: ServerOrder }>> = {
  unreachable: { count: 'unreachable', worst: { by: 'last_seen', descending: false } },
  stale_backup: { count: 'backupsStale', worst: { by: 'last_backup', descending: false } },
  disk_full: { count: 'diskFull', worst: { by: 'disk', descending: true } },
  security_updates: { count: 'securityUpdates', worst: { by: 'updates', descending: true } },
  reboot: { count: 'rebootPending', worst: { by: 'last_seen', descending: false } },
  updates_unknown: { count: 'updatesUnknown', worst: { by: 'name', descending: false } },
  unchecked: { count: 'unchecked', worst: { by: 'name', descending: false } },
};

/** Conditions that are not visible in a server's or job's own state. */
const OTHERS = [
  'clock.jumped',
  'os.end_of_life',
  'token.expiring',
  'webhook.disabled',
] as const satisfies readonly NotificationKind[];

/** Problems, worst first, and then the fleet. The number of queries does not depend on the number of servers. */
export class GetOverview extends UseCase<
  'servers' | 'jobs' | 'notifications' | 'clock' | 'backupStaleHours',
  { readonly getSummary: Pick<GetSummary, 'execute'> }
> {
  /** `worst`, `recent`, `fleet`: how many of each at most. */
  async execute(
    actor: Actor,
    most: { readonly worst: number; readonly recent: number; readonly fleet: number },
  ): Promise<Overview> {
    const summary = await this.deps.getSummary.execute(actor);
    const ids = visibleIds(actor);
    const worst = { limit: most.worst, offset: 0 };
    const [needs, failedJobs, others, approvals, recent, fleet] = await Promise.all([
      this.#needs(summary, ids, worst),
      this.#open(['job.failed'], ids, worst),
      this.#open(OTHERS, ids, worst),
      this.deps.jobs.list({ serverIds: ids, status: 'awaiting_approval' }, worst),
      this.deps.jobs.list({ serverIds: ids }, { limit: most.recent, offset: 0, uncounted: true }),
      this.deps.servers.list({ ids }, { limit: most.fleet, offset: 0, uncounted: true }),
    ]);
    return {
      summary,
      needs,
      failedJobs: concern(failedJobs),
      others: concern(others),
      approvals: concern(approvals),
      recent: recent.items,
      fleet: fleet.items,
    };
  }

  async #needs(
    summary: Summary,
    ids: readonly number[] | null,
    page: PageRequest,
  ): Promise<Overview['needs']> {
    const before = staleBefore(this.deps.clock.now(), this.deps.backupStaleHours);
    const found = await Promise.all(
      URGENT_NEEDS.map(async (need) => {
        const { count, worst } = NEEDS[need];
        const total = Number(summary[count]);
        if (total === 0) return [need, { total, worst: [] }] as const;
        const filter = { ids, needs: { need, staleBefore: before } };
        const { items } = await this.deps.servers.list(filter, { ...page, uncounted: true }, worst);
        return [need, { total, worst: items }] as const;
      }),
    );
    return Object.fromEntries(found) as Overview['needs'];
  }

  #open(kinds: readonly NotificationKind[], serverIds: readonly number[] | null, page: PageRequest) {
    const states = ['open', 'acknowledged'] as const;
    return this.deps.notifications.list({ kinds, states, muted: false, serverIds }, page);
  }
}

const concern = <T>({ total, items }: Page<T>): Concern<T> => ({ total, worst: items });

/** Alerts have their own groups, and a new server is no problem. */
const isUrgent = (need: StateNeed): need is UrgentNeed => need in NEEDS;

export const URGENT_NEEDS = STATE_NEEDS.filter(isUrgent);
