import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type BatchBounds,
  batchBounds,
  type MemberCounts,
  NO_MEMBERS,
  nextStep,
  totalOf,
} from '../../../src/domain/automation/batch.ts';
import type { InvalidInput } from '../../../src/domain/base/errors.ts';

type Fate = 'success' | 'failed' | 'cancelled' | 'skipped';

const fate = fc.oneof(
  { weight: 5, arbitrary: fc.constant<Fate>('success') },
  fc.constantFrom<Fate>('failed', 'cancelled', 'skipped'),
);
const bounds: fc.Arbitrary<BatchBounds> = fc.record({
  maxParallel: fc.integer({ min: 1, max: 6 }),
  canary: fc.integer({ min: 0, max: 5 }),
  stopAfterFailures: fc.option(fc.integer({ min: 1, max: 4 })),
});

/** Plays a batch to its end: each host's result is fixed, and the next job to end is random. */
function play(limits: BatchBounds, fates: readonly Fate[], draws: readonly number[]) {
  const counts: Record<keyof MemberCounts, number> = { ...NO_MEMBERS, waiting: fates.length };
  const active: Fate[] = [];
  const turns = [...fates];
  const ends: Fate[] = [];
  let stopReason: string | null = null;
  let mostActive = 0;
  let started = 0;
  let startedBeforeCanaries = 0;
  let startedAfterStop = 0;
  for (let round = 0; round < 1_000; round += 1) {
    const step = nextStep({ bounds: limits, counts, stopReason, cancelRequestedAt: null, orders: [] });
    if (step.do === 'finish') {
      return {
        status: step.status,
        counts,
        ends,
        mostActive,
        started,
        startedBeforeCanaries,
        startedAfterStop,
      };
    }
    if (step.do === 'stop') {
      stopReason = step.reason;
      counts.left_out += counts.waiting;
      counts.waiting = 0;
    } else if (step.do === 'start') {
      for (let taken = 0; taken < step.count && turns.length > 0; ) {
        const next = turns.shift() as Fate;
        counts.waiting -= 1;
        if (next === 'skipped') {
          counts.skipped += 1;
          continue;
        }
        if (counts.success < limits.canary) startedBeforeCanaries += 1;
        if (stopReason !== null) startedAfterStop += 1;
        active.push(next);
        counts.active += 1;
        started += 1;
        taken += 1;
      }
      mostActive = Math.max(mostActive, active.length);
    } else {
      const [ended = 'success'] = active.splice((draws[round % draws.length] ?? 0) % active.length, 1);
      counts.active -= 1;
      counts[ended] += 1;
      ends.push(ended);
    }
  }
  throw new Error('it never ended');
}

const game = [
  bounds,
  fc.array(fate, { minLength: 1, maxLength: 25 }),
  fc.array(fc.nat(), { minLength: 1 }),
] as const;

