import { beforeEach, describe, expect, it } from 'vitest';
import type { Approving } from '../../src/application/ports/jobs/approval-store.ts';
import { type ApprovalRule, MAX_APPROVERS, USUAL_RULE } from '../../src/domain/access/approval-rule.ts';
import { isDomainError } from '../../src/domain/base/errors.ts';
import { HOUR } from '../../src/domain/base/instant.ts';
import type { Approval } from '../../src/domain/jobs/approval.ts';
import { JobAlreadyActive, requestJob } from '../../src/domain/jobs/job.ts';
import { expectRefusal } from '../support/expect-refusal.ts';
import {
  AT,
  addServer,
  brokenRecord,
  type MakeStores,
  noRecord,
  type StoresSubject,
} from '../support/stores-subject.ts';

const requester = { kind: 'token', id: 5, name: 'agent', address: null, label: 'token:agent' } as const;
const PAIR: ApprovalRule = { fourEyes: false, role: 'operator', approvers: 2 };

/** What every `ApprovalStore` does for requests that need several users, or others than some. */
export function approvalVotesContract(name: string, makeStores: MakeStores): void {
  describe(`ApprovalStore, several users: ${name}`, () => {
    let stores: StoresSubject;
    let server: number;
    let ids: Readonly<Record<string, number>>;
    beforeEach(async () => {
      stores = await makeStores();
      server = await addServer(stores, 'web');
      const made: Record<string, number> = {};
      for (const user of ['ann', 'bob', 'cid', 'dan', 'eve']) {
        const { id } = await stores.users.add(
          { name: user, role: 'operator', createdBy: 'cli', createdAt: AT },
          noRecord,
        );
        made[user] = id;
      }
      ids = made;
    });

    const ask = async (approval: object | null = {}): Promise<Approval> => {
      const job = await stores.jobs.enqueue(
        requestJob({
          server: { id: server, name: 'web' },
          type: 'os_patch',
          params: { sourceFilter: null, service: null, osSteps: null, dryRun: false },
          requestedBy: 'token:agent',
          scheduled: false,
          approval: approval === null ? null : { requester, expiresAt: AT + HOUR },
          at: AT,
        }),
        noRecord,
      );
      const found = await stores.approvals.ofJob(job.id);
      return found ?? ({} as Approval);
    };
    const by = (user: string, rule: ApprovalRule, over: Partial<Approving> = {}, barred: string[] = []) => ({
      at: AT + 1,
      by: `user:${user}`,
      note: null,
      planId: null,
      voter: { userId: ids[user] ?? 0, rule, barred },
      ...over,
    });
    const jobOf = ({ jobId }: Approval) => stores.jobs.find(jobId ?? 0);
    const votesOf = async ({ id }: Approval) =>
      (await stores.approvals.find(id))?.votes.map(({ label }) => label);

    it('waits until as many users have approved as are needed, each once', async () => {
      const asked = await ask();
      const first = await stores.approvals.approve(asked.id, by('ann', PAIR), noRecord);
      expect(first).toMatchObject({
        approval: { state: 'waiting', decidedBy: null, votes: [{ userId: ids['ann'], label: 'user:ann' }] },
        job: { status: 'awaiting_approval' },
      });
      await expectRefusal(stores.approvals.approve(asked.id, by('ann', PAIR), noRecord), 'already_approved');
      const second = await stores.approvals.approve(asked.id, by('bob', PAIR), noRecord);
      expect(second).toMatchObject({
        approval: { state: 'approved', decidedBy: 'user:bob' },
        job: { status: 'pending' },
      });
      expect(await votesOf(asked)).toEqual(['user:ann', 'user:bob']);
      await expectRefusal(stores.approvals.approve(asked.id, by('cid', PAIR), noRecord), 'approval_decided');
    });

    it('counts no one who was disabled, or lost the role, in the meantime', async () => {
      const asked = await ask();
      await stores.approvals.approve(asked.id, by('ann', PAIR), noRecord);
      await stores.users.change(ids['ann'] ?? 0, { disabledAt: AT }, noRecord);
      const second = await stores.approvals.approve(asked.id, by('bob', PAIR), noRecord);
      expect(second.approval.state).toBe('waiting');
      await stores.users.change(ids['bob'] ?? 0, { role: 'viewer' }, noRecord);
      const third = await stores.approvals.approve(asked.id, by('cid', PAIR), noRecord);
      expect(third.approval.state).toBe('waiting');
      const fourth = await stores.approvals.approve(asked.id, by('dan', PAIR), noRecord);
      expect(fourth.approval.state).toBe('approved');
      expect(await votesOf(asked)).toEqual(['user:cid', 'user:dan']);
    });

    it('refuses a user who lost the role since signing in, and others than administrators', async () => {
      const asked = await ask();
      await stores.users.change(ids['ann'] ?? 0, { role: 'viewer' }, noRecord);
      await expectRefusal(
        stores.approvals.approve(asked.id, by('ann', USUAL_RULE), noRecord),
        'role_missing',
      );
      await stores.users.change(ids['bob'] ?? 0, { disabledAt: AT }, noRecord);
      await expectRefusal(
        stores.approvals.approve(asked.id, by('bob', USUAL_RULE), noRecord),
        'role_missing',
      );
      const only = { ...USUAL_RULE, role: 'administrator' } as const;
      await expectRefusal(stores.approvals.approve(asked.id, by('cid', only), noRecord), 'role_missing');
      await stores.users.change(ids['cid'] ?? 0, { role: 'administrator' }, noRecord);
      await stores.approvals.approve(asked.id, by('cid', only), noRecord);
      expect(await jobOf(asked)).toMatchObject({ status: 'pending' });
    });

    it('refuses the requester and users who started the dry run, whose earlier approvals no longer count', async () => {
      const asked = await ask();
      const rule = { fourEyes: true, role: 'operator', approvers: 2 } as const;
      const barred = ['user:ann'];
      const no = stores.approvals.approve(asked.id, by('ann', rule, {}, barred), noRecord);
      await expectRefusal(no, 'second_person_required');
      await stores.approvals.approve(asked.id, by('bob', rule, {}, barred), noRecord);
      await stores.approvals.setPlan(asked.id, 77, 'user:bob');
      await stores.approvals.setPlan(asked.id, 78, null);
      await stores.approvals.setPlan(asked.id, 79, 'user:bob');
      expect(await stores.approvals.find(asked.id)).toMatchObject({ planJobId: 79, planners: ['user:bob'] });
      const planner = stores.approvals.approve(asked.id, by('bob', rule, {}, barred), noRecord);
      await expectRefusal(planner, 'second_person_required');
      const third = await stores.approvals.approve(asked.id, by('cid', rule, {}, barred), noRecord);
      expect(third.approval.state).toBe('waiting');
      const fourth = await stores.approvals.approve(asked.id, by('dan', rule, {}, barred), noRecord);
      expect(fourth.approval.state).toBe('approved');
    });

    it('counts approvals of the same plan only', async () => {
      const asked = await ask();
      await stores.approvals.approve(asked.id, by('ann', PAIR, { planId: 71 }), noRecord);
      const other = await stores.approvals.approve(asked.id, by('bob', PAIR, { planId: 72 }), noRecord);
      expect(other.approval.state).toBe('waiting');
      const without = await stores.approvals.approve(asked.id, by('cid', PAIR), noRecord);
      expect(without.approval.state).toBe('waiting');
      const again = await stores.approvals.approve(asked.id, by('ann', PAIR, { planId: 72 }), noRecord);
      expect(again).toMatchObject({ approval: { state: 'approved' }, job: { params: { planId: 72 } } });
    });

    it('keeps waiting, with the earlier approvals alone, if the last one cannot start the job', async () => {
      const asked = await ask();
      await stores.approvals.approve(asked.id, by('ann', PAIR), noRecord);
      const before = await stores.approvals.find(asked.id);
      const broken = stores.approvals.approve(asked.id, by('bob', PAIR), brokenRecord);
      await expect(broken).rejects.toThrow('no record today');
      await ask(null);
      await expect(stores.approvals.approve(asked.id, by('bob', PAIR), noRecord)).rejects.toBeInstanceOf(
        JobAlreadyActive,
      );
      const late = stores.approvals.approve(asked.id, by('bob', PAIR, { at: AT + HOUR }), noRecord);
      await expect(late).rejects.toThrow();
      expect(await stores.approvals.find(asked.id)).toEqual(before);
    });

    it('accepts no approval after its time, also one that would not decide', async () => {
      const asked = await ask();
      const late = stores.approvals.approve(asked.id, by('ann', PAIR, { at: AT + HOUR }), noRecord);
      await expectRefusal(late, 'approval_decided');
    });

    it('loses none of several approvals at the same time, and counts none twice', async () => {
      const rule = { ...USUAL_RULE, approvers: 3 };
      for (let round = 0; round < 5; round += 1) {
        server = await addServer(stores, `host-${round}`);
        const asked = await ask();
        const all = ['ann', 'ann', 'bob', 'ann', 'bob', 'cid'];
        const results = await Promise.allSettled(
          all.map((user) => stores.approvals.approve(asked.id, by(user, rule), noRecord)),
        );
        const refusals = results.filter((result) => result.status === 'rejected');
        expect(refusals).toHaveLength(all.length - 3);
        for (const { reason } of refusals)
          expect(
            isDomainError(reason) && ['already_approved', 'approval_decided'].includes(reason.code),
          ).toBe(true);
        expect(await stores.approvals.find(asked.id)).toMatchObject({ state: 'approved' });
        expect((await votesOf(asked))?.toSorted()).toEqual(['user:ann', 'user:bob', 'user:cid']);
        expect(await jobOf(asked)).toMatchObject({ status: 'pending' });
      }
    });

    it('never starts a job on an approval by a user who lost the role at the same moment', async () => {
      for (let round = 0; round < 5; round += 1) {
        server = await addServer(stores, `race-${round}`);
        const asked = await ask();
        await stores.users.change(ids['ann'] ?? 0, { role: 'operator' }, noRecord);
        await stores.approvals.approve(asked.id, by('ann', PAIR), noRecord);
        const [, approved] = await Promise.all([
          stores.users.change(ids['ann'] ?? 0, { role: 'viewer' }, noRecord),
          stores.approvals.approve(asked.id, by('bob', PAIR), noRecord),
        ]);
        const { state } = approved.approval;
        expect(await jobOf(asked)).toMatchObject({
          status: state === 'approved' ? 'pending' : 'awaiting_approval',
        });
        // If the role was gone first, the approval of the other one alone is not enough.
        if (state === 'waiting') {
          const again = stores.approvals.approve(asked.id, by('bob', PAIR), noRecord);
          await expectRefusal(again, 'already_approved');
        }
      }
    });

    it('takes as many users as a rule can ask for', async () => {
      const asked = await ask();
      const rule = { ...USUAL_RULE, approvers: MAX_APPROVERS };
      const states: string[] = [];
      for (const user of ['ann', 'bob', 'cid', 'dan', 'eve'])
        states.push((await stores.approvals.approve(asked.id, by(user, rule), noRecord)).approval.state);
      expect(states).toEqual(['waiting', 'waiting', 'waiting', 'waiting', 'approved']);
    });
  });
}
