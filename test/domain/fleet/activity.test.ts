import { describe, expect, test } from 'vitest';
import { HOUR } from '../../../src/domain/base/instant.ts';
import { type Activity, rateOf } from '../../../src/domain/fleet/activity.ts';

const AT = 1_000 * HOUR;
const activity = (over: Partial<Activity> = {}): Activity => ({
  bootId: 'one',
  receivedBytes: 1_000,
  sentBytes: null,
  readBytes: 0,
  writtenBytes: 0,
  swapTotalBytes: null,
  swapUsedBytes: null,
  ...over,
});
const before = { at: AT, activity: activity() };
const rate = (over: Partial<Activity>, at = AT + HOUR) =>
  rateOf('receivedBytes', before, { at, activity: activity(over) }, 'hour');

describe('What a host transfers', () => {
  test('is the average since the sample before', () => {
    expect(rate({ receivedBytes: 1_000 + 3_600 * 250 })).toBe(250);
    expect(rate({})).toBe(0);
  });

  test('is a gap, not a spike, after a boot, a counter that starts again, and missing samples', () => {
    expect(rate({ receivedBytes: 999 })).toBeNull();
    expect(rate({ receivedBytes: 9_000, bootId: 'two' })).toBeNull();
    expect(rate({ receivedBytes: 9_000 }, AT + 3 * HOUR)).toBeNull();
    expect(rate({ receivedBytes: 9_000 }, AT)).toBeNull();
    expect(rate({ receivedBytes: null })).toBeNull();
    expect(rateOf('receivedBytes', undefined, before, 'hour')).toBeNull();
    expect(
      rateOf('receivedBytes', { at: AT, activity: null }, { ...before, at: AT + HOUR }, 'hour'),
    ).toBeNull();
    expect(rateOf('sentBytes', before, { ...before, at: AT + HOUR }, 'hour')).toBeNull();
  });
});
