import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CronClock } from '../../src/application/ports/automation/cron-clock.ts';
import { DAY, HOUR, MINUTE, toIso } from '../../src/domain/base/instant.ts';
import { rounds } from '../support/rounds.ts';

/** Zones whose clocks change by an hour, by half an hour, at midnight, in the other half of the year, and never. */
const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  'America/Havana',
  'Australia/Lord_Howe',
  'Asia/Kolkata',
  'UTC',
];

const times = (clock: CronClock, expression: string, timeZone: string, after: string, count: number) => {
  const found: string[] = [];
  for (let at: number | null = Date.parse(after); found.length < count; ) {
    at = clock.next({ expression, timeZone }, at);
    if (at === null) break;
    found.push(toIso(at).slice(0, 16));
  }
  return found;
};

/** What every `CronClock` does. */
export function cronClockContract(name: string, clock: CronClock): void {
  describe(`CronClock: ${name}`, () => {
    it.each([
      ['0 3 * * *', ['2026-01-15T03:00', '2026-01-16T03:00']],
      ['*/20 * * * *', ['2026-01-15T00:20', '2026-01-15T00:40']],
      ['5,35 6-8 * * *', ['2026-01-15T06:05', '2026-01-15T06:35']],
      ['0 0 1 * *', ['2026-02-01T00:00', '2026-03-01T00:00']],
      ['30 4 * * 0', ['2026-01-18T04:30', '2026-01-25T04:30']],
      ['30 4 * * 7', ['2026-01-18T04:30', '2026-01-25T04:30']],
      ['0 12 13 * 5', ['2026-01-16T12:00', '2026-01-23T12:00']],
      ['0 0 29 2 *', ['2028-02-29T00:00']],
      ['@daily', ['2026-01-16T00:00', '2026-01-17T00:00']],
    ])('%s comes in UTC at %j', (expression, expected) => {
      expect(times(clock, expression, 'UTC', '2026-01-15T00:00:00Z', expected.length)).toEqual(expected);
    });

    it('reads the clocks of the time zone', () => {
      expect(times(clock, '30 9 * * *', 'Asia/Kolkata', '2026-01-15T00:00:00Z', 1)).toEqual([
        '2026-01-15T04:00',
      ]);
    });

    it('takes a time that the clocks skip for the first moment after the gap', () => {
      expect(times(clock, '30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', 2)).toEqual([
        '2026-03-29T01:00',
        '2026-03-30T00:30',
      ]);
      expect(times(clock, '15 0 * * *', 'America/Havana', '2026-03-07T12:00:00Z', 2)).toEqual([
        '2026-03-08T05:00',
        '2026-03-09T04:15',
      ]);
      expect(times(clock, '0 2 * * *', 'Australia/Lord_Howe', '2026-10-03T00:00:00Z', 2)).toEqual([
        '2026-10-03T15:30',
        '2026-10-04T15:00',
      ]);
    });

    it('takes the first of two times that are the same on the clock', () => {
      expect(times(clock, '30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', 2)).toEqual([
        '2026-10-25T00:30',
        '2026-10-26T01:30',
      ]);
    });

    it('comes with several times an hour or a day at just those that the clock shows', () => {
      expect(times(clock, '0 * * * *', 'Europe/Berlin', '2026-10-24T23:30:00Z', 3)).toEqual([
        '2026-10-25T00:00',
        '2026-10-25T01:00',
        '2026-10-25T02:00',
      ]);
      expect(times(clock, '0 2,3 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', 2)).toEqual([
        '2026-03-29T01:00',
        '2026-03-30T00:00',
      ]);
    });

    it.each(ZONES)('comes once on each day of a year in %s, whatever the time of day', (timeZone) => {
      const start = Date.UTC(2026, 0, 1, 12);
      fc.assert(
        fc.property(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }), (hour, minute) => {
          const rule = { expression: `${minute} ${hour} * * *`, timeZone };
          const format = new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short' });
          const days: string[] = [];
          for (let at = clock.next(rule, start); at !== null && at < start + 365 * DAY; ) {
            days.push(format.format(at));
            at = clock.next(rule, at);
          }
          expect(days.length).toBeGreaterThanOrEqual(364);
          expect(new Set(days).size).toBe(days.length);
          const first = Date.parse(`${days[0]}T00:00:00Z`);
          const last = Date.parse(`${days.at(-1)}T00:00:00Z`);
          expect((last - first) / DAY).toBe(days.length - 1);
        }),
        { numRuns: rounds(1, 25) },
      );
    });

    it.each(ZONES)('goes on every quarter of an hour in %s through all changes of the clocks', (timeZone) => {
      const rule = { expression: '*/15 * * * *', timeZone };
      for (const near of [
        Date.UTC(2026, 2, 8),
        Date.UTC(2026, 2, 29),
        Date.UTC(2026, 9, 25),
        Date.UTC(2026, 9, 3),
      ]) {
        for (let at = near; at < near + DAY; at += 15 * MINUTE) {
          expect(clock.next(rule, at)).toBe(at + 15 * MINUTE);
        }
      }
    });

    it('looks back as it looks ahead: nothing lies between the last time and the next', () => {
      const rule = fc.record({
        expression: fc.constantFrom('30 2 * * *', '0 */6 * * *', '15 0 * * 1', '*/10 1-3 * * *'),
        timeZone: fc.constantFrom(...ZONES),
      });
      const moment = fc.integer({ min: Date.UTC(2026, 0, 10), max: Date.UTC(2026, 11, 20) });
      fc.assert(
        fc.property(rule, moment, (each, at) => {
          const last = clock.last(each, at);
          const next = clock.next(each, at);
          if (last === null || next === null) throw new Error('these rules always come again');
          expect(last).toBeLessThanOrEqual(at);
          expect(next).toBeGreaterThan(at);
          expect(clock.next(each, last)).toBe(next);
          expect(clock.last(each, next - 1)).toBe(last);
          expect(clock.last(each, next)).toBe(next);
        }),
        { numRuns: 40 },
      );
    });

    it('counts a moment itself as past', () => {
      const rule = { expression: '0 12 * * *', timeZone: 'UTC' };
      const noon = Date.UTC(2026, 0, 15, 12);
      expect(clock.last(rule, noon)).toBe(noon);
      expect(clock.last(rule, noon - 1)).toBe(noon - DAY);
      expect(clock.last(rule, noon + 999)).toBe(noon);
      expect(clock.next(rule, noon)).toBe(noon + DAY);
      expect(clock.next(rule, noon - 1)).toBe(noon);
      expect(clock.next(rule, noon - HOUR - 1)).toBe(noon);
    });

    it.each([
      ['* * * *', 'UTC', '/cron'],
      ['* * * * * *', 'UTC', '/cron'],
      ['61 * * * *', 'UTC', '/cron'],
      ['0 0 * * 8', 'UTC', '/cron'],
      ['0 0 31 2 *', 'UTC', '/cron'],
      ['2026-10-25T00:00:00Z', 'UTC', '/cron'],
      ['', 'UTC', '/cron'],
      ['0 3 * * *', 'Mars/Olympus', '/time_zone'],
    ])('refuses "%s" in %s', (expression, timeZone, path) => {
      expect(() => clock.check({ expression, timeZone }, Date.UTC(2026, 0, 15))).toThrow(
        expect.objectContaining({ code: 'invalid_input', problems: [{ path, message: expect.any(String) }] }),
      );
    });

    it('takes what it can read', () => {
      for (const timeZone of ZONES)
        clock.check({ expression: '30 2 * * 0', timeZone }, Date.UTC(2026, 0, 15));
    });
  });
}
