import { describe, expect, it } from 'vitest';
import { type Job, JobAlreadyActive } from '../../src/domain/jobs/job.ts';
import type { JobType } from '../../src/domain/jobs/job-types.ts';
import { expectRefusal } from '../support/expect-refusal.ts';
import type { MakeJobSubject } from '../support/job-subject.ts';
import { claim, enqueue, finish, newJob, running, stored, trailOf } from '../support/job-subject.ts';
import { sharedSubject } from '../support/shared-job-subject.ts';
import { AT, noRecord } from '../support/stores-subject.ts';
import { jobListContract } from './job-list.contract.ts';
import { jobLogContract } from './job-log.contract.ts';

/** The contract of `JobStore`. Each part has a separate store; its tests use separate servers. */
export function jobStoreContract(name: string, makeSubject: MakeJobSubject): void {
  describe(`JobStore: ${name}`, () => {
    enqueueing(makeSubject);
    cancelling(makeSubject);
    jobListContract(makeSubject);
    jobLogContract(makeSubject);
  });
}

async function expectHeldBy(holder: Job, work: Promise<unknown>): Promise<void> {
  const error = await expectRefusal(work, 'job_already_active');
  if (!(error instanceof JobAlreadyActive)) throw error;
  expect(error.job).toEqual(holder);
}

