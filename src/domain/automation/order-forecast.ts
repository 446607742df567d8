import type { Instant } from '../base/instant.ts';
import { gateOf, type OrderedMember, type OrderState, startOf } from './order-step.ts';
import type { PolicyOrder } from './update-order.ts';

/** When the job of a server starts at the earliest, and how many start before it; or why it does not start. */
export type ExpectedStart =
  | { readonly at: Instant; readonly turn: number }
  | { readonly at: null; readonly reason: string };

interface Start {
  readonly member: OrderedMember;
  readonly at: Instant;
  /** Among the starts at the same time, what has to wait for others comes later. */
  readonly round: number;
}

/**
 * The starts of a batch's waiting servers, if each job succeeds and takes no time. Goes from stage to stage rather than
 * from start to start: a batch may have thousands of servers, each with a delay.
 */
export function forecastOrder(state: OrderState): ReadonlyMap<number, ExpectedStart> {
  const members = state.members.map((each) => (each.status === 'active' ? succeeded(each, state.now) : each));
  const places = new Map(members.map((member, index) => [member.serverId, index]));
  const indexOf = ({ member }: Start): number => places.get(member.serverId) ?? 0;
  const free = members.filter(({ status, place }) => status === 'waiting' && place === null);
  const starts: Start[] = startsOf(free, state, 0);
  const expected = new Map<number, ExpectedStart>();
  for (const order of state.orders) {
    const own = members.filter(({ place }) => place?.policyId === order.policyId);
    const found = forecastPolicy(order, own, state);
    starts.push(...found.starts);
    for (const { serverId } of found.left) expected.set(serverId, { at: null, reason: found.reason });
  }
  starts.sort((a, b) => a.at - b.at || a.round - b.round || indexOf(a) - indexOf(b));
  for (const [index, { member, at }] of starts.entries())
    expected.set(member.serverId, { at, turn: index + 1 });
  return expected;
}

interface PolicyForecast {
  readonly starts: readonly Start[];
  /** Those that the policy does not start. */
  readonly left: readonly OrderedMember[];
  readonly reason: string;
}

function forecastPolicy(
  order: PolicyOrder,
  members: readonly OrderedMember[],
  state: OrderState,
): PolicyForecast {
  const starts: Start[] = [];
  let own = members;
  let { now } = state;
  let round = 0;
  for (;;) {
    const gate = gateOf(order, own, { ...state, now });
    if (gate.is === 'stopped') {
      const left = own.filter(({ status }) => status === 'waiting');
      return { starts, left, reason: gate.reason };
    }
    if (gate.is === 'busy') return { starts, left: [], reason: '' };
    if (gate.is === 'baking') {
      now = gate.until;
      round = 0;
      continue;
    }
    const next = startsOf(gate.members, { ...state, now }, round);
    starts.push(...next);
    const times = new Map(next.map(({ member, at }) => [member.serverId, at]));
    own = own.map((each) => succeeded(each, times.get(each.serverId)));
    now = Math.max(...times.values());
    round = 1 + next.reduce((most, start) => (start.at === now ? Math.max(most, start.round) : most), 0);
  }
}

/** The starts of members whose turn has come. Those at once are in rounds from this one on. */
function startsOf(waiting: readonly OrderedMember[], state: OrderState, round: number): Start[] {
  const limits = new Map<string, number>();
  for (const { tag, atOnce } of state.orders.flatMap(({ groups }) => groups))
    limits.set(tag, Math.min(atOnce, limits.get(tag) ?? atOnce));
  const rounds = new Map<Instant, (groups: readonly string[]) => number>();
  return waiting.map((member) => {
    const at = settledStartOf(member, state);
    const roundOf = rounds.get(at) ?? roundsWithin(limits);
    rounds.set(at, roundOf);
    return { member, at, round: (at === state.now ? round : 0) + roundOf(member.place?.groups ?? []) };
  });
}

/** Gives each member, in their order, the first round in which its groups have room. */
function roundsWithin(limits: ReadonlyMap<string, number>): (groups: readonly string[]) => number {
  const used = new Map<string, number[]>();
  /** The first round with room in a group. */
  const first = new Map<string, number>();
  const isFull = (tag: string, round: number): boolean =>
    (used.get(tag)?.[round] ?? 0) >= (limits.get(tag) ?? Infinity);
  return (groups) => {
    let round = Math.max(0, ...groups.map((tag) => first.get(tag) ?? 0));
    while (groups.some((tag) => isFull(tag, round))) round += 1;
    for (const tag of groups) {
      const counts = used.get(tag) ?? [];
      counts[round] = (counts[round] ?? 0) + 1;
      used.set(tag, counts);
      let free = first.get(tag) ?? 0;
      while (isFull(tag, free)) free += 1;
      first.set(tag, free);
    }
    return round;
  };
}

/** After its delay, its window may be closed. */
function settledStartOf(member: OrderedMember, state: OrderState): Instant {
  for (let { now } = state; ; ) {
    const at = startOf(member, { ...state, now });
    if (at <= now) return now;
    now = at;
  }
}

const succeeded = (member: OrderedMember, at: Instant | undefined): OrderedMember =>
  at === undefined
    ? member
    : { ...member, status: 'success', jobStartedAt: member.jobStartedAt ?? at, jobEndedAt: at };
