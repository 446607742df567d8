import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  applyRetention,
  DEFAULT_RETENTION,
  MAX_KEPT,
  type RetentionPolicy,
  retainSnapshots,
  retentionProblems,
} from '../../../src/domain/backups/retention-policy.ts';
import { DAY, HOUR, type Instant } from '../../../src/domain/base/instant.ts';

interface Taken {
  readonly name: string;
  readonly startedAt: Instant;
}

const NOTHING: RetentionPolicy = { keepLast: 0, keepDaily: 0, keepWeekly: 0, keepMonthly: 0, keepYearly: 0 };

const at = (iso: string): Taken => ({ name: iso, startedAt: Date.parse(iso) });
const names = (snapshots: readonly Taken[]): string[] => snapshots.map(({ name }) => name);
const kept = (policy: Partial<RetentionPolicy>, ...times: string[]): string[] =>
  names(applyRetention({ ...NOTHING, ...policy }, times.map(at)).keep);

const NOW = Date.UTC(2100, 0, 1);

describe('retention', () => {
  it('keeps the latest snapshots', () => {
    const times = ['2026-03-01T00:00Z', '2026-03-01T01:00Z', '2026-03-01T02:00Z'];
    expect(kept({ keepLast: 2 }, ...times)).toEqual(['2026-03-01T02:00Z', '2026-03-01T01:00Z']);
  });

  it('keeps the last of each day that has one, however many days lie between', () => {
    const times = ['2026-03-01T01:00Z', '2026-03-01T23:59:59.999Z', '2026-03-05T00:00Z', '2026-04-09T12:00Z'];
    expect(kept({ keepDaily: 3 }, ...times)).toEqual([
      '2026-04-09T12:00Z',
      '2026-03-05T00:00Z',
      '2026-03-01T23:59:59.999Z',
    ]);
  });

  it('starts a week on Monday, and knows the weeks that span two years', () => {
    // 2020-12-28 (Monday) to 2021-01-03 (Sunday) is week 53 of 2020
    const times = ['2020-12-27T12:00Z', '2020-12-28T00:00Z', '2021-01-03T23:59Z', '2021-01-04T00:00Z'];
    const { keep, reasons } = applyRetention({ ...NOTHING, keepWeekly: 9 }, times.map(at));
    expect(names(keep)).toEqual(['2021-01-04T00:00Z', '2021-01-03T23:59Z', '2020-12-27T12:00Z']);
    expect(reasons['2021-01-03T23:59Z']).toEqual(['last of the week 2020-W53']);
    expect(reasons['2021-01-04T00:00Z']).toEqual(['last of the week 2021-W01']);
    expect(reasons['2020-12-27T12:00Z']).toEqual(['last of the week 2020-W52']);
  });

  it.each([
    // from the examples of ISO 8601 and the calendars of these years
    ['2005-01-01', '2004-W53'],
    ['2005-01-02', '2004-W53'],
    ['2005-12-31', '2005-W52'],
    ['2006-01-01', '2005-W52'],
    ['2006-01-02', '2006-W01'],
    ['2007-12-31', '2008-W01'],
    ['2008-12-28', '2008-W52'],
    ['2008-12-29', '2009-W01'],
    ['2010-01-03', '2009-W53'],
    ['2026-11-20', '2026-W47'],
    ['1969-12-31', '1970-W01'],
  ])('counts %s to the week %s', (day, week) => {
    const { reasons } = applyRetention({ ...NOTHING, keepWeekly: 1 }, [at(`${day}T12:00Z`)]);
    expect(reasons[`${day}T12:00Z`]).toEqual([`last of the week ${week}`]);
  });

  it('keeps the last of each month and year', () => {
    const times = ['2024-12-31T23:59Z', '2025-01-01T00:00Z', '2025-01-31T23:59Z', '2026-02-01T00:00Z'];
    expect(kept({ keepMonthly: 2 }, ...times)).toEqual(['2026-02-01T00:00Z', '2025-01-31T23:59Z']);
    expect(kept({ keepYearly: 3 }, ...times)).toEqual([
      '2026-02-01T00:00Z',
      '2025-01-31T23:59Z',
      '2024-12-31T23:59Z',
    ]);
  });

  it('tells every reason that keeps a snapshot, and that none does', () => {
    const { reasons } = applyRetention({ ...NOTHING, keepLast: 1, keepDaily: 2 }, [
      at('2026-03-01T01:00Z'),
      at('2026-03-02T01:00Z'),
      at('2026-03-02T02:00Z'),
    ]);
    expect(reasons).toEqual({
      '2026-03-02T02:00Z': ['the latest', 'last of the day 2026-03-02'],
      '2026-03-02T01:00Z': ['no rule keeps it'],
      '2026-03-01T01:00Z': ['last of the day 2026-03-01'],
    });
  });

  it('never removes the last good snapshot, whatever the policy', () => {
    const { keep, remove, reasons } = applyRetention(NOTHING, [
      at('2026-03-01T01:00Z'),
      at('2026-03-02T01:00Z'),
    ]);
    expect(names(keep)).toEqual(['2026-03-02T01:00Z']);
    expect(names(remove)).toEqual(['2026-03-01T01:00Z']);
    expect(reasons['2026-03-02T01:00Z']).toEqual(['the last good snapshot is never removed']);
  });

  it('decides on nothing where there is nothing', () => {
    expect(applyRetention(DEFAULT_RETENTION, [])).toEqual({ keep: [], remove: [], reasons: {} });
  });

  it('takes a name for what it is, even one that objects know', () => {
    const { reasons } = applyRetention(DEFAULT_RETENTION, [{ name: '__proto__', startedAt: 0 }]);
    expect(Object.entries(reasons)).toHaveLength(1);
  });
});

