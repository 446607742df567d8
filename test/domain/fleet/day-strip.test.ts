import { describe, expect, it } from 'vitest';
import { DAY, HOUR } from '../../../src/domain/base/instant.ts';
import { lastDays, sourceDays } from '../../../src/domain/fleet/day-strip.ts';
import type { JobStatus } from '../../../src/domain/jobs/job.ts';

const days = lastDays(10 * DAY + HOUR, 5);
const [first = 0, second = 0, third = 0] = days;
const www = { id: 1, name: 'www', createdAt: 0 };

const job = (id: number, status: JobStatus, day: number, sourceFilter: string | null = null) => ({
  id,
  status,
  finishedAt: day + HOUR,
  params: { sourceFilter, service: null, osSteps: null, dryRun: false },
});
const snapshot = (jobId: number | null, day: number) => ({ sourceId: 1, jobId, finishedAt: day + HOUR });
const wordsOf = (...all: Parameters<typeof sourceDays>): string =>
  sourceDays(...all)
    .map(({ succeeded, failed }) => `${succeeded}/${failed}`)
    .join(' ');

describe('The days of a backup source', () => {
  it('count a backup whose snapshot was removed by retention', () => {
    expect(
      wordsOf(www, [job(1, 'success', first), job(2, 'success', second)], [snapshot(2, second)], days),
    ).toBe('1/0 1/0 0/0 0/0 0/0');
  });

  it('leave out backups of other sources, and those from before it was added', () => {
    const jobs = [job(1, 'success', first), job(2, 'success', second, 'etc'), job(3, 'failed', third, 'www')];
    expect(wordsOf({ ...www, createdAt: second }, jobs, [], days)).toBe('0/0 0/0 0/1 0/0 0/0');
  });

  it('count its snapshot in a failed job as a success, and one whose job was deleted', () => {
    expect(wordsOf(www, [job(1, 'failed', first)], [snapshot(1, first), snapshot(null, second)], days)).toBe(
      '1/0 1/0 0/0 0/0 0/0',
    );
  });
});
