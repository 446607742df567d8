import { describe, expect, it } from 'vitest';
import type { Claim } from '../../src/application/ports/jobs/job-queue.ts';
import { expectRefusal } from '../support/expect-refusal.ts';
import type { JobSubject, MakeJobSubject } from '../support/job-subject.ts';
import {
  claim,
  enqueue,
  finish,
  LEASE_MS,
  newJob,
  OUTCOME,
  running,
  stored,
  sweep,
  trailOf,
} from '../support/job-subject.ts';
import { sharedSubject } from '../support/shared-job-subject.ts';
import { AT, noRecord } from '../support/stores-subject.ts';

const DONE = { done: 1, total: 2.5 };

/** Every way in which the holder of a claim writes. */
const WRITES: { readonly [name: string]: (subject: JobSubject, held: Claim) => Promise<unknown> } = {
  heartbeat: ({ queue }, held) => queue.heartbeat(held, LEASE_MS),
  appendLog: ({ queue }, held) => queue.appendLog(held, 'a line\n', AT),
  progress: ({ queue }, held) => queue.progress(held, { current: 'Working', percent: 5 }),
  mark: ({ queue }, held) => queue.mark(held, 'runs/1'),
  finish: ({ queue }, held) =>
    queue.finish(held, { ...OUTCOME, facts: { osUpdatesCount: 99 } }, AT, noRecord),
  giveBack: ({ queue }, held) => queue.giveBack(held),
};