describe('retention, for any snapshots and any policy', () => {
  const count = fc.oneof(fc.integer({ min: 0, max: 12 }), fc.constant(MAX_KEPT));
  const policies = fc.record({
    keepLast: count,
    keepDaily: count,
    keepWeekly: count,
    keepMonthly: count,
    keepYearly: count,
  });
  const someTimes = fc.oneof(
    fc.integer({ min: 0, max: 400 * 24 }).map((hours) => Date.UTC(2023, 10, 1) + hours * HOUR),
    fc.integer({ min: -2_000_000_000_000, max: 4_000_000_000_000 }),
  );
  const histories = fc
    .array(someTimes, { maxLength: 120 })
    .map((times) => times.map((startedAt, index) => ({ name: `s${index}`, startedAt })));

  const check = (property: (policy: RetentionPolicy, history: readonly Taken[]) => void): void =>
    fc.assert(fc.property(policies, histories, property), { numRuns: 300 });

  it('puts every snapshot on one side and gives each a reason', () => {
    check((policy, history) => {
      const { keep, remove, reasons } = applyRetention(policy, history);
      expect([...keep, ...remove].map(({ name }) => name).sort()).toEqual(names(history).sort());
      for (const { name } of history) expect(reasons[name]?.length).toBeGreaterThan(0);
    });
  });

  it('keeps the newest', () => {
    check((policy, history) => {
      const newest = Math.max(...history.map(({ startedAt }) => startedAt));
      const { keep } = applyRetention(policy, history);
      if (history.length > 0) expect(keep[0]?.startedAt).toBe(newest);
    });
  });

  it('answers the same in whatever order the snapshots come', () => {
    check((policy, history) => {
      const forward = applyRetention(policy, history);
      expect(applyRetention(policy, history.toReversed())).toEqual(forward);
    });
  });

  it('removes nothing more when applied again to what it kept', () => {
    check((policy, history) => {
      const { keep } = applyRetention(policy, history);
      const again = applyRetention(policy, keep);
      expect(again.remove).toEqual([]);
    });
  });

  it('keeps no more than all rules together allow, and at least what the largest asks for', () => {
    check((policy, history) => {
      const { keep } = applyRetention(policy, history);
      const allowed = Object.values(policy).reduce((sum, rule) => sum + rule, 0);
      expect(keep.length).toBeLessThanOrEqual(Math.max(1, allowed));
      expect(keep.length).toBeGreaterThanOrEqual(Math.min(policy.keepLast, history.length));
    });
  });

  it('keeps as many days as there are, up to the rule, and the newest of each', () => {
    check((policy, history) => {
      const { keep } = applyRetention({ ...NOTHING, keepDaily: policy.keepDaily }, history);
      const dayOf = ({ startedAt }: Taken): number => Math.floor(startedAt / DAY);
      const days = [...new Set(history.map(dayOf))].sort((a, b) => b - a);
      const expected = days.slice(0, policy.keepDaily === 0 ? 1 : policy.keepDaily);
      expect(keep.map(dayOf)).toEqual(expected);
      for (const snapshot of keep) {
        const sameDay = history.filter((other) => dayOf(other) === dayOf(snapshot));
        expect(snapshot.startedAt).toBe(Math.max(...sameDay.map(({ startedAt }) => startedAt)));
      }
    });
  });

  it('gives Monday to Sunday one week, and the next Monday another', () => {
    const mondays = fc.integer({ min: 0, max: 4_000 }).map((week) => (4 + 7 * week) * DAY);
    fc.assert(
      fc.property(mondays, fc.integer({ min: 0, max: 7 * DAY - 1 }), (monday, into) => {
        const weekly = { ...NOTHING, keepWeekly: 5 };
        const same = [monday, monday + into].map((startedAt, index) => ({ name: `${index}`, startedAt }));
        const next = [monday + into, monday + 7 * DAY].map((startedAt, index) => ({
          name: `${index}`,
          startedAt,
        }));
        expect(applyRetention(weekly, same).keep).toHaveLength(1);
        expect(applyRetention(weekly, next).keep).toHaveLength(2);
      }),
    );
  });

  it('keeps a snapshot until newer ones push it out: a longer rule never keeps less', () => {
    check((policy, history) => {
      const longer = Object.fromEntries(
        Object.entries(policy).map(([rule, value]) => [rule, value + 1]),
      ) as unknown as RetentionPolicy;
      const keptNow = new Set(names(applyRetention(policy, history).keep));
      const keptLonger = new Set(names(applyRetention(longer, history).keep));
      for (const name of keptNow) expect(keptLonger).toContain(name);
    });
  });
});

