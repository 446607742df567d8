import { beforeEach, describe, expect, it } from 'vitest';
import type { Batch } from '../../src/domain/automation/batch.ts';
import { DAY, HOUR } from '../../src/domain/base/instant.ts';
import {
  type Approval,
  MAX_WAITING,
  nobodyDecided,
  refusedBy,
  waitsForPerson,
} from '../../src/domain/jobs/approval.ts';
import { type Job, JobAlreadyActive, type JobParams, requestJob } from '../../src/domain/jobs/job.ts';
import { expectRefusal } from '../support/expect-refusal.ts';
import {
  AT,
  addServer,
  brokenRecord,
  type MakeStores,
  noRecord,
  type StoresSubject,
} from '../support/stores-subject.ts';

const requester = {
  kind: 'token',
  id: 5,
  name: 'agent',
  address: '203.0.113.7',
  label: 'token:agent',
} as const;
const TERMS = { requester, expiresAt: AT + HOUR };
const PARAMS: JobParams = { sourceFilter: null, service: null, osSteps: ['upgrade'], dryRun: false };
const YES = { at: AT + 1, by: 'user:root', note: null, planId: null, voter: null };
const ALL = { limit: 100, offset: 0 };

/** What every `ApprovalStore` does, and the stores of jobs and batches for it. */
export function approvalStoreContract(name: string, makeStores: MakeStores): void {
  describe(`ApprovalStore: ${name}`, () => {
    let stores: StoresSubject;
    let web: number;
    let other: number;
    beforeEach(async () => {
      stores = await makeStores();
      web = await addServer(stores, 'web');
      other = await addServer(stores, 'other');
    });

    const ask = (over: Partial<Parameters<typeof requestJob>[0]> = {}): Promise<Job> =>
      stores.jobs.enqueue(
        requestJob({
          server: { id: web, name: 'web' },
          type: 'os_patch',
          params: PARAMS,
          requestedBy: 'token:agent',
          scheduled: false,
          approval: TERMS,
          at: AT,
          ...over,
        }),
        noRecord,
      );
    const ofJob = async (job: Job): Promise<Approval> => {
      const approval = await stores.approvals.ofJob(job.id);
      if (!approval) throw new Error('The job has no request.');
      return approval;
    };
    const askBatch = (): Promise<Batch> =>
      stores.batches.create(
        {
          jobType: 'os_patch',
          params: PARAMS,
          selector: { by: 'all' },
          bounds: { maxParallel: 2, canary: 0, stopAfterFailures: null },
          requester,
          scheduled: false,
          scheduleId: null,
          requireApproval: true,
          outsideWindow: false,
          orders: [],
          createdAt: AT,
          approval: TERMS,
        },
        [web, other].map((serverId) => ({
          serverId,
          serverName: `host-${serverId}`,
          notBefore: null,
          code: null,
          detail: null,
          place: null,
        })),
        noRecord,
      );
    const ofBatch = async ({ id }: Batch): Promise<Approval> => {
      const { items } = await stores.approvals.list({}, ALL);
      const found = items.find(({ batchId }) => batchId === id);
      if (!found) throw new Error('The batch has no request.');
      return found;
    };

    it('is written with a job that waits, with requester, job, server and expiry', async () => {
      const job = await ask();
      expect(job).toMatchObject({ status: 'awaiting_approval', current: waitsForPerson(AT + HOUR) });
      const approval = await ofJob(job);
      expect(approval).toEqual({
        id: approval.id,
        jobId: job.id,
        batchId: null,
        serverId: web,
        jobType: 'os_patch',
        change: null,
        subject: 'web',
        requester,
        state: 'waiting',
        createdAt: AT,
        expiresAt: AT + HOUR,
        decidedAt: null,
        decidedBy: null,
        note: null,
        planJobId: null,
        votes: [],
        planners: [],
      });
      expect(await stores.approvals.find(approval.id)).toEqual(approval);
      expect(await stores.approvals.find(approval.id + 100)).toBeNull();
      const plain = await ask({ approval: null, type: 'backup' });
      expect(await stores.approvals.ofJob(plain.id)).toBeNull();
      expect(await stores.approvals.countWaiting()).toBe(1);
      expect(await stores.approvals.countByState()).toEqual(new Map([['waiting', 1]]));
      expect(await stores.approvals.countByState([])).toEqual(new Map());
    });

    it('is listed by requester, server and state, the newest first', async () => {
      const first = await ofJob(await ask());
      const second = await ofJob(await ask({ type: 'backup' }));
      const elsewhere = await ofJob(await ask({ server: { id: other, name: 'other' } }));
      await ask({ type: 'retention', approval: { ...TERMS, requester: { ...requester, id: 6 } } });
      const listed = async (filter: Parameters<typeof stores.approvals.list>[0]) =>
        (await stores.approvals.list(filter, ALL)).items.map(({ id }) => id);
      expect(await listed({ requester })).toEqual([elsewhere.id, second.id, first.id]);
      expect(await listed({ requester, serverId: web })).toEqual([second.id, first.id]);
      expect(await listed({ requester, serverId: web, state: 'approved' })).toEqual([]);
      expect(await listed({ requester: { kind: 'token', id: 7 } })).toEqual([]);
    });

    it('is requested once while it waits: a repeated request gets the first', async () => {
      const first = await ask();
      const again = await expectRefusal(ask(), 'job_already_active');
      expect((again as JobAlreadyActive).job).toEqual(first);
      await ask({ params: { ...PARAMS, osSteps: ['update'] } });
      await ask({ approval: { ...TERMS, requester: { ...requester, id: 6 } } });
      await stores.jobs.requestCancel(first.id, AT + 5, noRecord);
      expect(await ofJob(first)).toMatchObject({ state: 'withdrawn', decidedAt: AT + 5, decidedBy: null });
      await ask();
    });

    it('is refused to a requester with too many that wait', async () => {
      for (let index = 0; index < MAX_WAITING; index += 1)
        await ask({ type: 'backup', params: { ...PARAMS, sourceFilter: `source-${index}`, osSteps: null } });
      await expectRefusal(ask(), 'too_many_approvals');
      await expectRefusal(askBatch(), 'too_many_approvals');
      await ask({ approval: { ...TERMS, requester: { ...requester, id: 6 } } });
    });

    it('lets the job wait for a worker, in its lane and bound to its plan', async () => {
      const plan = await ask({ approval: null, params: { ...PARAMS, dryRun: true } });
      await stores.jobs.requestCancel(plan.id, AT, noRecord);
      const job = await ask();
      const { id } = await ofJob(job);
      await stores.approvals.setPlan(id, plan.id, null);
      expect(await ofJob(job)).toMatchObject({ planJobId: plan.id });
      const decision = { ...YES, note: 'go on', planId: plan.id };
      const decided = await stores.approvals.approve(id, decision, noRecord);
      expect(decided).toMatchObject({
        approval: { state: 'approved', decidedAt: AT + 1, decidedBy: 'user:root', note: 'go on' },
        job: { id: job.id, status: 'pending', current: null, params: { ...PARAMS, planId: plan.id } },
        batch: null,
      });
      expect(await stores.jobs.find(job.id)).toEqual(decided.job);
      await expectRefusal(ask({ approval: null }), 'job_already_active');
      const claims = await stores.queue.claim({
        owner: 'me',
        leaseMs: 60_000,
        limit: 9,
        at: AT,
        record: noRecord,
      });
      expect(claims.map((claim) => claim.job.id)).toEqual([job.id]);
      await expectRefusal(stores.approvals.setPlan(id, plan.id, null), 'approval_decided');
    });

    it('goes on waiting where the lane is taken, the plan was used or the server is gone', async () => {
      const job = await ask();
      const { id } = await ofJob(job);
      const holder = await ask({ approval: null });
      const held = await expectRefusal(stores.approvals.approve(id, YES, noRecord), 'job_already_active');
      expect((held as JobAlreadyActive).job).toEqual(holder);
      await stores.jobs.requestCancel(holder.id, AT, noRecord);
      const used = await ask({ approval: null, params: { ...PARAMS, planId: holder.id } });
      await stores.jobs.requestCancel(used.id, AT, noRecord);
      const late = stores.approvals.approve(id, { ...YES, planId: holder.id }, noRecord);
      await expectRefusal(late, 'plan_used');
      await expect(stores.approvals.approve(id, YES, brokenRecord)).rejects.toThrow('no record today');
      expect(await ofJob(job)).toMatchObject({ state: 'waiting' });
      expect(await stores.jobs.find(job.id)).toEqual(job);
      await stores.servers.remove(web, AT, {});
      await expectRefusal(stores.approvals.approve(id, YES, noRecord), 'server_not_found');
    });

    it('is decided once, and not after its time', async () => {
      const job = await ask();
      const { id } = await ofJob(job);
      const late = { ...YES, at: AT + HOUR };
      await expectRefusal(stores.approvals.approve(id, late, noRecord), 'approval_decided');
      expect(await stores.approvals.due(AT + HOUR - 1, 10)).toEqual([]);
      const [due] = await stores.approvals.due(AT + HOUR, 10);
      expect(due?.id).toBe(id);
      const reason = nobodyDecided({ expiresAt: AT + HOUR });
      const over = { state: 'expired', at: AT + HOUR, by: null, note: null, reason } as const;
      const { job: ended } = await stores.approvals.end(id, over, noRecord);
      expect(ended).toMatchObject({ status: 'cancelled', error: reason, finishedAt: AT + HOUR });
      expect(await ofJob(job)).toMatchObject({ state: 'expired', decidedBy: null });
      await expectRefusal(stores.approvals.approve(id, YES, noRecord), 'approval_decided');
      await expectRefusal(stores.approvals.end(id, over, noRecord), 'approval_decided');
      await expectRefusal(stores.approvals.approve(id + 100, YES, noRecord), 'approval_not_found');
      await expectRefusal(stores.jobs.requestCancel(job.id, AT, noRecord), 'job_not_cancellable');
      expect(await stores.approvals.countWaiting()).toBe(0);
      expect((await stores.approvals.list({ state: 'expired' }, ALL)).items).toHaveLength(1);
      expect((await stores.approvals.list({ state: 'waiting' }, ALL)).items).toHaveLength(0);
    });

    it('is refused with the reason on the job', async () => {
      const job = await ask();
      const reason = refusedBy('user:root', 'not tonight');
      const no = { state: 'refused', at: AT + 2, by: 'user:root', note: 'not tonight', reason } as const;
      await stores.approvals.end((await ofJob(job)).id, no, noRecord);
      expect(await stores.jobs.find(job.id)).toMatchObject({
        status: 'cancelled',
        current: null,
        summary: 'user:root declined it: not tonight',
        error: { code: 'approval_refused', detail: 'user:root declined it: not tonight' },
      });
    });

    describe('of a change', () => {
      const change = { kind: 'set_features', summary: 'backup: on → off', basis: 'a'.repeat(64) } as const;
      const asked = { serverId: 1, subject: 'web', createdAt: AT, change, key: 'switch backup off' };
      const requestChange = (over: Partial<typeof asked> = {}): Promise<Approval> =>
        stores.approvals.request({ ...asked, ...over }, TERMS, (id) => `v1.sealed.${id}`, noRecord);

      it('keeps its contents until the decision, and no longer', async () => {
        const approval = await requestChange();
        expect(approval).toMatchObject({
          jobId: null,
          batchId: null,
          serverId: 1,
          jobType: null,
          change: { ...change, outcome: null, outcomeDetail: null },
          subject: 'web',
          requester,
          state: 'waiting',
        });
        expect(await stores.approvals.find(approval.id)).toEqual(approval);
        expect(await stores.approvals.sealedOf(approval.id)).toBe(`v1.sealed.${approval.id}`);
        expect(await stores.approvals.countWaiting()).toBe(1);
        const reason = refusedBy('user:root', null);
        const no = { state: 'refused', at: AT + 2, by: 'user:root', note: null, reason } as const;
        const refused = await stores.approvals.end(approval.id, no, noRecord);
        expect(refused).toMatchObject({
          approval: { state: 'refused', change: { outcome: null } },
          job: null,
        });
        expect(await stores.approvals.sealedOf(approval.id)).toBeNull();
        await expectRefusal(stores.approvals.approve(approval.id, YES, noRecord), 'approval_decided');
      });

      it('is written once while it waits, and bounded by requester', async () => {
        const [first, again] = await Promise.all([requestChange(), requestChange()]);
        expect(again.id).toBe(first.id);
        await expect(
          stores.approvals.request({ ...asked, key: 'broken' }, TERMS, () => 'v1', brokenRecord),
        ).rejects.toThrow('no record today');
        expect(await stores.approvals.countWaiting()).toBe(1);
        for (let index = 1; index < MAX_WAITING; index += 1) await requestChange({ key: `change ${index}` });
        await expectRefusal(requestChange({ key: 'one more' }), 'too_many_approvals');
        await stores.approvals.request(
          { ...asked, key: 'of another' },
          { ...TERMS, requester: { ...requester, id: 6 } },
          () => 'v1',
          noRecord,
        );
      });

      it('is running from the approval on, and has one result', async () => {
        const { id } = await requestChange();
        const late = { ...YES, at: AT + HOUR };
        await expectRefusal(stores.approvals.approve(id, late, noRecord), 'approval_decided');
        expect((await stores.approvals.find(id))?.change?.outcome).toBeNull();
        const { approval, job, batch } = await stores.approvals.approve(id, YES, noRecord);
        expect(approval).toMatchObject({ state: 'approved', change: { outcome: 'running' } });
        expect([job, batch]).toEqual([null, null]);
        expect(await stores.approvals.sealedOf(id)).toBeNull();
        expect(await stores.approvals.unsettled(AT + 1, 9)).toEqual([]);
        expect(await stores.approvals.unsettled(AT + 2, 9)).toEqual([approval]);
        const failed = { outcome: 'failed', detail: 'The disk is full.' } as const;
        expect(await stores.approvals.settle(id, failed, {})).toBe(true);
        expect(await stores.approvals.settle(id, { outcome: 'unknown', detail: null }, {})).toBe(false);
        expect((await stores.approvals.find(id))?.change).toEqual({
          ...change,
          outcome: 'failed',
          outcomeDetail: 'The disk is full.',
        });
        expect(await stores.approvals.unsettled(AT + DAY, 9)).toEqual([]);
        await requestChange();
      });
    });

    it('is one for a whole batch, which starts or ends by it', async () => {
      const batch = await askBatch();
      expect(batch).toMatchObject({ status: 'awaiting_approval', approvedBy: null });
      expect(await stores.batches.running(0, 10)).toEqual([]);
      const approval = await ofBatch(batch);
      expect(approval).toMatchObject({ jobId: null, serverId: null, subject: '2 servers' });
      const { batch: begun } = await stores.approvals.approve(approval.id, YES, noRecord);
      expect(begun).toMatchObject({ status: 'running', approvedBy: 'user:root' });
      expect((await stores.batches.running(0, 10)).map((each) => each.batch)).toEqual([begun]);

      const refused = await askBatch();
      const reason = refusedBy('user:root', null);
      const no = { state: 'refused', at: AT + 2, by: 'user:root', note: null, reason } as const;
      const { id } = await ofBatch(refused);
      expect((await stores.approvals.end(id, no, noRecord)).batch).toMatchObject({
        status: 'cancelled',
        stopReason: 'user:root declined it.',
        finishedAt: AT + 2,
        counts: { waiting: 0, left_out: 2 },
      });

      const cancelled = await askBatch();
      expect(await stores.batches.requestCancel(cancelled.id, AT + 3, noRecord)).toMatchObject({
        status: 'cancelled',
        finishedAt: AT + 3,
        counts: { waiting: 0, left_out: 2 },
      });
      expect(await ofBatch(cancelled)).toMatchObject({ state: 'withdrawn' });
      await expectRefusal(stores.batches.requestCancel(cancelled.id, AT, noRecord), 'batch_not_cancellable');
    });
  });
}
