import { type Instant, toMinute } from '../base/instant.ts';
import type { NotificationKind } from '../events/notification.ts';
import type { MemberStatus } from './batch.ts';
import type { Opening } from './maintenance-window.ts';
import { compareStages, type Place, type PolicyOrder, ringName } from './update-order.ts';

/** A server of a batch, as far as the order of updates needs it. */
export interface OrderedMember {
  readonly serverId: number;
  readonly serverName: string;
  readonly status: MemberStatus;
  /** `null`: no policy orders it. */
  readonly place: Place | null;
  readonly notBefore: Instant | null;
  /** When its job was created, which may wait for its turn since. */
  readonly jobStartedAt: Instant | null;
  readonly jobEndedAt: Instant | null;
}

/** An alert about a server. */
export interface Trouble {
  readonly serverId: number;
  readonly title: string;
  readonly at: Instant;
}

/** Alerts that keep the next ring from starting. */
export const TROUBLE_KINDS = [
  'job.failed',
  'host_key.mismatch',
  'server.unreachable',
  'disk.filling',
  'service.unhealthy',
] as const satisfies readonly NotificationKind[];

export interface OrderState {
  readonly orders: readonly PolicyOrder[];
  /** In the order of their turns. */
  readonly members: readonly OrderedMember[];
  readonly troubles: readonly Trouble[];
  readonly now: Instant;
  readonly openingOf: (member: OrderedMember, at: Instant) => Opening;
}

export interface OrderStep {
  /** Members whose jobs start now. */
  readonly start: readonly OrderedMember[];
  /** Policies that start no other server. */
  readonly stops: readonly { readonly policyId: number; readonly reason: string }[];
  /** When time alone changes this; `null`: it does not. */
  readonly nextAt: Instant | null;
}

/** The next step of a batch whose servers are updated in the order of their policies. */
export function orderStep(state: OrderState): OrderStep {
  const waiting = state.members.filter(({ status }) => status === 'waiting');
  const times: Instant[] = [];
  const stops: { policyId: number; reason: string }[] = [];
  const candidates = new Set(waiting.filter(({ place }) => place === null));
  for (const order of state.orders) {
    const own = state.members.filter(({ place }) => place?.policyId === order.policyId);
    const gate = gateOf(order, own, state);
    if (gate.is === 'stopped') stops.push({ policyId: order.policyId, reason: gate.reason });
    else if (gate.is === 'open') for (const member of gate.members) candidates.add(member);
    else if (gate.is === 'baking') times.push(gate.until);
  }
  const ready = waiting.filter((member) => {
    if (!candidates.has(member)) return false;
    const at = startOf(member, state);
    if (at > state.now) times.push(at);
    return at <= state.now;
  });
  return {
    start: withinGroups(ready, state),
    stops,
    nextAt: times.length === 0 ? null : Math.min(...times),
  };
}

/** The earliest start of a member whose turn has come, as of now. If no window opens again, it starts, and is then refused. */
export function startOf(member: OrderedMember, { now, openingOf }: OrderState): Instant {
  if (member.notBefore !== null && member.notBefore > now) return member.notBefore;
  const opening = member.place === null ? 'open' : openingOf(member, now);
  return opening === 'open' || opening === null ? now : opening.at;
}

/** What the servers of a policy wait for, of which none starts now. */
export interface OrderWait {
  readonly policy: string;
  /** The ring that is next, from 0, and its tag; `null`: the servers with no ring's tag. */
  readonly ring: number;
  readonly ringTag: string | null;
  /** `jobs`: of earlier servers. `limit`: of servers with a tag at once. `delay`: of the schedule. */
  readonly reason: 'jobs' | 'bake_time' | 'window' | 'limit' | 'delay';
  /** `null`: time alone does not end it. */
  readonly until: Instant | null;
}

export function orderWaits(state: OrderState): readonly OrderWait[] {
  return state.orders.flatMap((order): OrderWait[] => {
    const own = state.members.filter(({ place }) => place?.policyId === order.policyId);
    const [next] = own
      .filter(isPlaced)
      .filter(({ status }) => status === 'waiting')
      .toSorted(byStage);
    if (next === undefined) return [];
    const gate = gateOf(order, own, state);
    const { ring } = next.place;
    const about = { policy: order.policy, ring, ringTag: order.rings[ring]?.tag ?? null };
    if (gate.is === 'stopped') return [];
    if (gate.is === 'busy') return [{ ...about, reason: 'jobs', until: null }];
    if (gate.is === 'baking') return [{ ...about, reason: 'bake_time', until: gate.until }];
    const starts = gate.members.map((member) => ({ member, at: startOf(member, state) }));
    const ready = starts.filter(({ at }) => at <= state.now).map(({ member }) => member);
    if (ready.length > 0)
      return withinGroups(ready, state).length > 0 ? [] : [{ ...about, reason: 'limit', until: null }];
    const [first] = starts.toSorted((a, b) => a.at - b.at);
    if (first === undefined) return [];
    const { notBefore } = first.member;
    const isDelayed = notBefore !== null && notBefore > state.now;
    return [{ ...about, reason: isDelayed ? 'delay' : 'window', until: first.at }];
  });
}

