import { describe, expect, it } from 'vitest';
import type { Claim } from '../../src/application/ports/jobs/job-queue.ts';
import type { JobType } from '../../src/domain/jobs/job-types.ts';
import type { MakeJobSubject } from '../support/job-subject.ts';
import {
  claim,
  enqueue,
  finish,
  LEASE_MS,
  newJob,
  running,
  stored,
  trailOf,
} from '../support/job-subject.ts';
import { sharedSubject } from '../support/shared-job-subject.ts';
import { AT, noRecord } from '../support/stores-subject.ts';
import { jobEndContract } from './job-end.contract.ts';
import { jobLeaseContract } from './job-lease.contract.ts';
import { jobSweepContract } from './job-sweep.contract.ts';

/** The contract of `JobQueue`. Each part has a separate queue; its tests leave nothing pending behind. */
export function jobQueueContract(name: string, makeSubject: MakeJobSubject): void {
  describe(`JobQueue: ${name}`, () => {
    claiming(makeSubject);
    waiting(makeSubject);
    jobLeaseContract(makeSubject);
    jobEndContract(makeSubject);
    jobSweepContract(makeSubject);
  });
}

const ids = (claims: readonly Claim[]): number[] => claims.map((claimed) => claimed.job.id);

function claiming(makeSubject: MakeJobSubject): void {
  describe('claim', () => {
    const { subject, server } = sharedSubject(makeSubject);
    const pending = async (count: number): Promise<number[]> => {
      const jobs: number[] = [];
      for (let n = 0; n < count; n += 1) jobs.push((await enqueue(subject(), newJob(await server()))).id);
      return jobs;
    };

    it('returns nothing if nothing waits', async () => {
      expect(await claim(subject(), 5)).toEqual([]);
    });

    it('makes a pending job a running one, once', async () => {
      const job = await enqueue(subject(), newJob(await server()));
      const [claimed, ...others] = await claim(subject(), 5);
      expect(others).toEqual([]);
      expect(claimed).toEqual({
        job: { ...job, status: 'running', startedAt: AT + 1_000 },
        owner: 'worker-a',
        fence: 1,
        runMarker: null,
        hostWait: null,
      });
      expect(await stored(subject(), job.id)).toEqual(claimed?.job);
      expect(await claim(subject(), 5)).toEqual([]);
    });

    it('starts no job before it was asked for, though the worker looked at its clock before that', async () => {
      await enqueue(subject(), newJob(await server(), 'backup', { at: AT + 5_000 }));
      const [claimed] = await claim(subject(), 1);
      expect(claimed?.job.startedAt).toBe(AT + 5_000);
    });

    it('takes the oldest first, as many as asked for', async () => {
      const jobs = await pending(30);
      expect(ids(await claim(subject(), 3))).toEqual(jobs.slice(0, 3));
      expect(ids(await claim(subject(), 25))).toEqual(jobs.slice(3, 28));
      expect(ids(await claim(subject(), 25))).toEqual(jobs.slice(28));
      expect(await claim(subject(), 0)).toEqual([]);
    });

    it('leaves what awaits approval and what has ended', async () => {
      const id = await server();
      await enqueue(subject(), newJob(id, 'os_patch', { status: 'awaiting_approval' }));
      const { id: gone } = await enqueue(subject(), newJob(id));
      await subject().store.requestCancel(gone, AT, noRecord);
      expect(await claim(subject(), 5)).toEqual([]);
    });

    it('never gives a job to two workers that ask at the same time', async () => {
      const jobs = await pending(40);
      const rounds = await Promise.all(
        Array.from({ length: 8 }, async (_, n) => ids(await claim(subject(), 10, `worker-${n}`))),
      );
      const taken = rounds.flat();
      taken.push(...ids(await claim(subject(), 40)));
      expect(taken.toSorted((a, b) => a - b)).toEqual(jobs);
    });

    it('writes the record of what it claims, or claims nothing', async () => {
      const job = await enqueue(subject(), newJob(await server()));
      const request = { owner: 'worker-a', leaseMs: LEASE_MS, limit: 5, at: AT };
      const fails = subject().queue.claim({
        ...request,
        record: () => {
          throw new Error('no record today');
        },
      });
      await expect(fails).rejects.toThrow('no record today');
      expect((await stored(subject(), job.id)).status).toBe('pending');
      const [claimed] = await subject().queue.claim({ ...request, record: trailOf('job.start') });
      expect(claimed?.job.id).toBe(job.id);
      const { audit, events } = await subject().record();
      expect(audit.filter((entry) => entry === `job.start job:${job.id}`)).toHaveLength(1);
      expect(events.filter((event) => event === `job.started ${job.id}`)).toHaveLength(1);
    });
  });
}

