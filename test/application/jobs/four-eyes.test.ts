import { beforeEach, describe, expect, it } from 'vitest';
import { EditToken } from '../../../src/application/access/edit-token.ts';
import { IssueToken } from '../../../src/application/access/issue-token.ts';
import { RotateToken } from '../../../src/application/access/manage-tokens.ts';
import { StartBatch } from '../../../src/application/automation/start-batch.ts';
import { planResult } from '../../../src/application/jobs/job-plans.ts';
import { RequestChange } from '../../../src/application/jobs/request-change.ts';
import { type JobRunner, JobRunners } from '../../../src/application/jobs/runner.ts';
import { TriggerJob } from '../../../src/application/jobs/trigger-job.ts';
import { Actor } from '../../../src/domain/access/actor.ts';
import { type ApprovalRule, USUAL_RULE } from '../../../src/domain/access/approval-rule.ts';
import type { Role } from '../../../src/domain/access/role.ts';
import { actorOfUser } from '../../../src/domain/access/user.ts';
import { HOUR } from '../../../src/domain/base/instant.ts';
import type { Approval } from '../../../src/domain/jobs/approval.ts';
import type { Job } from '../../../src/domain/jobs/job.ts';
import { type ApplicationScene, applicationScene, tokenActor } from '../../support/application-scene.ts';
import { approvalsOf } from '../../support/approvals.ts';
import { expectRefusal } from '../../support/expect-refusal.ts';

const runner: JobRunner = {
  types: ['backup', 'os_update_check', 'os_patch'],
  timeLimitMs: 1_000,
  plan: () => Promise.reject(new Error('nothing runs here')),
  apply: () => Promise.reject(new Error('nothing runs here')),
};
const noRecord = () => ({});
const OTHERS: ApprovalRule = { ...USUAL_RULE, fourEyes: true };
const PAIR: ApprovalRule = { ...USUAL_RULE, approvers: 2 };
const ADMINS: ApprovalRule = { ...USUAL_RULE, role: 'administrator' };

let scene: ApplicationScene;
let parts: ApplicationScene & { readonly runners: JobRunners };
let approvals: ReturnType<typeof approvalsOf>;
let people: Readonly<Record<'ann' | 'bob' | 'cid', Actor>>;
let tokenId: number;

const add = async (name: string, role: Role): Promise<Actor> =>
  actorOfUser(
    await scene.users.add({ name, role, createdBy: 'cli', createdAt: 0 }, noRecord),
    '203.0.113.9',
    true,
  );

beforeEach(async () => {
  scene = applicationScene();
  parts = { ...scene, runners: new JobRunners([runner]) };
  approvals = approvalsOf(parts);
  await scene.addServer('one', { backup: true, os_patch: true }, 'ssh');
  await scene.addSource(1);
  people = {
    ann: await add('ann', 'administrator'),
    bob: await add('bob', 'administrator'),
    cid: await add('cid', 'operator'),
  };
  const asked = { name: 'agent', scopes: ['read', 'jobs', 'edit'], requireApproval: true };
  tokenId = (await new IssueToken(scene).execute(people.ann, asked)).token.id;
});

const agent = (): Actor => tokenActor({ id: tokenId, requireApproval: true });
const setRule = (rule: ApprovalRule) => scene.approvalRules.set(people.ann, rule);
const ask = (actor = agent(), over: object = {}): Promise<Job> =>
  new TriggerJob(parts).execute(actor, { serverId: 1, jobType: 'os_patch', ...over });
async function requestOf(job: Job): Promise<Approval> {
  const found = await scene.approvals.ofJob(job.id);
  if (!found) throw new Error('The job needs no approval.');
  return found;
}
const approve = (actor: Actor, { id }: { readonly id: number }, terms = {}): Promise<Approval> =>
  approvals.approveRequest.execute(actor, id, terms);
const standing = async (actor: Actor, { id }: { readonly id: number }) =>
  (await approvals.getApproval.execute(actor, id)).standing;

/** Ends the dry runs that wait. */
async function work(): Promise<void> {
  const at = scene.clock.now();
  for (const claim of await scene.queue.claim({
    owner: 'me',
    leaseMs: HOUR,
    limit: 9,
    at,
    record: noRecord,
  })) {
    const result = { ...planResult(claim.job, ['upgrade demo 1 2'], at, scene.digest), changes: [] };
    const outcome = { status: 'success', summary: 'done', error: null, result } as const;
    await scene.queue.finish(claim, outcome, at, noRecord);
  }
}
async function waiting(): Promise<Approval> {
  const job = await ask();
  await work();
  return requestOf(job);
}

