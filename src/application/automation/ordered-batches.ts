import type { Batch } from '../../domain/automation/batch.ts';
import { openingOf } from '../../domain/automation/maintenance-window.ts';
import {
  type OrderedMember,
  type OrderState,
  TROUBLE_KINDS,
  type Trouble,
} from '../../domain/automation/order-step.ts';
import type { Instant } from '../../domain/base/instant.ts';
import { MAX_HOSTS } from '../../domain/fleet/host-selector.ts';
import { needsWindow } from '../../domain/jobs/job-types.ts';
import { UseCase } from '../base/use-case.ts';
import type { SelectedServer } from '../ports/fleet/server-selection.ts';
import type { MaintenanceGate } from './maintenance-gate.ts';

/** The newest alerts of which those about updated servers count. */
const ALERTS = { limit: 1_000, offset: 0 };

/** The state of batches whose servers are updated in the order of their policies. */
export class OrderedBatches extends UseCase<
  'selection' | 'clock' | 'batches.ordered' | 'batches.ofJob' | 'notifications.list',
  { readonly gate: Pick<MaintenanceGate, 'statesAt'> }
> {
  /** When the run with rings started that a job belongs to; `null`: it belongs to none. */
  async startOfRun(jobId: number): Promise<Instant | null> {
    const batch = await this.deps.batches.ofJob(jobId);
    return batch === null || batch.orders.length === 0 ? null : batch.createdAt;
  }

  async stateOf(batch: Pick<Batch, 'id' | 'orders' | 'jobType' | 'createdAt'>): Promise<OrderState> {
    const members = await this.deps.batches.ordered(batch.id);
    const placed = members.filter(({ place }) => place !== null);
    const waiting = placed.filter(({ status }) => status === 'waiting').map(({ serverId }) => serverId);
    const [servers, troubles, windows] = await Promise.all([
      this.#serversOf(waiting),
      this.#troublesOf(placed),
      this.deps.gate.statesAt(),
    ]);
    const waits = needsWindow(batch.jobType, false);
    return {
      orders: batch.orders,
      members,
      troubles,
      now: this.deps.clock.now(),
      openingOf: ({ serverId }, at) => {
        const server = servers.get(serverId);
        return server === undefined || !waits ? 'open' : openingOf(windows(at), server);
      },
    };
  }

  async #serversOf(ids: readonly number[]): Promise<ReadonlyMap<number, SelectedServer>> {
    if (ids.length === 0) return new Map();
    const found = await this.deps.selection.select({ by: 'ids', ids }, null, MAX_HOSTS);
    return new Map(found.map((server) => [server.id, server]));
  }

  /** Alerts that opened since the first of the servers was updated. */
  async #troublesOf(members: readonly OrderedMember[]): Promise<readonly Trouble[]> {
    const started = new Map(
      members.flatMap(({ serverId, jobStartedAt }): [number, Instant][] =>
        jobStartedAt === null ? [] : [[serverId, jobStartedAt]],
      ),
    );
    if (started.size === 0) return [];
    const filter = { kinds: TROUBLE_KINDS, muted: false, serverIds: [...started.keys()] };
    const { items } = await this.deps.notifications.list(filter, ALERTS);
    return items.flatMap(({ serverId, title, beganAt }) =>
      serverId !== null && beganAt >= (started.get(serverId) ?? 0) ? [{ serverId, title, at: beganAt }] : [],
    );
  }
}
