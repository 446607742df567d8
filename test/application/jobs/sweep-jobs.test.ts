import { describe, expect, test } from 'vitest';
import { SweepJobs } from '../../../src/application/jobs/sweep-jobs.ts';
import { applicationScene } from '../../support/application-scene.ts';
import { newJob, noRecord } from '../../support/job-subject.ts';

async function withRunningJobs(count: number) {
  const scene = applicationScene();
  for (let id = 1; id <= count; id += 1) {
    await scene.addServer(`host-${id}`);
    await scene.jobs.enqueue(newJob(id), noRecord);
  }
  const { clock, queue, replicas } = scene;
  const at = clock.now();
  const claims = await queue.claim({ owner: 'dead', leaseMs: 30_000, limit: count, at, record: noRecord });
  await replicas.beat({ owner: 'dead', version: '0', startedAt: 0, keyIds: null });
  const dead = new Set<string>();
  const sweep = new SweepJobs({ ...scene, processes: { self: 'me', isDead: (name) => dead.has(name) } });
  return { ...scene, claims, sweep, dead };
}

describe('the sweep', () => {
  test('leaves jobs alone while their lease runs and their process may be alive', async () => {
    const { sweep } = await withRunningJobs(1);
    expect(await sweep.execute()).toEqual([]);
  });

  test('ends the jobs of a process that is certainly dead at once, and deletes the process', async () => {
    const { sweep, dead, jobs, replicas, leases, kept } = await withRunningJobs(120);
    await leases.hold('webhooks', 'dead', 60_000);
    expect(await leases.hold('webhooks', 'other', 60_000)).toBe(false);
    dead.add('dead');
    expect((await sweep.execute()).length).toBe(120);
    expect(await jobs.find(120)).toMatchObject({ status: 'failed', error: { code: 'worker_lost' } });
    expect(kept.events.filter((event) => event.type === 'job.failed').length).toBe(120);
    expect(await replicas.list()).toEqual([]);
    expect(await leases.hold('webhooks', 'other', 60_000)).toBe(true);
  });

  test('ends jobs whose lease has run out', async () => {
    const { sweep, clock, jobs } = await withRunningJobs(1);
    await clock.advance(31_000);
    expect((await sweep.execute()).map((job) => job.id)).toEqual([1]);
    expect((await jobs.find(1))?.status).toBe('failed');
  });

  test('gives owners a turn to renew their leases after the clock leapt, as when the machine slept', async () => {
    const { sweep, clock, queue, claims } = await withRunningJobs(2);
    await sweep.execute();
    await clock.advance(3_600_000);
    expect(await sweep.execute()).toEqual([]);
    if (claims[0]) await queue.heartbeat(claims[0], 30_000);
    await clock.advance(5_000);
    expect((await sweep.execute()).map((job) => job.id)).toEqual([2]);
  });
});
