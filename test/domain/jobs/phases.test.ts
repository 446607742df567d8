import { describe, expect, test } from 'vitest';
import type { Job } from '../../../src/domain/jobs/job.ts';
import { phaseSpans, timeLeft, usualDuration } from '../../../src/domain/jobs/job-pace.ts';
import { type JobPhase, MAX_PHASES, withPhase } from '../../../src/domain/jobs/phases.ts';

const BACKUP: Job = {
  id: 1,
  serverId: 1,
  serverName: 'web',
  jobType: 'backup',
  lane: 'backup',
  status: 'running',
  params: { sourceFilter: null, service: null, osSteps: null, dryRun: false },
  createdAt: 0,
  startedAt: 0,
  finishedAt: null,
  current: null,
  percent: null,
  phases: [],
  summary: null,
  scheduled: false,
  requestedBy: 'user:ann',
  requester: null,
  reason: null,
  error: null,
  result: null,
  logTail: [],
  cancelRequestedAt: null,
};
const job = (other: Partial<Job> = {}): Job => ({ ...BACKUP, ...other });
const bytes = (done: number, total: number) => ({ done, total, unit: 'bytes' }) as const;
const at = (startedAt: number, amount: JobPhase['amount'] = null, name = `step ${startedAt}`): JobPhase => ({
  name,
  startedAt,
  amount,
});
const running = (phases: readonly JobPhase[]): Job => job({ status: 'running', startedAt: 0, phases });

describe('Phases of a job', () => {
  test('start once each, and keep the last amount', () => {
    const first = withPhase([], { name: 'Reading', amount: null }, 1_000);
    const second = withPhase(first, { name: 'Transferring', amount: bytes(1, 9) }, 2_000);
    const later = withPhase(second, { name: 'Transferring', amount: bytes(5, 9) }, 3_000);
    expect(later).toEqual([at(1_000, null, 'Reading'), at(2_000, bytes(5, 9), 'Transferring')]);
    expect(withPhase(later, { name: 'Transferring', amount: null }, 4_000)).toEqual(later);
  });

  test('are limited in number and length', () => {
    let phases: readonly JobPhase[] = [];
    for (let n = 0; n < 100; n += 1)
      phases = withPhase(phases, { name: `${n} ${'x'.repeat(500)}\n`, amount: null }, n);
    expect(phases).toHaveLength(MAX_PHASES);
    expect(phases.at(-1)?.startedAt).toBe(99);
    expect(phases.every(({ name }) => name.length <= 80 && !name.includes('\n'))).toBe(true);
  });

  test('end when the next one starts, the last with the job', () => {
    const phases = [at(0), at(4_000)];
    const ends = (some: Job) => phaseSpans(some, 9_000).map(({ endedAt }) => endedAt);
    expect(ends(running(phases))).toEqual([4_000, null]);
    expect(ends(job({ status: 'failed', phases, finishedAt: 7_000 }))).toEqual([4_000, 7_000]);
  });

  test('have a rate and a time left while they run', () => {
    const [, current] = phaseSpans(running([at(0, bytes(4, 4)), at(4_000, bytes(100, 400))]), 14_000);
    expect(current).toMatchObject({ perSecond: 10, leftMs: 30_000 });
    const [done] = phaseSpans(running([at(0, bytes(4, 4)), at(4_000)]), 14_000);
    expect(done).toMatchObject({ perSecond: null, leftMs: null });
    for (const phase of [at(0, bytes(0, 9)), at(13_900, bytes(5, 9)), at(0)])
      expect(phaseSpans(running([phase]), 14_000)).toMatchObject([{ perSecond: null, leftMs: null }]);
  });
});

describe('The time that is left', () => {
  const ended = (seconds: number, other: Partial<Job> = {}): Job =>
    job({ id: 9, status: 'success', startedAt: 0, finishedAt: seconds * 1_000, ...other });

  test('is judged by the rate, then by the median of earlier runs like it', () => {
    const runs = [ended(10), ended(30), ended(90), ended(1, { status: 'failed' })];
    const { params } = job();
    expect(usualDuration(job(), [...runs, ended(500, { params: { ...params, dryRun: true } })])).toBe(30_000);
    expect(usualDuration(job(), [])).toBeNull();
    expect(timeLeft(running([at(0, bytes(50, 100))]), 10_000, 30_000)).toBe(10_000);
    expect(timeLeft(running([at(0)]), 10_000, 30_000)).toBe(20_000);
    expect(timeLeft(running([at(0)]), 40_000, 30_000)).toBeNull();
    expect(timeLeft(running([at(0)]), 40_000, null)).toBeNull();
    expect(timeLeft(ended(10), 40_000, 30_000)).toBeNull();
  });
});
