import type { InputProblem } from '../base/errors.ts';
import { DAY } from '../base/instant.ts';
import { TAG } from '../fleet/server-description.ts';
import type { GroupUse } from '../jobs/job.ts';

/** Servers that are updated before all others. */
export interface Ring {
  readonly tag: string;
  /** How long they run without a problem before the next ring starts. */
  readonly bakeMs: number;
}

/** At most this many servers with a tag are updated at the same time. */
export interface GroupLimit {
  readonly tag: string;
  readonly atOnce: number;
}

/** In which order a policy updates its servers. Servers without the tag of a ring are the last ring. */
export interface OrderRules {
  readonly rings: readonly Ring[];
  /** Within a ring servers with the first tag come first; those without any come last. */
  readonly order: readonly string[];
  readonly groups: readonly GroupLimit[];
}

export const NO_ORDER: OrderRules = { rings: [], order: [], groups: [] };

/** The rules of a policy as they were when a batch was created. */
export interface PolicyOrder extends OrderRules {
  readonly policyId: number;
  readonly policy: string;
}

/** The place of a server in the order of its policy. */
export interface Place {
  readonly policyId: number;
  /** 0 is the first. */
  readonly ring: number;
  readonly step: number;
  /** Tags of `groups` that it has. */
  readonly groups: readonly string[];
}

export const hasOrder = ({ rings, order, groups }: OrderRules): boolean =>
  rings.length + order.length + groups.length > 0;

export function placeOf(policy: PolicyOrder, tags: readonly string[]): Place {
  const { policyId, rings, order, groups } = policy;
  const firstOf = (wanted: readonly string[]): number => {
    const found = wanted.findIndex((tag) => tags.includes(tag));
    return found < 0 ? wanted.length : found;
  };
  return {
    policyId,
    ring: firstOf(rings.map(({ tag }) => tag)),
    step: firstOf(order),
    groups: groups.map(({ tag }) => tag).filter((tag) => tags.includes(tag)),
  };
}

/** Such as `ring canary`; the last ring has no tag. */
export const ringName = ({ rings }: Pick<OrderRules, 'rings'>, ring: number): string => {
  const tag = rings[ring]?.tag;
  return tag === undefined ? 'the last ring' : `ring ${tag}`;
};

/** The tag of a server's ring; `null`: the last ring, or none. */
export const ringTagOf = (
  { place }: { readonly place: Place | null },
  orders: readonly PolicyOrder[],
): string | null =>
  place === null
    ? null
    : (orders.find(({ policyId }) => policyId === place.policyId)?.rings[place.ring]?.tag ?? null);

/** Stages follow each other: the steps of the first ring, then those of the next. */
export const compareStages = (a: Stage, b: Stage): number => a.ring - b.ring || a.step - b.step;
export type Stage = Pick<Place, 'ring' | 'step'>;

/** Sorted by their turns: those without a place first, and within a stage by their delays. */
export const inTurn = <M extends { readonly notBefore: number | null; readonly place: Place | null }>(
  members: readonly M[],
): readonly M[] =>
  members
    .toSorted((a, b) => (a.notBefore ?? 0) - (b.notBefore ?? 0))
    .toSorted((a, b) => compareStages(a.place ?? NO_PLACE, b.place ?? NO_PLACE));

const NO_PLACE: Stage = { ring: -1, step: 0 };

/** The limited groups of servers that a job on a server belongs to. `isOrdered`: it waits for others in them. */
export const groupUsesOf = (
  { groups }: OrderRules,
  tags: readonly string[],
  isOrdered: boolean,
): readonly GroupUse[] =>
  groups
    .filter(({ tag }) => tags.includes(tag))
    .map(({ tag, atOnce }) => ({ tag, atOnce: isOrdered ? atOnce : null }));

const MAX_RINGS = 10;
const MAX_ORDER = 20;
const MAX_BAKE_MS = 60 * DAY;
const MAX_AT_ONCE = 100;

export function orderProblems({ rings, order, groups }: OrderRules): readonly InputProblem[] {
  const problems: InputProblem[] = [];
  const check = (path: string, tags: readonly string[], most: number): void => {
    if (tags.length > most) problems.push({ path, message: `At most ${most} are allowed.` });
    for (const [index, tag] of tags.entries()) {
      if (!TAG.test(tag)) problems.push({ path, message: `“${tag.slice(0, 60)}” is not a tag.` });
      else if (tags.indexOf(tag) < index) problems.push({ path, message: `The tag ${tag} is there twice.` });
    }
  };
  check(
    '/rings',
    rings.map(({ tag }) => tag),
    MAX_RINGS,
  );
  check('/order', order, MAX_ORDER);
  check(
    '/groups',
    groups.map(({ tag }) => tag),
    MAX_ORDER,
  );
  // NaN is neither shorter nor longer.
  if (rings.some(({ bakeMs }) => !(bakeMs >= 0 && bakeMs <= MAX_BAKE_MS)))
    problems.push({ path: '/rings', message: 'The bake time of a ring is 0 to 1440 hours.' });
  if (groups.some(({ atOnce }) => !(Number.isInteger(atOnce) && atOnce >= 1 && atOnce <= MAX_AT_ONCE)))
    problems.push({ path: '/groups', message: `The number of servers at once is 1 to ${MAX_AT_ONCE}.` });
  return problems;
}
