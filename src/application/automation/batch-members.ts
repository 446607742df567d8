import { serverNotFound } from '../../domain/access/actor.ts';
import type { NewBatchMember } from '../../domain/automation/batch.ts';
import { orderOf, type PatchPolicy, policyOf } from '../../domain/automation/patch-policy.ts';
import { jitterOf, type Schedule, type ScheduleRun } from '../../domain/automation/schedule.ts';
import { type PolicyOrder, placeOf } from '../../domain/automation/update-order.ts';
import type { DomainError } from '../../domain/base/errors.ts';
import type { Instant } from '../../domain/base/instant.ts';
import { switchedOff } from '../../domain/fleet/host-flag.ts';
import type { HostSelector } from '../../domain/fleet/host-selector.ts';
import type { JobType } from '../../domain/jobs/job-types.ts';
import type { SelectedServer } from '../ports/fleet/server-selection.ts';

/** In the order of the given ids, else by name. A removed server has only its id. */
export function inOrderOf(
  selector: HostSelector,
  found: readonly SelectedServer[],
): readonly (SelectedServer | number)[] {
  if (selector.by !== 'ids') return found;
  const byId = new Map(found.map((server) => [server.id, server]));
  return selector.ids.map((id) => byId.get(id) ?? id);
}

/** By which order servers are updated. `orders`: those that were asked for, by policy. */
export function ordersBy(policies: readonly PatchPolicy[], jobType: JobType) {
  const orders = new Map<number, PolicyOrder>();
  const orderOfServer = (server: SelectedServer): PolicyOrder | null => {
    const order = orderOf(policyOf(policies, server), jobType);
    if (order !== null) orders.set(order.policyId, order);
    return order;
  };
  return { orders, orderOfServer };
}

interface MemberTerms {
  readonly closed: (server: SelectedServer) => DomainError | null;
  readonly order: PolicyOrder | null;
  readonly forRun:
    | {
        readonly schedule: Pick<Schedule, 'name' | 'jitterMs'>;
        readonly run: Pick<ScheduleRun, 'manual' | 'slotAt'>;
      }
    | undefined;
}

export function memberOf(
  server: SelectedServer | number,
  jobType: JobType,
  { closed, order, forRun }: MemberTerms,
): NewBatchMember {
  const startsAt = (id: number): Instant | null =>
    forRun === undefined || forRun.run.manual || forRun.schedule.jitterMs === 0
      ? null
      : forRun.run.slotAt + jitterOf(forRun.schedule, id);
  if (typeof server === 'number') {
    const { code, message } = serverNotFound(server);
    const serverName = `server ${server}`;
    return { serverId: server, serverName, notBefore: startsAt(server), code, detail: message, place: null };
  }
  // Servers in the order of a policy wait for their windows.
  const refusal = switchedOff(server, jobType) ?? (order === null ? closed(server) : null);
  return {
    serverId: server.id,
    serverName: server.name,
    notBefore: startsAt(server.id),
    code: refusal?.code ?? null,
    detail: refusal?.message ?? null,
    place: order && placeOf(order, server.tags),
  };
}