export function jobLeaseContract(makeSubject: MakeJobSubject): void {
  describe('lease', () => {
    const { subject, server } = sharedSubject(makeSubject);
    const held = async (): Promise<Claim> => running(subject(), newJob(await server()));

    it('is kept by heartbeats', async () => {
      const mine = await held();
      await subject().passTime(LEASE_MS - 60_000);
      await subject().queue.heartbeat(mine, LEASE_MS);
      await subject().passTime(LEASE_MS - 60_000);
      expect(await sweep(subject())).toEqual([]);
      await finish(subject(), mine);
    });

    it('reports at a heartbeat that a stop was requested', async () => {
      const mine = await held();
      expect(await subject().queue.heartbeat(mine, LEASE_MS)).toEqual({ cancelRequested: false });
      await subject().store.requestCancel(mine.job.id, AT, noRecord);
      expect(await subject().queue.heartbeat(mine, LEASE_MS)).toEqual({ cancelRequested: true });
      await finish(subject(), mine, { status: 'cancelled' });
    });

    it('that expired is still valid until the job is taken over', async () => {
      const [late, done] = [await held(), await held()];
      await subject().passTime(2 * LEASE_MS);
      await subject().queue.heartbeat(late, LEASE_MS);
      expect((await finish(subject(), done)).status).toBe('success');
      expect(await sweep(subject())).toEqual([]);
      await finish(subject(), late);
    });

    it('shows progress, on one line of a bearable length', async () => {
      const mine = await held();
      await subject().queue.progress(mine, { current: 'Copying 3 of 8', percent: 37.5 });
      expect(await stored(subject(), mine.job.id)).toEqual({
        ...mine.job,
        current: 'Copying 3 of 8',
        percent: 37.5,
      });
      await subject().queue.progress(mine, { current: `a\n\u0000${'🐑'.repeat(5_000)}`, percent: null });
      const { current, percent } = await stored(subject(), mine.job.id);
      expect(current).toBe(`a ${'🐑'.repeat(497)}…`);
      expect(percent).toBeNull();
      await finish(subject(), mine);
    });

    it('records the steps of the job, which a list leaves out', async () => {
      const mine = await held();
      const first = { name: 'Reading', startedAt: AT, amount: null };
      const phases = [
        first,
        { name: 'a\u0000b', startedAt: AT + 1, amount: { ...DONE, unit: 'bytes' } },
      ] as const;
      await subject().queue.progress(mine, { current: 'Copying', percent: null, phases });
      await subject().queue.progress(mine, { current: 'Copying', percent: 5 });
      expect((await stored(subject(), mine.job.id)).phases).toEqual(phases);
      const { items } = await subject().store.list({ ids: [mine.job.id] }, { limit: 1, offset: 0 });
      expect(items[0]?.phases).toEqual([]);
      await subject().queue.giveBack(mine);
      const [again] = await claim(subject(), 1);
      expect(again?.job.phases).toEqual(phases);
      expect((await finish(subject(), again ?? mine, { phases: [first] })).phases).toEqual([first]);
      expect((await stored(subject(), mine.job.id)).phases).toEqual([first]);
    });

    describe.each(Object.entries(WRITES))('that is lost: %s', (_, write) => {
      const expectLost = async (lost: Claim): Promise<void> => {
        const before = await stored(subject(), lost.job.id);
        await expectRefusal(write(subject(), lost), 'lease_lost');
        expect(await stored(subject(), lost.job.id)).toEqual(before);
        expect((await subject().store.readLog(lost.job.id, 0)).text).toBe('');
        expect((await subject().factsOf(lost.job.serverId)).osUpdatesCount).toBeNull();
      };

      it('is refused once the job has ended', async () => {
        const mine = await held();
        await finish(subject(), mine);
        await expectLost(mine);
      });

      it('is refused once the job was swept', async () => {
        const mine = await held();
        await sweep(subject(), { deadOwners: [mine.owner] });
        await expectLost(mine);
      });

      it('is refused once the job waits again, and once another has it, even of the same name', async () => {
        const mine = await held();
        await subject().queue.giveBack(mine);
        await expectLost(mine);
        const [other] = await claim(subject(), 1, 'worker-b');
        await expectLost(mine);
        await subject().queue.giveBack(other ?? mine);
        const [again] = await claim(subject(), 1, mine.owner);
        expect(again).toMatchObject({ job: { id: mine.job.id }, owner: mine.owner, fence: 3 });
        await expectLost(mine);
        await finish(subject(), again ?? mine);
      });

      it('is refused to a process that only pretends', async () => {
        const mine = await held();
        await expectLost({ ...mine, owner: 'worker-b' });
        await expectLost({ ...mine, fence: mine.fence + 1 });
        await finish(subject(), mine);
      });
    });

    it('is released with the job, which keeps its lane, its log and its first start', async () => {
      const mine = await held();
      await subject().queue.appendLog(mine, 'first\n', AT);
      await subject().queue.progress(mine, { current: 'Working', percent: 5 });
      await subject().queue.giveBack(mine);
      const back = await stored(subject(), mine.job.id);
      expect(back).toEqual({ ...mine.job, status: 'pending', logTail: ['first'] });
      await expectRefusal(enqueue(subject(), newJob(mine.job.serverId)), 'job_already_active');
      const [again] = await subject().queue.claim({
        owner: 'worker-b',
        leaseMs: LEASE_MS,
        limit: 1,
        at: AT + 60_000,
        record: noRecord,
      });
      expect(again).toMatchObject({
        job: { id: mine.job.id, startedAt: AT + 1_000 },
        fence: 2,
        runMarker: null,
      });
      await subject().queue.appendLog(again ?? mine, 'second\n', AT);
      expect((await stored(subject(), mine.job.id)).logTail).toEqual(['first', 'second']);
      await finish(subject(), again ?? mine);
    });

    it('is not claimed before the next try of its host, and then without another record', async () => {
      const mine = await held();
      const current = 'Waits for its host.';
      await subject().queue.awaitHost(mine, { at: AT + 2_000, nextTryAt: AT + 60_000, current });
      const waiting = await stored(subject(), mine.job.id);
      expect(waiting).toEqual({ ...mine.job, status: 'pending', startedAt: null, current });
      await expectRefusal(subject().queue.heartbeat(mine, LEASE_MS), 'lease_lost');
      await expectRefusal(enqueue(subject(), newJob(mine.job.serverId)), 'job_already_active');
      expect(await claim(subject(), 5, 'worker-b')).toEqual([]);
      const at = AT + 60_000;
      const request = { owner: 'worker-b', leaseMs: LEASE_MS, limit: 5, at, record: trailOf('job.again') };
      const [again] = await subject().queue.claim(request);
      expect(again).toMatchObject({
        job: { id: mine.job.id, startedAt: at, current: null },
        fence: 2,
        hostWait: { since: AT + 2_000, tries: 1 },
      });
      expect((await subject().record()).audit).not.toContain(`job.again job:${mine.job.id}`);
      await subject().queue.awaitHost(again ?? mine, { at, nextTryAt: at + 1, current });
      const [last] = await subject().queue.claim({ ...request, at: at + 1 });
      expect(last?.hostWait).toEqual({ since: AT + 2_000, tries: 2 });
      await finish(subject(), last ?? mine);
    });

    it('ends by a cancel request while it waits for its host, or right after the try', async () => {
      const mine = await held();
      await subject().queue.awaitHost(mine, { at: AT, nextTryAt: AT + 600_000, current: 'Waits.' });
      await subject().store.requestCancel(mine.job.id, AT + 1, noRecord);
      expect(await stored(subject(), mine.job.id)).toMatchObject({ status: 'cancelled', current: null });
      const other = await held();
      await subject().store.requestCancel(other.job.id, AT, noRecord);
      await subject().queue.awaitHost(other, { at: AT, nextTryAt: AT + 600_000, current: 'Waits.' });
      const [again] = await claim(subject(), 5, 'worker-b');
      expect(again?.job.id).toBe(other.job.id);
      await finish(subject(), again ?? other);
    });

    it('keeps a mark that comes with lines together with them', async () => {
      const mine = await held();
      await subject().queue.appendLog(mine, 'one\n', AT, 'offset 10');
      await subject().queue.appendLog(mine, 'two\n', AT);
      await subject().queue.appendLog(mine, '', AT, 'offset 20');
      await subject().queue.giveBack(mine);
      const [again] = await claim(subject(), 1, 'worker-b');
      expect(again?.runMarker).toBe('offset 20');
      await expectRefusal(subject().queue.appendLog(mine, 'three\n', AT, 'offset 30'), 'lease_lost');
      expect(await stored(subject(), mine.job.id)).toMatchObject({ logTail: ['one', 'two'] });
      await subject().queue.giveBack(again ?? mine);
      const [last] = await claim(subject(), 1, 'worker-b');
      expect(last?.runMarker).toBe('offset 20');
      await finish(subject(), last ?? mine);
    });

    it('passes what a previous owner marked to the next one', async () => {
      const mine = await held();
      await subject().queue.mark(mine, 'runs/17 é');
      await subject().queue.giveBack(mine);
      const [again] = await claim(subject(), 1, 'worker-b');
      expect(again?.runMarker).toBe('runs/17 é');
      await finish(subject(), again ?? mine);
    });
  });
}