describe('the steps of a batch', () => {
  it('always come to an end, keep every host in the count, and start no more at once than allowed', () => {
    fc.assert(
      fc.property(...game, (limits, fates, draws) => {
        const { counts, mostActive } = play(limits, fates, draws);
        expect(totalOf(counts)).toBe(fates.length);
        expect([counts.waiting, counts.active]).toEqual([0, 0]);
        expect(mostActive).toBeLessThanOrEqual(limits.maxParallel);
      }),
    );
  });

  it('start with the canaries, and go on only when all of them have succeeded', () => {
    fc.assert(
      fc.property(...game, (limits, fates, draws) => {
        const { started, startedBeforeCanaries, ends } = play(limits, fates, draws);
        expect(startedBeforeCanaries).toBeLessThanOrEqual(limits.canary);
        if (started <= limits.canary) return;
        expect(ends.slice(0, limits.canary)).toEqual(Array(limits.canary).fill('success'));
      }),
    );
  });

  it('start nothing after the limit of failed jobs, though running ones go on', () => {
    fc.assert(
      fc.property(...game, (limits, fates, draws) => {
        const { counts, startedAfterStop, status } = play(limits, fates, draws);
        expect(startedAfterStop).toBe(0);
        const { stopAfterFailures: limit, maxParallel } = limits;
        if (limit !== null) expect(counts.failed).toBeLessThanOrEqual(limit - 1 + maxParallel);
        if (limit !== null && counts.left_out > 0 && limits.canary === 0) {
          expect(counts.failed).toBeGreaterThanOrEqual(limit);
        }
        expect(status === 'stopped').toBe(counts.left_out > 0);
      }),
    );
  });

  it('end well only where every job that was started succeeded, and one was', () => {
    fc.assert(
      fc.property(...game, (limits, fates, draws) => {
        const { counts, status, started } = play(limits, fates, draws);
        const well = started > 0 && counts.success === started && counts.left_out === 0;
        expect(status === 'success').toBe(well);
      }),
    );
  });

  it('start as many as there is room for', () => {
    const step = nextStep({
      bounds: batchBounds({ maxParallel: 4, canary: 2 }),
      counts: { ...NO_MEMBERS, waiting: 9, active: 1, success: 2 },
      stopReason: null,
      cancelRequestedAt: null,
      orders: [],
    });
    expect(step).toEqual({ do: 'start', count: 3 });
  });

  it('take another host for a canary that got no job', () => {
    const step = nextStep({
      bounds: batchBounds({ canary: 2 }),
      counts: { ...NO_MEMBERS, waiting: 9, skipped: 3, success: 1 },
      stopReason: null,
      cancelRequestedAt: null,
      orders: [],
    });
    expect(step).toEqual({ do: 'start', count: 1 });
  });

  it('stop with a reason that says what happened', () => {
    const state = { stopReason: null, cancelRequestedAt: null, orders: [] };
    expect(
      nextStep({
        ...state,
        bounds: batchBounds({ canary: 2 }),
        counts: { ...NO_MEMBERS, waiting: 9, failed: 1, active: 1 },
      }),
    ).toEqual({ do: 'stop', reason: 'A canary failed, so Drover started no other servers.' });
    expect(
      nextStep({
        ...state,
        bounds: batchBounds({ stopAfterFailures: 2 }),
        counts: { ...NO_MEMBERS, waiting: 9, failed: 3, success: 8 },
      }),
    ).toEqual({ do: 'stop', reason: '3 jobs failed; the limit is 2.' });
  });

  it('ask jobs to stop once it is cancelled, and end as cancelled when they have', () => {
    const batch = { bounds: batchBounds({}), stopReason: null, cancelRequestedAt: 1, orders: [] };
    expect(nextStep({ ...batch, counts: { ...NO_MEMBERS, active: 2, left_out: 5 } })).toEqual({
      do: 'cancel_jobs',
    });
    expect(nextStep({ ...batch, counts: { ...NO_MEMBERS, success: 2, left_out: 5 } })).toEqual({
      do: 'finish',
      status: 'cancelled',
    });
  });
});

describe('the bounds of a batch', () => {
  it('are ten at once, no canary and no stop, unless they are given', () => {
    expect(batchBounds({})).toEqual({ maxParallel: 10, canary: 0, stopAfterFailures: null });
    expect(batchBounds({ maxParallel: 3, canary: 1, stopAfterFailures: 2 })).toEqual({
      maxParallel: 3,
      canary: 1,
      stopAfterFailures: 2,
    });
  });

  it('are refused where they mean nothing, every fault named', () => {
    expect(() => batchBounds({ maxParallel: 0, canary: -1, stopAfterFailures: 0.5 })).toThrow(
      expect.objectContaining<Partial<InvalidInput>>({
        code: 'invalid_input',
        problems: ['/max_parallel', '/canary', '/stop_after_failures'].map((path) => ({
          path,
          message: expect.any(String),
        })),
      }),
    );
  });
});
