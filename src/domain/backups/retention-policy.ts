import type { InputProblem } from '../base/errors.ts';
import { DAY, type Instant } from '../base/instant.ts';
import { MIN_JUMP_MS } from '../fleet/clock-jump.ts';
import { isDamaged, type SnapshotCheck } from './snapshot.ts';

/**
 * How many snapshots of a source to keep: the latest ones, and the newest of each of N days, weeks, months and years
 * that have one (calendar units in UTC, ISO weeks). Zero disables a rule.
 */
export interface RetentionPolicy {
  readonly keepLast: number;
  readonly keepDaily: number;
  readonly keepWeekly: number;
  readonly keepMonthly: number;
  readonly keepYearly: number;
}

export const DEFAULT_RETENTION: RetentionPolicy = {
  keepLast: 3,
  keepDaily: 7,
  keepWeekly: 4,
  keepMonthly: 6,
  keepYearly: 0,
};

/** The largest number that a rule takes. */
export const MAX_KEPT = 10_000;

export function retentionProblems(policy: RetentionPolicy): InputProblem[] {
  const rules = [
    ['keepLast', 'keep_last'],
    ['keepDaily', 'keep_daily'],
    ['keepWeekly', 'keep_weekly'],
    ['keepMonthly', 'keep_monthly'],
    ['keepYearly', 'keep_yearly'],
  ] as const;
  return rules
    .filter(([rule]) => !(Number.isInteger(policy[rule]) && policy[rule] >= 0 && policy[rule] <= MAX_KEPT))
    .map(([, name]) => ({
      path: `/retention/${name}`,
      message: `A whole number from 0 to ${MAX_KEPT}; 0 switches the rule off.`,
    }));
}

/**
 * `applyRetention` when some snapshots are known to be damaged: those count for no rule, so that none displaces a
 * good one, and stay as long as a rule would have kept them. Snapshots that a wrong clock dated in the future stay,
 * and count for no rule: as the newest they would have today's snapshots removed. Pinned snapshots always stay.
 */
export function retainSnapshots<
  S extends {
    readonly name: string;
    readonly startedAt: Instant;
    readonly check: SnapshotCheck | null;
    readonly pinnedAt?: Instant | null;
  },
>(policy: RetentionPolicy, all: readonly S[], now: Instant): RetentionDecision<S> {
  const future = all.filter(({ startedAt }) => startedAt > now + MIN_JUMP_MS);
  const decision = retainPast(
    policy,
    all.filter((snapshot) => !future.includes(snapshot)),
  );
  const isPinned = ({ pinnedAt }: S): boolean => (pinnedAt ?? null) !== null;
  const pinned = decision.remove.filter(isPinned);
  return {
    keep: [...future, ...decision.keep, ...pinned].toSorted((a, b) => b.startedAt - a.startedAt),
    remove: decision.remove.filter((snapshot) => !isPinned(snapshot)),
    reasons: {
      ...decision.reasons,
      ...Object.fromEntries(pinned.map(({ name }) => [name, ['pinned']])),
      ...Object.fromEntries(future.map(({ name }) => [name, ['dated in the future: no rule counts it']])),
    },
  };
}

function retainPast<
  S extends { readonly name: string; readonly startedAt: Instant; readonly check: SnapshotCheck | null },
>(policy: RetentionPolicy, snapshots: readonly S[]): RetentionDecision<S> {
  const good = applyRetention(
    policy,
    snapshots.filter((snapshot) => !isDamaged(snapshot)),
  );
  const among = applyRetention(policy, snapshots);
  const spared = among.keep.filter(isDamaged);
  const gone = among.remove.filter(isDamaged);
  const newestFirst = (all: readonly S[]): readonly S[] => all.toSorted((a, b) => b.startedAt - a.startedAt);
  const withReason = (all: readonly S[], why: string) => all.map(({ name }) => [name, [why]] as const);
  return {
    keep: newestFirst([...good.keep, ...spared]),
    remove: newestFirst([...good.remove, ...gone]),
    reasons: {
      ...good.reasons,
      ...Object.fromEntries(
        withReason(spared, 'damaged: no rule counts it; kept as long as a rule would keep it'),
      ),
      ...Object.fromEntries(withReason(gone, 'damaged, and no rule keeps it')),
    },
  };
}

export interface RetentionDecision<S> {
  /** Newest first. */
  readonly keep: readonly S[];
  /** Newest first. */
  readonly remove: readonly S[];
  /** Why each one stays or goes, by the snapshot's name. */
  readonly reasons: { readonly [name: string]: readonly string[] };
}

interface Rule {
  readonly count: number;
  readonly unit: string;
  readonly bucket: (at: Instant) => string;
}

const day = (at: Instant): string => new Date(at).toISOString().slice(0, 10);
const month = (at: Instant): string => day(at).slice(0, 7);
const year = (at: Instant): string => day(at).slice(0, 4);

/** The ISO week as its Thursday's year and number, such as `2026-W47`. */
function week(at: Instant): string {
  const midnight = Math.floor(at / DAY) * DAY;
  const mondayBased = (new Date(midnight).getUTCDay() + 6) % 7;
  const thursday = midnight + (3 - mondayBased) * DAY;
  const thursdayYear = new Date(thursday).getUTCFullYear();
  const number = Math.floor((thursday - Date.UTC(thursdayYear, 0, 1)) / (7 * DAY)) + 1;
  return `${thursdayYear}-W${String(number).padStart(2, '0')}`;
}

/**
 * Decides which snapshots of one source stay. All that are given are whole; the newest always stays, whatever the
 * policy says, so that a wrong policy can never take the last good backup.
 */
export function applyRetention<S extends { readonly name: string; readonly startedAt: Instant }>(
  policy: RetentionPolicy,
  snapshots: readonly S[],
): RetentionDecision<S> {
  const newestFirst = [...snapshots].sort((a, b) => b.startedAt - a.startedAt || (a.name < b.name ? 1 : -1));
  const reasons = new Map<S, string[]>(newestFirst.map((snapshot) => [snapshot, []]));

  for (const [index, snapshot] of newestFirst.slice(0, policy.keepLast).entries()) {
    reasons.get(snapshot)?.push(index === 0 ? 'the latest' : `among the latest ${policy.keepLast}`);
  }
  const rules: readonly Rule[] = [
    { count: policy.keepDaily, unit: 'day', bucket: day },
    { count: policy.keepWeekly, unit: 'week', bucket: week },
    { count: policy.keepMonthly, unit: 'month', bucket: month },
    { count: policy.keepYearly, unit: 'year', bucket: year },
  ];
  for (const rule of rules) {
    const seen = new Set<string>();
    for (const snapshot of newestFirst) {
      const bucket = rule.bucket(snapshot.startedAt);
      if (seen.size >= rule.count || seen.has(bucket)) continue;
      seen.add(bucket);
      reasons.get(snapshot)?.push(`last of the ${rule.unit} ${bucket}`);
    }
  }
  const newest = newestFirst[0];
  if (newest && reasons.get(newest)?.length === 0)
    reasons.get(newest)?.push('the last good snapshot is never removed');

  const keep = newestFirst.filter((snapshot) => (reasons.get(snapshot)?.length ?? 0) > 0);
  const remove = newestFirst.filter((snapshot) => reasons.get(snapshot)?.length === 0);
  return {
    keep,
    remove,
    reasons: Object.fromEntries(
      newestFirst.map((snapshot) => {
        const why = reasons.get(snapshot) ?? [];
        return [snapshot.name, why.length > 0 ? why : ['no rule keeps it']];
      }),
    ),
  };
}