function enqueueing(makeSubject: MakeJobSubject): void {
  describe('enqueue', () => {
    const { subject, server } = sharedSubject(makeSubject);

    it('keeps the job with everything that was asked', async () => {
      const asked = newJob(await server(), 'os_patch', {
        params: { sourceFilter: 'etc ', service: 'wéb', osSteps: ['update', 'autoremove'], dryRun: true },
      });
      const job = await enqueue(subject(), asked);
      expect(job).toEqual({
        ...asked,
        id: job.id,
        startedAt: null,
        finishedAt: null,
        current: null,
        percent: null,
        phases: [],
        summary: null,
        error: null,
        result: null,
        logTail: [],
        cancelRequestedAt: null,
      });
      expect(job.id).toBeGreaterThan(0);
      expect(await subject().store.find(job.id)).toEqual(job);
    });

    it('lets one job be made by a plan, whatever becomes of it, and names the plan to the next', async () => {
      const id = await server();
      const plan = await enqueue(subject(), newJob(id, 'os_patch'));
      const params = { sourceFilter: null, service: null, osSteps: null, dryRun: false, planId: plan.id };
      await subject().store.requestCancel(plan.id, AT, noRecord);
      const byPlan = await enqueue(subject(), newJob(id, 'os_patch', { params }));
      expect((await subject().store.find(byPlan.id))?.params).toEqual(params);
      await subject().store.requestCancel(byPlan.id, AT, noRecord);
      const again = enqueue(subject(), newJob(id, 'os_patch', { params }));
      expect((await expectRefusal(again, 'plan_used')).message).toMatch(new RegExp(`job ${plan.id}\\b`));
      await enqueue(subject(), newJob(id, 'os_patch'));
    });

    it('gives later jobs greater ids, and finds nothing under others', async () => {
      const one = await enqueue(subject(), newJob(await server()));
      const two = await enqueue(subject(), newJob(await server()));
      expect(two.id).toBeGreaterThan(one.id);
      expect(await subject().store.find(two.id + 1_000)).toBeNull();
    });

    it('refuses a second job in a lane, and names the one that holds it, while it waits and while it runs', async () => {
      const id = await server();
      const first = await enqueue(subject(), newJob(id));
      await expectHeldBy(first, enqueue(subject(), newJob(id)));
      const [claimed] = await claim(subject(), 1_000).then((claims) =>
        claims.filter(({ job }) => job.id === first.id),
      );
      await expectHeldBy(claimed?.job ?? first, enqueue(subject(), newJob(id)));
    });

    it('takes jobs in other lanes and on other servers', async () => {
      const id = await server();
      await enqueue(subject(), newJob(id, 'backup'));
      await enqueue(subject(), newJob(id, 'os_patch'));
      await enqueue(subject(), newJob(id, 'os_update_check'));
      await enqueue(subject(), newJob(await server(), 'backup'));
    });

    it.each<JobType>(['backup', 'os_patch', 'os_update_check', 'docker_stack_deploy'])(
      'keeps %s and a reboot of the same server apart, whichever comes first',
      async (jobType) => {
        const params = jobType === 'docker_stack_deploy' ? { sourceFilter: '/srv/app' } : {};
        const one = await server();
        const work = await enqueue(subject(), newJob(one, jobType, { params }));
        await expectHeldBy(work, enqueue(subject(), newJob(one, 'host_reboot')));
        const other = await server();
        const reboot = await enqueue(subject(), newJob(other, 'host_reboot'));
        await expectHeldBy(reboot, enqueue(subject(), newJob(other, jobType, { params })));
        await expectHeldBy(reboot, enqueue(subject(), newJob(other, 'host_reboot')));
      },
    );

    it('has one lane for each compose project, told apart to the last character', async () => {
      const id = await server();
      const long = `/srv/${'x'.repeat(4_000)}`;
      const projects = ['/srv/app', '/srv/app ', '/srv/App', '/srv/äpp', `${long}a`, `${long}b`];
      for (const sourceFilter of projects) {
        const deploy = await enqueue(
          subject(),
          newJob(id, 'docker_stack_deploy', { params: { sourceFilter } }),
        );
        await expectHeldBy(
          deploy,
          enqueue(subject(), newJob(id, 'template_redeploy', { params: { sourceFilter } })),
        );
      }
    });

    it('frees the lane with the end of the job', async () => {
      const id = await server();
      const first = await enqueue(subject(), newJob(id));
      await subject().store.requestCancel(first.id, AT, noRecord);
      const second = await enqueue(subject(), newJob(id));
      const claims = await claim(subject(), 1_000);
      for (const claimed of claims) await finish(subject(), claimed);
      const third = await enqueue(subject(), newJob(id));
      expect(third.id).toBeGreaterThan(second.id);
    });

    it('gives no lane to a job that awaits approval', async () => {
      const id = await server();
      const waiting = await enqueue(subject(), newJob(id, 'os_patch', { status: 'awaiting_approval' }));
      expect(waiting.status).toBe('awaiting_approval');
      await enqueue(subject(), newJob(id, 'os_patch', { status: 'awaiting_approval' }));
      const active = await enqueue(subject(), newJob(id, 'os_patch'));
      await enqueue(subject(), newJob(id, 'os_patch', { status: 'awaiting_approval' }));
      await expectHeldBy(active, enqueue(subject(), newJob(id, 'os_patch')));
    });

    it('refuses servers that are not there or were removed', async () => {
      const id = await server();
      await expectRefusal(enqueue(subject(), newJob(id + 1_000)), 'server_not_found');
      await subject().removeServer(id);
      await expectRefusal(enqueue(subject(), newJob(id)), 'server_not_found');
      await expectRefusal(
        enqueue(subject(), newJob(id, 'backup', { status: 'awaiting_approval' })),
        'server_not_found',
      );
    });

    it('lets one of many that come at the same time in, and tells the others of it', async () => {
      const id = await server();
      const tries = await Promise.allSettled(
        Array.from({ length: 12 }, () => enqueue(subject(), newJob(id))),
      );
      const won = tries.filter((tried) => tried.status === 'fulfilled').map((tried) => tried.value);
      expect(won).toHaveLength(1);
      for (const tried of tries.filter((one) => one.status === 'rejected')) {
        const error: unknown = tried.reason;
        if (!(error instanceof JobAlreadyActive)) throw error;
        expect(error.job).toEqual(won[0]);
      }
    });

    it('writes the record with the new id, or nothing at all', async () => {
      const id = await server();
      const fails = subject().store.enqueue(newJob(id), () => {
        throw new Error('no record today');
      });
      await expect(fails).rejects.toThrow('no record today');
      const job = await subject().store.enqueue(newJob(id), trailOf('job.request'));
      const { audit, events } = await subject().record();
      expect(audit.filter((entry) => entry === `job.request job:${job.id}`)).toHaveLength(1);
      expect(events.filter((event) => event === `job.started ${job.id}`)).toHaveLength(1);
      const refused = subject().store.enqueue(newJob(id), trailOf('job.refused'));
      await expectHeldBy(job, refused);
      expect((await subject().record()).audit.filter((entry) => entry.startsWith('job.refused'))).toEqual([]);
    });
  });
}