const WAITS_FOR: Readonly<Record<OrderWait['reason'], string>> = {
  jobs: 'waits until all earlier servers have ended',
  bake_time: 'waits for the bake time of the ring before',
  window: 'waits for a maintenance window',
  limit: 'waits for the limit of servers at once',
  delay: 'waits for the random delay of the schedule',
};

/** As a sentence. */
export function waitText({ policy, ring, ringTag, reason, until }: OrderWait): string {
  const name = ringTag === null ? (ring === 0 ? 'the next servers' : 'the last ring') : `ring ${ringTag}`;
  const end = until === null ? '' : `, until ${toMinute(until)}`;
  return `Policy ${policy}: ${name} ${WAITS_FOR[reason]}${end}.`;
}

type Gate =
  | { readonly is: 'open'; readonly members: readonly OrderedMember[] }
  | { readonly is: 'baking'; readonly until: Instant }
  | { readonly is: 'busy' }
  | { readonly is: 'stopped'; readonly reason: string };

/** Which servers of a policy may start: those that wait in the first stage that is not over. */
export function gateOf(
  order: PolicyOrder,
  members: readonly OrderedMember[],
  { troubles, now }: Pick<OrderState, 'troubles' | 'now'>,
): Gate {
  const placed = members.filter(isPlaced);
  const waiting = placed.filter(({ status }) => status === 'waiting');
  const [first] = waiting;
  if (first === undefined) return { is: 'busy' };
  const stage = waiting.reduce(
    (least, { place }) => (compareStages(place, least) < 0 ? place : least),
    first.place,
  );
  const before = placed.filter(({ place }) => compareStages(place, stage) < 0);
  const lost = before.find(({ status }) => status === 'failed' || status === 'cancelled');
  if (lost !== undefined) {
    const where = ringName(order, lost.place.ring);
    return stopped(
      order,
      `the update of ${lost.serverName} (${where}) ${lost.status === 'failed' ? 'failed' : 'was cancelled'}`,
    );
  }
  const isOver = before.every(({ status }) => status !== 'active');
  const isNewRing = !placed.some(({ place, status }) => place.ring === stage.ring && isStarted(status));
  const untested = isNewRing ? ringProblem(order, before, { isOver, ring: stage.ring, troubles }) : null;
  if (untested !== null) return stopped(order, untested);
  if (!isOver) return { is: 'busy' };
  const baked = isNewRing ? before.map((member) => bakedAt(order, member)) : [];
  const until = baked.reduce((latest, at) => Math.max(latest, at), now);
  if (until > now) return { is: 'baking', until };
  return { is: 'open', members: waiting.filter(({ place }) => compareStages(place, stage) === 0) };
}

interface RingTerms {
  readonly isOver: boolean;
  readonly ring: number;
  readonly troubles: readonly Trouble[];
}

/** Why a ring may not start after those before it; `null` if it may. */
function ringProblem(
  order: PolicyOrder,
  before: readonly PlacedMember[],
  { isOver, ring, troubles }: RingTerms,
): string | null {
  for (let each = 0; each < ring; each += 1) {
    const own = before.filter(({ place }) => place.ring === each);
    if (isOver && !own.some(({ status }) => status === 'success'))
      return `no server of ${ringName(order, each)} was updated`;
    const trouble = troubles.find(({ serverId, at }) =>
      own.some((member) => member.serverId === serverId && at >= (member.jobStartedAt ?? Infinity)),
    );
    if (trouble !== undefined) return `an alert opened after the update: ${trouble.title}`;
  }
  return null;
}

type PlacedMember = OrderedMember & { readonly place: Place };

const byStage = (a: PlacedMember, b: PlacedMember): number => compareStages(a.place, b.place);

const isPlaced = (member: OrderedMember): member is PlacedMember => member.place !== null;

const isStarted = (status: MemberStatus): boolean =>
  status === 'active' || status === 'success' || status === 'failed' || status === 'cancelled';

const bakedAt = ({ rings }: PolicyOrder, { place, jobEndedAt }: OrderedMember): Instant =>
  place === null || jobEndedAt === null ? 0 : jobEndedAt + (rings[place.ring]?.bakeMs ?? 0);

const stopped = ({ policy }: PolicyOrder, because: string): Gate => ({
  is: 'stopped',
  reason: `The policy ${policy} starts no other servers: ${because}.`,
});

/** The first that may run beside each other, and beside those that run. */
function withinGroups(ready: readonly OrderedMember[], { orders, members }: OrderState): OrderedMember[] {
  const room = new Map<string, number>();
  for (const { tag, atOnce } of orders.flatMap(({ groups }) => groups))
    room.set(tag, Math.min(atOnce, room.get(tag) ?? atOnce));
  const take = ({ place }: OrderedMember): void => {
    for (const tag of place?.groups ?? []) room.set(tag, (room.get(tag) ?? 0) - 1);
  };
  for (const member of members) if (member.status === 'active') take(member);
  return ready.filter((member) => {
    if ((member.place?.groups ?? []).some((tag) => (room.get(tag) ?? 0) <= 0)) return false;
    take(member);
    return true;
  });
}
