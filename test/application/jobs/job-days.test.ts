import { beforeEach, expect, test } from 'vitest';
import { GetJobDays } from '../../../src/application/jobs/job-days.ts';
import type { EndedJobs } from '../../../src/application/ports/jobs/job-store.ts';
import { Actor } from '../../../src/domain/access/actor.ts';
import { DAY, HOUR } from '../../../src/domain/base/instant.ts';
import { FakeClock } from '../../fakes/fake-clock.ts';

const VIEWER = Actor.operator('ann');
const TODAY = 20_000 * DAY;

let clock: FakeClock;
/** Ranges that were read, in days from the first today. */
let read: readonly (readonly [number, number])[];
let days: GetJobDays;
beforeEach(() => {
  clock = new FakeClock(TODAY + HOUR);
  read = [];
  const endedPerDay = async (from: number, until: number): Promise<readonly EndedJobs[]> => {
    read = [...read, [(from - TODAY) / DAY, (until - TODAY) / DAY]];
    return Array.from({ length: (until - from) / DAY }, (_, index) => ({
      day: from + index * DAY,
      jobType: 'backup',
      status: 'success',
      jobs: 1,
    }));
  };
  days = new GetJobDays({ jobs: { endedPerDay } as never, clock });
});

const oneADay = async (): Promise<void> => {
  const { all } = await days.execute(VIEWER, 30);
  expect(all).toHaveLength(30);
  expect(all.every(({ succeeded, failed }) => succeeded === 1 && failed === 0)).toBe(true);
};

test('Each past day is read once, and today each time', async () => {
  await oneADay();
  await oneADay();
  expect(read).toEqual([
    [-29, 0],
    [0, 1],
    [0, 1],
  ]);
  await clock.advance(DAY);
  await oneADay();
  expect(read.slice(3)).toEqual([
    [0, 1],
    [1, 2],
  ]);
});

test('Two who ask at the same time read past days once', async () => {
  await Promise.all([oneADay(), oneADay()]);
  expect(read.filter(([from]) => from < 0)).toEqual([[-29, 0]]);
});