describe('A second person', () => {
  it('is not the user who created the token', async () => {
    const request = await waiting();
    await setRule(OTHERS);
    await expectRefusal(approve(people.ann, request), 'second_person_required');
    expect(await standing(people.ann, request)).toMatchObject({ fault: 'second person', missing: 1 });
    expect(scene.kept.audit.at(-1)).toMatchObject({
      action: 'approval.approve',
      outcome: 'second_person_required',
    });
    expect(await standing(people.bob, request)).toMatchObject({ fault: null });
    expect(await approve(people.bob, request)).toMatchObject({ state: 'approved' });
  });

  it('is not a user who has ever replaced its secret', async () => {
    await setRule(OTHERS);
    const request = await waiting();
    await new RotateToken(scene).execute(people.bob, tokenId);
    await new RotateToken(scene).execute(people.ann, tokenId);
    await expectRefusal(approve(people.bob, request), 'second_person_required');
    expect(await approve(people.cid, request)).toMatchObject({ state: 'approved' });
  });

  it('is not a user who started a dry run of the request, or the dry run that the agent brought', async () => {
    await setRule(OTHERS);
    const request = await waiting();
    await approvals.approvalPlans.execute(people.bob, request.id);
    await work();
    await expectRefusal(approve(people.bob, request), 'second_person_required');
    await approvals.approvalPlans.execute(people.cid, request.id);
    await work();
    await expectRefusal(approve(people.bob, request, { withoutPlan: true }), 'second_person_required');
    await expectRefusal(approve(people.cid, request), 'second_person_required');
    await approvals.refuseRequest.execute(people.ann, request.id, {});

    const brought = await ask(people.cid, { dryRun: true });
    await work();
    const job = await ask(agent(), { planId: brought.id });
    await expectRefusal(approve(people.cid, await requestOf(job)), 'second_person_required');
    expect(await approve(people.bob, await requestOf(job))).toMatchObject({ state: 'approved' });
  });

  it('approves the dry run of the request, not another one of the same kind', async () => {
    await setRule(OTHERS);
    const request = await waiting();
    const own = await ask(people.bob, { dryRun: true });
    await work();
    await expectRefusal(approve(people.bob, request, { planId: own.id }), 'plan_not_found');
    await setRule(USUAL_RULE);
    await approve(people.bob, request, { planId: own.id });
  });

  it('is not the user whose schedule needs approval', async () => {
    await setRule(OTHERS);
    const job = await ask(people.cid.acting({ via: 'schedule nightly', requireApproval: true }), {
      jobType: 'backup',
    });
    await expectRefusal(approve(people.cid, await requestOf(job)), 'second_person_required');
    await approve(people.bob, await requestOf(job));
  });

  it('is needed for batches and other changes, too', async () => {
    await setRule(OTHERS);
    const batch = await new StartBatch(parts).execute(agent(), {
      selector: { all: true },
      jobType: 'os_update_check',
      bounds: {},
    });
    const change = await new RequestChange({ ...scene }).execute(agent(), {
      kind: 'set_features',
      serverId: 1,
      flags: { backup: false },
    });
    const { items } = await scene.approvals.list({}, { limit: 9, offset: 0 });
    const ofBatch = items.find(({ batchId }) => batchId === batch.id);
    for (const request of [ofBatch, change]) {
      await expectRefusal(approve(people.ann, request ?? { id: 0 }), 'second_person_required');
      expect(await approve(people.bob, request ?? { id: 0 })).toMatchObject({ state: 'approved' });
    }
    expect((await scene.servers.find(1))?.features.backup).toBe(false);
  });

  it('can be asked for by one token alone', async () => {
    const edit = new EditToken(scene);
    await edit.execute(people.ann, tokenId, { approvalRule: OTHERS });
    const request = await waiting();
    await expectRefusal(approve(people.ann, request), 'second_person_required');
    await edit.execute(people.ann, tokenId, { requireApproval: false });
    expect(await scene.tokens.find(tokenId)).toMatchObject({ approvalRule: null });
    const off = edit.execute(people.ann, tokenId, { approvalRule: OTHERS });
    expect((await expectRefusal(off, 'invalid_input')).problems).toMatchObject([{ path: '/approval' }]);
  });
});

