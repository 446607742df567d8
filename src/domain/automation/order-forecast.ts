import type { Instant } from '../base/instant.ts';
import { type OrderedMember, type OrderState, orderStep } from './order-step.ts';

/** When the job of a server starts at the earliest, and how many start before it; or why it does not start. */
export type ExpectedStart =
  | { readonly at: Instant; readonly turn: number }
  | { readonly at: null; readonly reason: string };

/**
 * The starts of a batch's waiting servers, if each job succeeds and takes no time. It takes the same steps as the batch
 * itself.
 */
export function forecastOrder(state: OrderState): ReadonlyMap<number, ExpectedStart> {
  const expected = new Map<number, ExpectedStart>();
  let { now } = state;
  let members = state.members.map((each) => (each.status === 'active' ? succeeded(each, now) : each));
  for (;;) {
    const { start, stops, nextAt } = orderStep({ ...state, members, now });
    for (const { policyId, reason } of stops) {
      members = members.map((each) => {
        if (each.status !== 'waiting' || each.place?.policyId !== policyId) return each;
        expected.set(each.serverId, { at: null, reason });
        return { ...each, status: 'left_out' };
      });
    }
    for (const { serverId } of start) expected.set(serverId, { at: now, turn: turnOf(expected) });
    const begun = new Set(start.map(({ serverId }) => serverId));
    members = members.map((each) => (begun.has(each.serverId) ? succeeded(each, now) : each));
    if (start.length > 0 || stops.length > 0) continue;
    if (nextAt === null) break;
    now = nextAt;
  }
  return expected;
}

const succeeded = (member: OrderedMember, at: Instant): OrderedMember => ({
  ...member,
  status: 'success',
  jobStartedAt: member.jobStartedAt ?? at,
  jobEndedAt: at,
});

const turnOf = (expected: ReadonlyMap<number, ExpectedStart>): number =>
  [...expected.values()].filter(({ at }) => at !== null).length + 1;
