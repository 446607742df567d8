import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  catchUp,
  delayOf,
  jitterOf,
  onlyServer,
  TOLERANCE_MS,
} from '../../../src/domain/automation/schedule.ts';
import { HOUR, MINUTE } from '../../../src/domain/base/instant.ts';

describe('catching up', () => {
  const slots = fc
    .uniqueArray(fc.integer({ min: 0, max: 10_000_000 }), { maxLength: 20 })
    .map((times) => times.toSorted((a, b) => a - b));

  it('runs the last slot within its tolerance, and notes every other as missed, once', () => {
    fc.assert(
      fc.property(slots, fc.nat(4_000_000), (times, late) => {
        const last = times.at(-1);
        const now = (last ?? 0) + late;
        const { run, missed } = catchUp(times, now);
        expect(run).toBe(last !== undefined && late <= TOLERANCE_MS ? last : null);
        expect([...missed, ...(run === null ? [] : [run])]).toEqual(times);
      }),
    );
  });

  it('is half an hour patient, to the millisecond', () => {
    expect(catchUp([0], 30 * MINUTE)).toEqual({ run: 0, missed: [] });
    expect(catchUp([0], 30 * MINUTE + 1)).toEqual({ run: null, missed: [0] });
    expect(catchUp([], 5)).toEqual({ run: null, missed: [] });
  });
});

describe('jitter', () => {
  it('is the same each time, and stays within its bound', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.integer({ min: 1 }),
        fc.integer({ min: 0, max: HOUR }),
        (name, server, jitterMs) => {
          const delay = jitterOf({ name, jitterMs }, server);
          expect(delay).toBe(jitterOf({ name, jitterMs }, server));
          expect(delay).toBeGreaterThanOrEqual(0);
          expect(delay).toBeLessThanOrEqual(jitterMs);
        },
      ),
    );
  });

  it('spreads servers over the whole of it', () => {
    const buckets = Array.from({ length: 10 }, () => 0);
    for (let server = 1; server <= 1_000; server += 1) {
      const bucket = Math.floor((10 * jitterOf({ name: 'nightly', jitterMs: HOUR }, server)) / (HOUR + 1));
      buckets[bucket] = (buckets[bucket] ?? 0) + 1;
    }
    for (const count of buckets) expect(count).toBeGreaterThan(60);
  });

  it('delays a schedule of one server, and of several only the servers themselves', () => {
    const one = { name: 'nightly', jitterMs: HOUR, selector: { by: 'ids', ids: [7] } } as const;
    expect(onlyServer(one)).toBe(7);
    expect(delayOf(one)).toBe(jitterOf(one, 7));
    for (const selector of [
      { by: 'ids', ids: [7, 8] },
      { by: 'tags', tags: ['web'] },
      { by: 'all' },
    ] as const) {
      expect(onlyServer({ selector })).toBeNull();
      expect(delayOf({ ...one, selector })).toBe(0);
    }
  });
});
