import type { NewBatchMember } from '../../domain/automation/batch.ts';
import { openingOf } from '../../domain/automation/maintenance-window.ts';
import { type ExpectedStart, forecastOrder } from '../../domain/automation/order-forecast.ts';
import type { OrderedMember } from '../../domain/automation/order-step.ts';
import {
  heldFromSchedules,
  orderOf,
  type PatchPolicy,
  policyOf,
} from '../../domain/automation/patch-policy.ts';
import type { Schedule } from '../../domain/automation/schedule.ts';
import { inTurn, type PolicyOrder } from '../../domain/automation/update-order.ts';
import type { Instant } from '../../domain/base/instant.ts';
import { MAX_HOSTS } from '../../domain/fleet/host-selector.ts';
import { UseCase } from '../base/use-case.ts';
import type { SelectedServer } from '../ports/fleet/server-selection.ts';
import { inOrderOf, memberOf, ordersBy } from './batch-members.ts';
import type { MaintenanceGate } from './maintenance-gate.ts';
import type { OrderedBatches } from './ordered-batches.ts';

/** The expected start of a server's job, and the ring that it is in. */
export interface OrderedStart {
  readonly expected: ExpectedStart;
  readonly order: PolicyOrder;
  readonly ring: number;
  /** When its run starts: ages of updates count at this time. */
  readonly runAt: Instant;
}

/** When schedules start the jobs of servers that policies order: by the batch that runs, and by the next one. */
export class OrderForecasts extends UseCase<
  'selection' | 'cron' | 'batches.list' | 'policies.list',
  {
    readonly orderedBatches: Pick<OrderedBatches, 'stateOf'>;
    readonly gate: Pick<MaintenanceGate, 'statesAt'>;
  }
> {
  /** By server; a server that is missing follows no order. */
  async of(schedule: Schedule): Promise<ReadonlyMap<number, OrderedStart>> {
    const running = await this.#running(schedule);
    const from = Math.max(schedule.dueAt ?? 0, running.until);
    const slot = from === schedule.dueAt ? from : this.deps.cron.next(schedule.cron, from);
    const next = slot === null ? new Map<number, OrderedStart>() : await this.#next(schedule, slot);
    return new Map([...next, ...running.starts]);
  }

  async #running(schedule: Schedule): Promise<{ starts: Map<number, OrderedStart>; until: Instant }> {
    const filter = { scheduleId: schedule.id, status: 'running' } as const;
    const [batch] = (await this.deps.batches.list(filter, { limit: 1, offset: 0 })).items;
    if (batch === undefined || batch.orders.length === 0) return { starts: new Map(), until: 0 };
    const state = await this.deps.orderedBatches.stateOf(batch);
    const starts = startsOf(forecastOrder(state), state.members, batch.orders, batch.createdAt);
    return { starts, until: Math.max(0, ...[...starts.values()].map(({ expected }) => expected.at ?? 0)) };
  }

  /** A batch that starts at a slot. */
  async #next(schedule: Schedule, slotAt: Instant): Promise<Map<number, OrderedStart>> {
    const { jobType, selector } = schedule;
    const policies = await this.deps.policies.list();
    if (policies.every((policy) => orderOf(policy, jobType) === null)) return new Map();
    const found = await this.deps.selection.select(selector, null, MAX_HOSTS);
    const byId = new Map(found.map((server) => [server.id, server]));
    const { orders, orderOfServer } = ordersBy(policies, jobType);
    const members = inOrderOf(selector, found).map((server) => {
      const order = typeof server === 'number' ? null : orderOfServer(server);
      const run = { manual: false, slotAt };
      const member = memberOf(server, jobType, { closed: () => null, order, forRun: { schedule, run } });
      return asOrdered(member, isRefused(policies, byId.get(member.serverId), schedule));
    });
    if (orders.size === 0) return new Map();
    const windows = await this.deps.gate.statesAt();
    const all = [...orders.values()];
    const ordered = inTurn(members);
    const expected = forecastOrder({
      orders: all,
      members: ordered,
      troubles: [],
      now: slotAt,
      openingOf: ({ serverId }, at) => {
        const server = byId.get(serverId);
        return server === undefined ? 'open' : openingOf(windows(at), server);
      },
    });
    return startsOf(expected, ordered, all, slotAt);
  }
}

const isRefused = (
  policies: readonly PatchPolicy[],
  server: SelectedServer | undefined,
  { jobType }: Schedule,
): boolean => server !== undefined && heldFromSchedules(policyOf(policies, server), server, jobType) !== null;

const asOrdered = (member: NewBatchMember, refused: boolean): OrderedMember => ({
  ...member,
  status: refused || member.code !== null ? 'skipped' : 'waiting',
  jobStartedAt: null,
  jobEndedAt: null,
});

function startsOf(
  starts: ReadonlyMap<number, ExpectedStart>,
  members: readonly OrderedMember[],
  orders: readonly PolicyOrder[],
  runAt: Instant,
): Map<number, OrderedStart> {
  return new Map(
    members.flatMap(({ serverId, place }): [number, OrderedStart][] => {
      const expected = starts.get(serverId);
      const order = orders.find(({ policyId }) => policyId === place?.policyId);
      return expected === undefined || order === undefined || place === null
        ? []
        : [[serverId, { expected, order, ring: place.ring, runAt }]];
    }),
  );
}