describe('a policy that an operator gives', () => {
  it('is accepted with whole numbers in range', () => {
    expect(retentionProblems(DEFAULT_RETENTION)).toEqual([]);
    expect(retentionProblems({ ...NOTHING, keepLast: MAX_KEPT })).toEqual([]);
  });

  it.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, MAX_KEPT + 1])('is refused with %d', (count) => {
    expect(retentionProblems({ ...DEFAULT_RETENTION, keepWeekly: count })).toEqual([
      {
        path: '/retention/keep_weekly',
        message: 'A whole number from 0 to 10000; 0 switches the rule off.',
      },
    ]);
  });
});

describe('damaged snapshots', () => {
  const POLICY = { keepLast: 1, keepDaily: 0, keepWeekly: 0, keepMonthly: 0, keepYearly: 0 };
  const damaged = { at: 0, outcome: 'damaged', files: 0, bytes: 0, detail: 'rotten' } as const;
  const taken = (name: string, startedAt: number, isBad = false) => ({
    name,
    startedAt,
    check: isBad ? damaged : null,
  });

  it('replace no other, and stay as long as a rule would keep them', () => {
    const snapshots = [taken('old', 1), taken('good', 2), taken('bad', 3, true)];
    const { keep, remove, reasons } = retainSnapshots(POLICY, snapshots, NOW);
    expect(keep.map(({ name }) => name)).toEqual(['bad', 'good']);
    expect(remove.map(({ name }) => name)).toEqual(['old']);
    expect(reasons['bad']).toEqual([expect.stringContaining('damaged')]);
  });

  it('go once no rule would keep them', () => {
    const { keep, remove } = retainSnapshots(POLICY, [taken('bad', 1, true), taken('good', 2)], NOW);
    expect(keep.map(({ name }) => name)).toEqual(['good']);
    expect(remove.map(({ name }) => name)).toEqual(['bad']);
  });

  it('leave the newest where all are damaged', () => {
    const { keep } = retainSnapshots(POLICY, [taken('a', 1, true), taken('b', 2, true)], NOW);
    expect(keep.map(({ name }) => name)).toEqual(['b']);
  });
});

describe('pinned snapshots', () => {
  it('stay, and count for the rules like any other', () => {
    const keepOne = { ...NOTHING, keepLast: 1 };
    const taken = (name: string, startedAt: number, pinnedAt: number | null = null) => ({
      name,
      startedAt,
      pinnedAt,
      check: null,
    });
    const all = [taken('pinned', 1, 5), taken('old', 2), taken('new', 3)];
    const { keep, remove, reasons } = retainSnapshots(keepOne, all, NOW);
    expect(keep.map(({ name }) => name)).toEqual(['new', 'pinned']);
    expect(remove.map(({ name }) => name)).toEqual(['old']);
    expect(reasons['pinned']).toEqual(['pinned']);
    expect(retainSnapshots(keepOne, [taken('a', 1), taken('b', 2, 5)], NOW).remove).toHaveLength(1);
  });
});

describe('Snapshots that a wrong clock has dated in the future', () => {
  it('stay, and take no place of those that are made today', () => {
    const keepOne = { ...NOTHING, keepLast: 1 };
    const taken = (name: string, startedAt: number) => ({ name, startedAt, check: null });
    const future = taken('future', NOW + 395 * 86_400_000);
    const all = [taken('old', NOW - 9_000), taken('today', NOW - 1_000), future];
    const { keep, remove, reasons } = retainSnapshots(keepOne, all, NOW);
    expect(keep.map(({ name }) => name)).toEqual(['future', 'today']);
    expect(remove.map(({ name }) => name)).toEqual(['old']);
    expect(reasons['future']).toEqual(['dated in the future: no rule counts it']);
    expect(retainSnapshots(keepOne, [future], NOW).remove).toEqual([]);
  });
});