function waiting(makeSubject: MakeJobSubject): void {
  describe('claim beside other jobs of the same server', () => {
    const { subject, server } = sharedSubject(makeSubject);
    const stack = (id: number, sourceFilter: string) =>
      newJob(id, 'docker_stack_deploy', { params: { sourceFilter } });

    it('leaves a job that must not run beside another, and says what it waits for', async () => {
      const id = await server();
      const patching = await running(subject(), newJob(id, 'os_patch'));
      const next = await enqueue(subject(), newJob(id, 'container_patch'));
      expect(await claim(subject(), 5)).toEqual([]);
      expect(await stored(subject(), next.id)).toEqual({
        ...next,
        current: `Waits for job ${patching.job.id} (os_patch) on host-${id}.`,
      });
      await finish(subject(), patching);
      const [claimed] = await claim(subject(), 5);
      expect(claimed?.job).toMatchObject({ id: next.id, status: 'running', current: null });
      await finish(subject(), claimed ?? patching);
    });

    it('runs one of several that change the host at a time, in the order in which they came', async () => {
      const id = await server();
      const jobs = [
        await enqueue(subject(), stack(id, '/srv/one')),
        await enqueue(subject(), newJob(id, 'container_patch')),
        await enqueue(subject(), stack(id, '/srv/two')),
        await enqueue(subject(), newJob(id, 'os_patch')),
      ];
      for (const job of jobs) {
        const claims = await claim(subject(), 10);
        expect(ids(claims)).toEqual([job.id]);
        for (const claimed of claims) await finish(subject(), claimed);
      }
    });

    it('names the job that it waits for now', async () => {
      const id = await server();
      const first = await running(subject(), newJob(id, 'os_patch'));
      const second = await enqueue(subject(), newJob(id, 'container_patch'));
      const third = await enqueue(subject(), stack(id, '/srv/app'));
      await claim(subject(), 5);
      const current = async (job: { id: number }) => (await stored(subject(), job.id)).current;
      expect(await current(third)).toBe(`Waits for job ${first.job.id} (os_patch) on host-${id}.`);
      await finish(subject(), first);
      const [claimed] = await claim(subject(), 5);
      expect(await current(third)).toBe(`Waits for job ${second.id} (container_patch) on host-${id}.`);
      await finish(subject(), claimed ?? first);
      for (const last of await claim(subject(), 5)) await finish(subject(), last);
    });

    it.each<JobType>(['backup', 'retention', 'os_update_check', 'container_update_check'])(
      'runs %s beside a job that changes the host',
      async (jobType) => {
        const id = await server();
        const patching = await running(subject(), newJob(id, 'os_patch'));
        const beside = await running(subject(), newJob(id, jobType));
        await finish(subject(), beside);
        await finish(subject(), patching);
      },
    );

    it('runs no backup beside a guarded update, which takes snapshots too, but beside its dry run', async () => {
      const id = await server();
      const guarded = (dryRun: boolean) => {
        const job = newJob(id, 'os_patch');
        return { ...job, params: { ...job.params, guard: true, dryRun } };
      };
      const patching = await running(subject(), guarded(false));
      const backup = await enqueue(subject(), newJob(id, 'backup'));
      expect(await claim(subject(), 5)).toEqual([]);
      expect((await stored(subject(), backup.id)).current).toContain(`Waits for job ${patching.job.id}`);
      await finish(subject(), patching);
      const backingUp = await claim(subject(), 5);
      expect(ids(backingUp)).toEqual([backup.id]);
      const planning = await running(subject(), guarded(true));
      for (const claimed of [planning, ...backingUp]) await finish(subject(), claimed);
    });

    it('lets no waiting jobs keep it from younger ones, however many there are', async () => {
      const busy: Claim[] = [];
      for (let n = 0; n < 30; n += 1) busy.push(await running(subject(), newJob(await server(), 'os_patch')));
      for (const { job } of busy) {
        await enqueue(subject(), newJob(job.serverId, 'container_patch'));
        await enqueue(subject(), stack(job.serverId, '/srv/app'));
      }
      const late = await enqueue(subject(), newJob(await server(), 'os_patch'));
      const claims = await claim(subject(), 1);
      expect(ids(claims)).toEqual([late.id]);
      for (const claimed of [...busy, ...claims]) await finish(subject(), claimed);
      for (let rest = await claim(subject(), 100); rest.length > 0; rest = await claim(subject(), 100)) {
        for (const claimed of rest) await finish(subject(), claimed);
      }
    });

    it('lets one of two workers that ask at the same time have a server that both could change', async () => {
      const servers: number[] = [];
      for (let n = 0; n < 10; n += 1) {
        servers.push(await server());
        await enqueue(subject(), newJob(servers[n] ?? 0, 'os_patch'));
        await enqueue(subject(), newJob(servers[n] ?? 0, 'container_patch'));
      }
      const claims = await Promise.all([claim(subject(), 20, 'worker-a'), claim(subject(), 20, 'worker-b')]);
      const taken = claims.flat().map((claimed) => claimed.job.serverId);
      expect(taken.toSorted((a, b) => a - b)).toEqual(servers);
      for (const claimed of claims.flat()) await finish(subject(), claimed);
      for (const claimed of await claim(subject(), 20)) await finish(subject(), claimed);
    });
  });
}
