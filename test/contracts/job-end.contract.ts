import { describe, expect, it } from 'vitest';
import type { Claim } from '../../src/application/ports/jobs/job-queue.ts';
import { TERMINAL_STATUSES } from '../../src/domain/jobs/job.ts';
import { expectRefusal } from '../support/expect-refusal.ts';
import type { MakeJobSubject } from '../support/job-subject.ts';
import {
  claim,
  enqueue,
  finish,
  newJob,
  OUTCOME,
  running,
  stored,
  sweep,
  trailOf,
  wholeLog,
} from '../support/job-subject.ts';
import { sharedSubject } from '../support/shared-job-subject.ts';
import { AT, noRecord } from '../support/stores-subject.ts';

export function jobEndContract(makeSubject: MakeJobSubject): void {
  describe('finish', () => {
    const { subject, server } = sharedSubject(makeSubject);
    const held = async (): Promise<Claim> => running(subject(), newJob(await server()));

    it('keeps how the job ended, and nothing of what it was doing', async () => {
      const mine = await held();
      await subject().queue.progress(mine, { current: 'Copying', percent: 90 });
      const result = { files: 3, names: ['ä', '\u0000'], nested: { none: null } };
      const ended = await finish(subject(), mine, { result });
      expect(ended).toEqual({
        ...mine.job,
        status: 'success',
        summary: 'Done.',
        result,
        percent: 90,
        finishedAt: AT + 2_000,
      });
      expect(await stored(subject(), ended.id)).toEqual(ended);
    });

    it('keeps an error, shortened where a host had too much to say', async () => {
      const mine = await held();
      const ended = await finish(subject(), mine, {
        status: 'failed',
        summary: 'x'.repeat(100_000),
        error: { code: 'host_command_failed', detail: `rsync: ${'é'.repeat(100_000)}` },
        result: null,
      });
      expect(ended.summary).toBe(`${'x'.repeat(499)}…`);
      expect(ended.error).toEqual({ code: 'host_command_failed', detail: `rsync: ${'é'.repeat(1_992)}…` });
      expect(await stored(subject(), ended.id)).toEqual(ended);
    });

    it('refuses a result of more than 1 MiB, and leaves the job running', async () => {
      const mine = await held();
      const result = { all: 'ä'.repeat(600_000) };
      await expect(finish(subject(), mine, { result })).rejects.toThrow(RangeError);
      expect((await finish(subject(), mine)).status).toBe('success');
    });

    it('writes what was learnt about the server, and leaves the rest as it was', async () => {
      const id = await server();
      const first = await running(subject(), newJob(id, 'os_update_check'));
      await finish(subject(), first, { facts: { osUpdatesCount: 4, rebootPending: true } });
      expect(await subject().factsOf(id)).toMatchObject({
        lastBackupAt: null,
        osUpdatesCount: 4,
        rebootPending: true,
      });
      const second = await running(subject(), newJob(id, 'backup'));
      await finish(subject(), second, { facts: { lastBackupAt: AT } });
      expect(await subject().factsOf(id)).toMatchObject({
        lastBackupAt: AT,
        osUpdatesCount: 4,
        rebootPending: true,
      });
    });

    it('writes end, facts and record together or not at all', async () => {
      const mine = await held();
      const outcome = { ...OUTCOME, facts: { osUpdatesCount: 7 } };
      const fails = subject().queue.finish(mine, outcome, AT, () => {
        throw new Error('no record today');
      });
      await expect(fails).rejects.toThrow('no record today');
      expect(await stored(subject(), mine.job.id)).toEqual(mine.job);
      expect((await subject().factsOf(mine.job.serverId)).osUpdatesCount).toBeNull();
      await expectRefusal(enqueue(subject(), newJob(mine.job.serverId)), 'job_already_active');
      await subject().queue.finish(mine, outcome, AT, trailOf('job.finish'));
      const { audit } = await subject().record();
      expect(audit.filter((entry) => entry === `job.finish job:${mine.job.id}`)).toHaveLength(1);
      expect((await subject().factsOf(mine.job.serverId)).osUpdatesCount).toBe(7);
      await subject().store.requestCancel(
        (await enqueue(subject(), newJob(mine.job.serverId))).id,
        AT,
        noRecord,
      );
    });

    it('writes the end of the log with the end of the job, behind what was there', async () => {
      const mine = await held();
      await subject().queue.appendLog(mine, 'one\n', AT);
      const fails = subject().queue.finish(mine, { ...OUTCOME, log: 'two\n' }, AT, () => {
        throw new Error('no record today');
      });
      await expect(fails).rejects.toThrow('no record today');
      expect((await wholeLog(subject(), mine.job.id)).text).toBe('one\n');
      const ended = await finish(subject(), mine, { log: 'two\nthree\n' });
      expect(ended.logTail).toEqual(['one', 'two', 'three']);
      expect(await stored(subject(), ended.id)).toEqual(ended);
      await expectRefusal(finish(subject(), mine, { log: 'late\n' }), 'lease_lost');
      expect((await wholeLog(subject(), mine.job.id)).text).toBe('one\ntwo\nthree\n');
    });

    it('refuses an end of the log that is half a line, and leaves the job running', async () => {
      const mine = await held();
      await expect(finish(subject(), mine, { log: 'half' })).rejects.toThrow(RangeError);
      expect((await finish(subject(), mine, { log: 'whole\n' })).logTail).toEqual(['whole']);
    });

    it('ends a job of a server that was removed meanwhile', async () => {
      const mine = await held();
      await subject().removeServer(mine.job.serverId);
      expect((await finish(subject(), mine, { facts: { osUpdatesCount: 7 } })).status).toBe('success');
    });

    it.each(TERMINAL_STATUSES)('leaves a job that ended as %s as it is, whatever comes', async (status) => {
      const mine = await held();
      const error = status === 'failed' ? ({ code: 'disk_full', detail: 'No space.' } as const) : null;
      const ended = await finish(subject(), mine, { status, error });
      expect(ended.status).toBe(status);
      await expectRefusal(finish(subject(), mine, { status: 'failed' }), 'lease_lost');
      await expectRefusal(subject().store.requestCancel(ended.id, AT, noRecord), 'job_not_cancellable');
      await subject().passTime(10_000_000);
      expect(await sweep(subject(), { deadOwners: [mine.owner] })).toEqual([]);
      expect(await claim(subject(), 10)).toEqual([]);
      expect(await stored(subject(), ended.id)).toEqual(ended);
    });
  });
}
