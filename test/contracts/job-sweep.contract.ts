import { describe, expect, it } from 'vitest';
import type { Claim } from '../../src/application/ports/jobs/job-queue.ts';
import { MAX_CLAIMS } from '../../src/domain/jobs/job.ts';
import type { MakeJobSubject } from '../support/job-subject.ts';
import {
  claim,
  enqueue,
  finish,
  LEASE_MS,
  newJob,
  running,
  stored,
  sweep,
  trailOf,
} from '../support/job-subject.ts';
import { sharedSubject } from '../support/shared-job-subject.ts';
import { AT, noRecord } from '../support/stores-subject.ts';

export function jobSweepContract(makeSubject: MakeJobSubject): void {
  describe('sweep', () => {
    const { subject, server } = sharedSubject(makeSubject);
    const held = async (owner = 'worker-a'): Promise<Claim> =>
      running(subject(), newJob(await server(), 'os_patch'), owner);

    it('leaves jobs whose lease runs, and jobs that wait', async () => {
      const mine = await held();
      const waits = await enqueue(subject(), newJob(await server()));
      await subject().passTime(LEASE_MS - 60_000);
      expect(await sweep(subject(), { deadOwners: ['worker-b'] })).toEqual([]);
      expect(await stored(subject(), mine.job.id)).toEqual(mine.job);
      expect(await stored(subject(), waits.id)).toEqual(waits);
      await finish(subject(), mine);
      await subject().store.requestCancel(waits.id, AT, noRecord);
    });

    it('ends jobs whose lease has run out as failed, and says why', async () => {
      const mine = await held();
      await subject().queue.progress(mine, { current: 'Upgrading', percent: 50 });
      await subject().passTime(LEASE_MS + 1_000);
      const ended = await sweep(subject());
      const detail =
        'The worker that ran this job died, and its result is unknown. Check the log, then start the job again.';
      expect(ended).toEqual([
        {
          ...mine.job,
          status: 'failed',
          percent: 50,
          summary: detail,
          error: { code: 'worker_lost', detail },
          finishedAt: AT + 3_000,
        },
      ]);
      expect(await stored(subject(), mine.job.id)).toEqual(ended[0]);
      await subject().store.requestCancel(
        (await enqueue(subject(), newJob(mine.job.serverId, 'os_patch'))).id,
        AT,
        noRecord,
      );
    });

    it('does not wait for the leases of owners that are known to be dead', async () => {
      const [theirs, mine] = [await held('worker-dead'), await held('worker-a')];
      const ended = await sweep(subject(), { deadOwners: ['worker-x', 'worker-dead'] });
      expect(ended.map((job) => job.id)).toEqual([theirs.job.id]);
      await finish(subject(), mine);
    });

    it('gives a job that left something to attach to back to the queue, with its lane and its first start', async () => {
      const mine = await held();
      await subject().queue.appendLog(mine, 'started\n', AT);
      await subject().queue.mark(mine, 'runs/9');
      await subject().passTime(LEASE_MS + 1_000);
      expect(await sweep(subject())).toEqual([]);
      const back = await stored(subject(), mine.job.id);
      expect(back).toEqual({ ...mine.job, status: 'pending', logTail: ['started'] });
      const [again] = await claim(subject(), 1, 'worker-b');
      expect(again).toEqual({
        job: { ...back, status: 'running' },
        owner: 'worker-b',
        fence: mine.fence + 1,
        runMarker: 'runs/9',
        hostWait: null,
      });
      await finish(subject(), again ?? mine);
    });

    it('ends a job that has lost too many workers, whatever it left', async () => {
      let mine = await held();
      await subject().queue.mark(mine, 'runs/9');
      for (let claims = 1; claims < MAX_CLAIMS; claims += 1) {
        expect(await sweep(subject(), { deadOwners: [mine.owner] })).toEqual([]);
        const [again] = await claim(subject());
        mine = again ?? mine;
      }
      const [ended] = await sweep(subject(), { deadOwners: [mine.owner] });
      expect(ended).toMatchObject({ id: mine.job.id, status: 'failed', error: { code: 'worker_lost' } });
      expect(ended?.error?.detail).toContain(`${MAX_CLAIMS} times`);
    });

    it('takes a few at a time, oldest first', async () => {
      const jobs: number[] = [];
      for (let n = 0; n < 5; n += 1) jobs.push((await held()).job.id);
      await subject().passTime(LEASE_MS + 1_000);
      const swept = async (limit: number) => (await sweep(subject(), { limit })).map((job) => job.id);
      expect(await swept(2)).toEqual(jobs.slice(0, 2));
      expect(await swept(2)).toEqual(jobs.slice(2, 4));
      expect(await swept(2)).toEqual(jobs.slice(4));
      expect(await swept(2)).toEqual([]);
    });

    it('ends a job once, however many sweep at the same time', async () => {
      for (let n = 0; n < 5; n += 1) await held();
      await subject().passTime(LEASE_MS + 1_000);
      const sweeps = await Promise.all(Array.from({ length: 4 }, () => sweep(subject())));
      expect(sweeps.flat()).toHaveLength(5);
    });

    it('writes the record of what it ends, or leaves it running', async () => {
      const mine = await held();
      const request = { deadOwners: [mine.owner], limit: 10, at: AT };
      const fails = subject().queue.sweep({
        ...request,
        record: () => {
          throw new Error('no record today');
        },
      });
      await expect(fails).rejects.toThrow('no record today');
      expect(await stored(subject(), mine.job.id)).toEqual(mine.job);
      await subject().queue.sweep({ ...request, record: trailOf('job.finish') });
      const { audit, events } = await subject().record();
      expect(audit.filter((entry) => entry === `job.finish job:${mine.job.id}`)).toHaveLength(1);
      expect(events).toContain(`job.failed ${mine.job.id}`);
    });
  });
}