function cancelling(makeSubject: MakeJobSubject): void {
  describe('requestCancel', () => {
    const { subject, server } = sharedSubject(makeSubject);
    const cancel = (id: number): Promise<Job> =>
      subject().store.requestCancel(id, AT + 5_000, trailOf('job.cancel'));

    it.each(['pending', 'awaiting_approval'] as const)('ends a job that is %s at once', async (status) => {
      const id = await server();
      const job = await enqueue(subject(), newJob(id, 'backup', { status }));
      const ended = await cancel(job.id);
      expect(ended).toEqual({
        ...job,
        status: 'cancelled',
        summary: 'Cancelled before it started.',
        finishedAt: AT + 5_000,
        cancelRequestedAt: AT + 5_000,
      });
      expect(await stored(subject(), job.id)).toEqual(ended);
      expect((await subject().record()).events).toContain(`job.cancelled ${job.id}`);
      expect((await claim(subject(), 100)).map((claimed) => claimed.job.id)).not.toContain(job.id);
      await enqueue(subject(), newJob(id));
    });

    it('asks a job that runs to stop, and leaves it its lane', async () => {
      const id = await server();
      await claim(subject(), 100);
      const claimed = await running(subject(), newJob(id));
      const asked = await cancel(claimed.job.id);
      expect(asked).toEqual({ ...claimed.job, cancelRequestedAt: AT + 5_000 });
      expect(await stored(subject(), asked.id)).toEqual(asked);
      await expectHeldBy(asked, enqueue(subject(), newJob(id)));
    });

    it('asks one that left something running on its host when it was released', async () => {
      const id = await server();
      await claim(subject(), 100);
      const claimed = await running(subject(), newJob(id, 'os_patch'));
      await subject().queue.mark(claimed, 'runs/1');
      await subject().queue.giveBack(claimed);
      const asked = await cancel(claimed.job.id);
      expect(asked.status).toBe('pending');
      await expectHeldBy(asked, enqueue(subject(), newJob(id, 'os_patch')));
      const [again] = await claim(subject());
      expect(again?.job.cancelRequestedAt).toBe(AT + 5_000);
    });

    it('refuses what has ended, what was asked before and what is not there', async () => {
      const id = await server();
      await claim(subject(), 100);
      const claimed = await running(subject(), newJob(id));
      await cancel(claimed.job.id);
      await expectRefusal(cancel(claimed.job.id), 'job_not_cancellable');
      const ended = await finish(subject(), claimed, { status: 'cancelled' });
      await expectRefusal(cancel(ended.id), 'job_not_cancellable');
      expect(await stored(subject(), ended.id)).toEqual(ended);
      await expectRefusal(cancel(ended.id + 1_000), 'job_not_found');
    });

    it('changes nothing where its record cannot be written', async () => {
      const job = await enqueue(subject(), newJob(await server()));
      const fails = subject().store.requestCancel(job.id, AT, () => {
        throw new Error('no record today');
      });
      await expect(fails).rejects.toThrow('no record today');
      expect(await stored(subject(), job.id)).toEqual(job);
    });
  });
}
