import { describe, expect, test } from 'vitest';
import { DAY } from '../../../src/domain/base/instant.ts';
import { fillingDisk, fullAt } from '../../../src/domain/fleet/disk-forecast.ts';
import type { Sample } from '../../../src/domain/fleet/sample.ts';

const AT = Date.UTC(2026, 10, 20);

/** One sample a day, the last one at `AT`; of each file system its use, of 100. */
const days = (disks: Readonly<Record<string, readonly number[]>>, total = 100): readonly Sample[] => {
  const length = Math.max(...Object.values(disks).map((each) => each.length));
  return Array.from({ length }, (_, day) => ({
    at: AT - (length - 1 - day) * DAY,
    load: 0,
    memoryTotalBytes: 1,
    memoryUsedBytes: 0,
    disks: Object.entries(disks).flatMap(([mount, used]) => {
      const usedBytes = used[day];
      return usedBytes === undefined ? [] : [{ mount, usedBytes, totalBytes: total }];
    }),
    updates: null,
    securityUpdates: null,
    containers: null,
    activity: null,
  }));
};

describe('the forecast of a file system', () => {
  test('goes on from its latest use at its rate', () => {
    expect(fullAt(days({ '/': [70, 72, 74, 76, 78, 80] }), '/')).toBe(AT + 10 * DAY);
    expect(fullAt(days({ '/': [96, 97, 98, 99, 100] }), '/')).toBe(AT);
  });

  test.each([
    ['shrinks', [80, 78, 76, 74, 72]],
    ['stays', [70, 70, 70, 70, 70]],
    ['goes up and down', [70, 40, 75, 38, 72, 41, 74, 45]],
    ['grows too slowly to matter', [50, 50.001, 50.002, 50.003, 50.004]],
    ['has too few samples', [70, 80, 90]],
    ['is not there', []],
  ])('says nothing of one that %s', (_, used) => {
    expect(fullAt(days({ '/': used, '/other': [1, 1, 1, 1, 1, 1, 1, 1] }), '/')).toBeNull();
  });

  test('goes by the samples since it was resized', () => {
    const before = days({ '/': [10, 20, 30, 40] }, 50);
    const after = days({ '/': [60, 61, 62] });
    expect(fullAt([...before.map((each) => ({ ...each, at: each.at - 3 * DAY })), ...after], '/')).toBeNull();
  });
});

test('of several file systems the first to be full counts, unless there is much space left', () => {
  const samples = days({
    '/': [70, 71, 72, 73, 74],
    '/srv': [80, 82, 84, 86, 88],
    '/new': [1, 9, 17, 25, 33],
  });
  expect(fillingDisk(samples)).toEqual({ mount: '/srv', at: AT + 6 * DAY });
  expect(fillingDisk(days({ '/new': [1, 9, 17, 25, 33] }))).toBeNull();
  expect(fillingDisk([])).toBeNull();
});
