import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  EMPTY_LOG,
  earliestTail,
  extendLog,
  LOG_PART_BYTES,
  latestLines,
  logWindow,
  splitLines,
} from '../../../src/domain/jobs/job-log.ts';

const LIMITS = { headBytes: 100, tailBytes: 100 };
const appends = fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 40 });

const afterAll = (counts: readonly number[]) =>
  counts.reduce((log, count) => {
    const extent = extendLog(log, count, LIMITS);
    const earliest = earliestTail(extent, LIMITS);
    return earliest === null ? extent : { ...extent, tailStart: earliest };
  }, EMPTY_LOG);

describe('a log', () => {
  it('counts everything, and keeps no more than its limits', () => {
    fc.assert(
      fc.property(appends, (counts) => {
        const log = afterAll(counts);
        expect(log.bytes).toBe(counts.reduce((sum, count) => sum + count, 0));
        expect(log.headEnd).toBeLessThanOrEqual(LIMITS.headBytes);
        expect(log.headEnd).toBeLessThanOrEqual(log.tailStart);
        expect(log.bytes - log.tailStart).toBeLessThanOrEqual(LIMITS.tailBytes);
        if (log.bytes <= LIMITS.headBytes)
          expect(log).toEqual({ bytes: log.bytes, headEnd: log.bytes, tailStart: log.bytes });
      }),
    );
  });

  it('is read from end to end without a gap or an overlap, the cut told in between', () => {
    fc.assert(
      fc.property(appends, fc.integer({ min: 0, max: 3_000 }), (counts, start) => {
        const log = afterAll(counts);
        let at = Math.min(start, log.bytes);
        for (let window = logWindow(log, at); window.to > at; window = logWindow(log, at)) {
          expect(window.from).toBe(at + window.cutBytes);
          expect(window.to - window.from).toBeLessThanOrEqual(LOG_PART_BYTES);
          const inHead = window.from < log.headEnd && window.to <= log.headEnd;
          expect(inHead || window.from >= log.tailStart).toBe(true);
          at = window.to;
        }
        expect(at).toBe(log.bytes);
      }),
    );
  });
});

describe('the latest lines', () => {
  it('are the last of all, at most 8 and 2 KB, and always one', () => {
    const parts = fc.array(fc.array(fc.string({ unit: 'grapheme', maxLength: 700 }), { minLength: 1 }), {
      minLength: 1,
    });
    fc.assert(
      fc.property(parts, (written) => {
        const lines = written.map((part) => part.map((line) => line.replaceAll('\n', '')));
        const kept = lines.reduce<readonly string[]>(
          (before, part) => latestLines(before, `${part.join('\n')}\n`),
          [],
        );
        expect(kept.length).toBeGreaterThan(0);
        expect(kept.length).toBeLessThanOrEqual(8);
        expect(Buffer.byteLength(kept.join(''))).toBeLessThanOrEqual(2_048);
        const all = lines.flat();
        expect(all.slice(-kept.length).slice(1)).toEqual(kept.slice(1));
        expect(all.at(-kept.length)?.startsWith((kept[0] ?? '').replace(/…$/, ''))).toBe(true);
      }),
    );
  });
});

it('splits whole lines, empty ones too', () => {
  expect(splitLines('')).toEqual([]);
  expect(splitLines('\n')).toEqual(['']);
  expect(splitLines('a\n\nb\r\n')).toEqual(['a', '', 'b\r']);
});