describe('Several approvals', () => {
  it('are counted, named in audit log and events, and the last one makes the change once', async () => {
    await setRule(PAIR);
    const change = await new RequestChange({ ...scene }).execute(agent(), {
      kind: 'set_features',
      serverId: 1,
      flags: { backup: false },
    });
    const request = change ?? { id: 0 };
    expect(await approve(people.ann, request)).toMatchObject({ state: 'waiting', change: { outcome: null } });
    expect(await scene.approvals.sealedOf(request.id)).not.toBeNull();
    expect((await scene.servers.find(1))?.features.backup).toBe(true);
    expect(await standing(people.ann, request)).toMatchObject({ missing: 1, fault: 'already approved' });
    await expectRefusal(approve(people.ann, request), 'already_approved');
    expect(await approve(people.cid, request)).toMatchObject({
      state: 'approved',
      change: { outcome: 'done' },
    });
    expect((await scene.servers.find(1))?.features.backup).toBe(false);
    const done = scene.kept.audit.filter(
      ({ action, outcome }) => action === 'approval.approve' && outcome === 'done',
    );
    expect(done.map(({ detail }) => detail)).toMatchObject([
      { approvers: ['user:ann'], needed: 2, decided: false },
      { approvers: ['user:ann', 'user:cid'], needed: 2, decided: true },
    ]);
    const events = scene.kept.events.filter(({ type }) => type === 'approval.given');
    expect(events.map(({ message }) => message)).toEqual([
      expect.stringContaining('user:ann'),
      expect.stringContaining('user:ann, user:cid'),
    ]);
  });

  it('of another dry run do not count, and the reviewer sees that', async () => {
    await setRule(PAIR);
    const request = await waiting();
    await approve(people.ann, request);
    await approvals.approvalPlans.execute(people.cid, request.id);
    await work();
    expect(await standing(people.bob, request)).toMatchObject({
      votes: [],
      voidVotes: [{ label: 'user:ann' }],
      missing: 2,
    });
    expect(await approve(people.bob, request)).toMatchObject({ state: 'waiting' });
    expect(await approve(people.ann, request)).toMatchObject({ state: 'approved' });
  });

  it('are asked for as the strictest of both rules says, also of requests that wait already', async () => {
    const request = await waiting();
    await new EditToken(scene).execute(people.ann, tokenId, { approvalRule: ADMINS });
    await setRule(PAIR);
    await expectRefusal(approve(people.cid, request), 'role_missing');
    expect((await standing(people.cid, request)).rule).toEqual({ ...PAIR, role: 'administrator' });
    expect(await approve(people.ann, request)).toMatchObject({ state: 'waiting' });
    expect(await approve(people.bob, request)).toMatchObject({ state: 'approved' });
  });
});

describe('The command line', () => {
  const root = Actor.operator('root');

  it('counts as no user, and approves alone only with an override and a note', async () => {
    for (const rule of [OTHERS, PAIR]) {
      await setRule(rule);
      const request = await waiting();
      await expectRefusal(approve(root, request), 'second_person_required');
      const silent = approve(root, request, { override: true });
      expect((await expectRefusal(silent, 'invalid_input')).problems).toMatchObject([{ path: '/note' }]);
      const alone = await approve(root, request, { override: true, note: 'both ill' });
      expect(alone).toMatchObject({ state: 'approved', decidedBy: 'root', note: 'both ill' });
      expect(scene.kept.audit.at(-1)?.detail).toMatchObject({ override: true, note: 'both ill' });
      expect(scene.kept.events.at(-1)).toMatchObject({ type: 'approval.given', severity: 'warning' });
      await scene.jobs.requestCancel(request.jobId ?? 0, scene.clock.now(), noRecord);
    }
  });

  it('approves as before if any operator or administrator may, and no user can override', async () => {
    await setRule(ADMINS);
    const request = await waiting();
    const mine = approve(people.ann, request, { override: true, note: 'me' });
    expect((await expectRefusal(mine, 'invalid_input')).problems).toMatchObject([{ path: '/override' }]);
    expect(await approve(root, request)).toMatchObject({ state: 'approved' });
  });
});

describe('The rule', () => {
  it('is set by administrators, and recorded', async () => {
    await expectRefusal(scene.approvalRules.set(people.cid, PAIR), 'role_missing');
    await expectRefusal(scene.approvalRules.set(agent(), USUAL_RULE), 'role_missing');
    await expectRefusal(scene.approvalRules.get(agent()), 'role_missing');
    await setRule({ fourEyes: true, role: 'administrator', approvers: 5 });
    expect(await scene.approvalRules.get(people.cid)).toEqual({
      fourEyes: true,
      role: 'administrator',
      approvers: 5,
    });
    expect(scene.kept.audit.at(-1)).toMatchObject({
      action: 'approval.set_rule',
      actorName: 'ann',
      detail: { before: expect.any(String), after: expect.any(String) },
    });
  });

  it.each([
    [{ ...PAIR, approvers: 0 }, '/approvers'],
    [{ ...PAIR, approvers: 6 }, '/approvers'],
    [{ ...PAIR, approvers: 1.5 }, '/approvers'],
    [{ ...PAIR, approvers: Number.NaN }, '/approvers'],
    [{ ...PAIR, role: 'viewer' }, '/approver_role'],
    [{ ...PAIR, role: '' }, '/approver_role'],
  ])('refuses %o', async (raw, path) => {
    const refusal = await expectRefusal(scene.approvalRules.set(people.ann, raw), 'invalid_input');
    expect(refusal.problems).toMatchObject([{ path }]);
    const asked = { name: 'other', scopes: ['read'], requireApproval: true, approvalRule: raw };
    const token = await expectRefusal(new IssueToken(scene).execute(people.ann, asked), 'invalid_input');
    expect(token.problems).toMatchObject([{ path }]);
    expect(await scene.approvalRules.get(people.ann)).toEqual(USUAL_RULE);
  });

  it('lets no one approve if it cannot be read', async () => {
    const request = await waiting();
    await scene.settings.set('approvals.rule', '{"fourEyes":true,"role":"auditor","approvers":1}');
    await expectRefusal(approve(people.bob, request), 'invalid_input');
    expect(await scene.approvals.find(request.id)).toMatchObject({ state: 'waiting' });
  });
});
