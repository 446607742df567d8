import { beforeEach, describe, expect, it } from 'vitest';
import { AdvanceBatches } from '../../../src/application/automation/advance-batches.ts';
import { StartBatch } from '../../../src/application/automation/start-batch.ts';
import { CancelJob } from '../../../src/application/jobs/cancel-job.ts';
import { planResult } from '../../../src/application/jobs/job-plans.ts';
import { type JobRunner, JobRunners } from '../../../src/application/jobs/runner.ts';
import { type JobRequest, TriggerJob } from '../../../src/application/jobs/trigger-job.ts';
import { Actor } from '../../../src/domain/access/actor.ts';
import type { Role } from '../../../src/domain/access/role.ts';
import { HOUR, MINUTE } from '../../../src/domain/base/instant.ts';
import type { Approval } from '../../../src/domain/jobs/approval.ts';
import type { Job } from '../../../src/domain/jobs/job.ts';
import { type ApplicationScene, applicationScene, tokenActor } from '../../support/application-scene.ts';
import { approvalsOf } from '../../support/approvals.ts';
import { expectRefusal } from '../../support/expect-refusal.ts';
import { reviewers } from '../../support/reviewers.ts';

const runner: JobRunner = {
  types: ['backup', 'os_update_check', 'os_patch'],
  timeLimitMs: 1_000,
  plan: () => Promise.reject(new Error('nothing runs here')),
  apply: () => Promise.reject(new Error('nothing runs here')),
};
const noRecord = () => ({});
const ALL = { limit: 100, offset: 0 };
const SIGNAL = new AbortController().signal;

let scene: ApplicationScene;
let trigger: TriggerJob;
let startBatch: StartBatch;
let advance: AdvanceBatches;
let approvals: ReturnType<typeof approvalsOf>;
let agent: Actor;
let person: (role: Role) => Actor;

beforeEach(async () => {
  scene = applicationScene();
  const runners = new JobRunners([runner]);
  trigger = new TriggerJob({ ...scene, runners });
  startBatch = new StartBatch({ ...scene, runners });
  advance = new AdvanceBatches({ ...scene, triggerJob: trigger, cancelJob: new CancelJob(scene) });
  approvals = approvalsOf({ ...scene, runners });
  await scene.addServer('one', { backup: true, os_patch: true });
  await scene.addServer('two', { os_patch: true });
  await scene.addSource(1);
  person = await reviewers(scene.users, '203.0.113.9');
  const { id } = await scene.tokens.add(
    {
      name: 'agent',
      scopes: ['read', 'jobs'],
      allowedCidrs: [],
      allowedServerIds: null,
      requireApproval: true,
      expiresAt: null,
      prefix: 'drv_00000000',
      createdBy: 'user:root',
      createdAt: scene.clock.now(),
    },
    'a'.repeat(64),
    noRecord,
  );
  agent = tokenActor({ id, requireApproval: true });
});

const byOperator = (): Actor => person('operator');

const ask = (over: Partial<JobRequest> = {}): Promise<Job> =>
  trigger.execute(agent, { serverId: 1, jobType: 'os_patch', ...over });
const requestOf = async (job: Job): Promise<Approval> => {
  const found = await approvals.getApproval.ofJob(byOperator(), job.id);
  if (!found) throw new Error('The job needs no approval.');
  return found;
};
const look = async (job: Job): Promise<Job | null> => scene.jobs.find(job.id);
const approve = async (job: Job, terms = {}): Promise<Approval> =>
  approvals.approveRequest.execute(byOperator(), (await requestOf(job)).id, terms);

/** Ends the jobs that wait for a worker; a dry run with a plan. */
async function work(): Promise<readonly Job[]> {
  const at = scene.clock.now();
  const claims = await scene.queue.claim({ owner: 'me', leaseMs: HOUR, limit: 9, at, record: noRecord });
  for (const claim of claims) {
    const { job } = claim;
    const result = job.params.dryRun
      ? { ...planResult(job, ['upgrade demo 1 2'], at, scene.digest), changes: [] }
      : {};
    const outcome = { status: 'success', summary: 'done', error: null, result } as const;
    await scene.queue.finish(claim, outcome, at, noRecord);
  }
  return claims.map(({ job }) => job);
}

describe('A job that needs approval', () => {
  it('waits, notifies users, and has its dry run made for the reviewer', async () => {
    const job = await ask();
    expect(job).toMatchObject({ status: 'awaiting_approval', current: expect.stringContaining('approval') });
    expect(scene.kept.events.map(({ type }) => type)).toEqual(['approval.requested']);
    const [dryRun] = await work();
    expect(dryRun).toMatchObject({
      jobType: 'os_patch',
      params: { dryRun: true },
      requestedBy: `approval of job ${job.id}`,
    });
    const shown = await approvals.getApproval.execute(person('viewer'), (await requestOf(job)).id);
    expect(shown).toMatchObject({ job: { id: job.id }, plan: { id: dryRun?.id, status: 'success' } });
    expect(await approvals.listApprovals.countWaiting(byOperator())).toBe(1);
  });

  it('does just what the dry run said once a person approves it', async () => {
    const job = await ask();
    const [dryRun] = await work();
    expect(await approve(job, { note: ' go on ' })).toMatchObject({
      state: 'approved',
      decidedBy: 'user:operator',
      note: 'go on',
    });
    expect(await look(job)).toMatchObject({ status: 'pending', params: { planId: dryRun?.id } });
    expect(scene.kept.audit.at(-1)).toMatchObject({
      action: 'approval.approve',
      actorName: 'operator',
      address: '203.0.113.9',
      outcome: 'done',
      detail: { jobId: job.id, serverId: 1, requestedBy: 'token:agent', planId: dryRun?.id, note: 'go on' },
    });
    await expectRefusal(approve(job), 'approval_decided');
  });

  it('cannot be approved before the dry run has ended, by another one, or by one that is too old', async () => {
    const job = await ask();
    await expectRefusal(approve(job), 'plan_not_found');
    await work();
    await expectRefusal(approve(job, { planId: job.id }), 'plan_not_found');
    await scene.clock.advance(61 * MINUTE);
    await expectRefusal(approve(job), 'plan_expired');
    const { id } = await requestOf(job);
    const anew = await approvals.approvalPlans.execute(byOperator(), id);
    await expectRefusal(approvals.approvalPlans.execute(byOperator(), id), 'job_already_active');
    await work();
    await approve(job);
    expect(await look(job)).toMatchObject({ status: 'pending', params: { planId: anew.id } });
  });

  it('needs no dry run where it changes nothing, or where the person does without', async () => {
    const backup = await ask({ jobType: 'backup' });
    expect(await work()).toEqual([]);
    await approve(backup);
    expect(await look(backup)).toMatchObject({ status: 'pending' });
    const patch = await ask({ serverId: 2 });
    await work();
    await approve(patch, { withoutPlan: true });
    expect((await look(patch))?.params).not.toHaveProperty('planId');
  });

  it('is asked for without a plan where another job is in its lane, and then waits for that', async () => {
    const holder = await trigger.execute(Actor.operator('me'), { serverId: 1, jobType: 'os_patch' });
    const job = await ask();
    expect(await requestOf(job)).toMatchObject({ planJobId: null });
    const refusal = await expectRefusal(approve(job, { withoutPlan: true }), 'job_already_active');
    expect(refusal.message).toContain(`Job ${holder.id} `);
    expect(await look(job)).toMatchObject({ status: 'awaiting_approval' });
    await work();
    await approve(job, { withoutPlan: true });
    expect(await look(job)).toMatchObject({ status: 'pending' });
  });

  it.each([
    ['the token is revoked', 'approval_void', () => scene.tokens.revoke(agent.id ?? 0, 1, noRecord)],
    ['the server is gone', 'server_not_found', () => scene.servers.remove(1, 1, {})],
    [
      'the feature is off',
      'feature_disabled',
      () =>
        scene.servers.change(1, { features: { backup: true, os_patch: false, docker: false } }, 1, noRecord),
    ],
    [
      'the token may no longer start jobs',
      'scope_missing',
      () => scene.tokens.change(agent.id ?? 0, { ...terms, scopes: ['read'] }, noRecord),
    ],
    [
      'the token may not use that server any more',
      'server_not_found',
      () => scene.tokens.change(agent.id ?? 0, { ...terms, allowedServerIds: [2] }, noRecord),
    ],
    [
      'the token is not let in from there any more',
      'approval_void',
      () => scene.tokens.change(agent.id ?? 0, { ...terms, allowedCidrs: ['192.0.2.0/24'] }, noRecord),
    ],
  ] as const)('is not started once %s', async (_, code, change) => {
    const job = await ask();
    await work();
    await change();
    await expectRefusal(approve(job), code);
    expect(await requestOf(job)).toMatchObject({ state: 'waiting' });
    expect(scene.kept.audit.at(-1)).toMatchObject({ action: 'approval.approve', outcome: code });
  });
  const terms = {
    name: 'agent',
    scopes: ['read', 'jobs'] as const,
    allowedCidrs: [],
    allowedServerIds: null,
    requireApproval: true,
    approvalInClient: false,
    approvalRule: null,
    expiresAt: null,
  };

  it('is decided by operators and administrators alone', async () => {
    const job = await ask();
    const { id } = await requestOf(job);
    for (const actor of [agent, tokenActor(), person('viewer')]) {
      await expectRefusal(approvals.approveRequest.execute(actor, id, {}), 'role_missing');
      await expectRefusal(approvals.refuseRequest.execute(actor, id, {}), 'role_missing');
      await expectRefusal(approvals.approvalPlans.execute(actor, id), 'role_missing');
    }
    await expectRefusal(approvals.listApprovals.execute(tokenActor(), ALL), 'role_missing');
    await approvals.refuseRequest.execute(person('administrator'), id, {});
  });

  it('tells the agent who refused it and why', async () => {
    const job = await ask();
    const { id } = await requestOf(job);
    const long = approvals.refuseRequest.execute(byOperator(), id, { note: 'x'.repeat(501) });
    expect((await expectRefusal(long, 'invalid_input')).problems).toMatchObject([{ path: '/note' }]);
    await approvals.refuseRequest.execute(byOperator(), id, { note: 'not tonight' });
    expect(await look(job)).toMatchObject({
      status: 'cancelled',
      error: { code: 'approval_refused', detail: 'user:operator declined it: not tonight' },
    });
    expect(scene.kept.events.map(({ type }) => type)).toContain('job.cancelled');
  });

  it('ends automatically when it is not decided in time, and says so', async () => {
    const job = await ask();
    await scene.clock.advance(23 * HOUR);
    expect(await approvals.expireApprovals.execute(SIGNAL)).toBe(0);
    await scene.clock.advance(HOUR);
    expect(await approvals.expireApprovals.execute(SIGNAL)).toBe(1);
    expect(await look(job)).toMatchObject({ status: 'cancelled', error: { code: 'approval_expired' } });
    await expectRefusal(approve(job), 'approval_decided');
  });
});

describe('A batch that needs approval', () => {
  const askBatch = () =>
    startBatch.execute(agent, { selector: { all: true }, jobType: 'os_update_check', bounds: {} });
  const jobs = async () => (await scene.jobs.list({}, ALL)).items;

  it('waits as a whole, and none of its hosts has to be approved then', async () => {
    const batch = await askBatch();
    expect(batch).toMatchObject({ status: 'awaiting_approval' });
    expect(scene.kept.events).toMatchObject([{ type: 'approval.requested', serverId: null }]);
    await advance.execute(SIGNAL);
    expect(await jobs()).toEqual([]);
    const [request] = (await approvals.listApprovals.execute(byOperator(), ALL)).items;
    expect(request).toMatchObject({ batchId: batch.id, subject: '2 servers' });
    await expectRefusal(approvals.approvalPlans.execute(byOperator(), request?.id ?? 0), 'invalid_input');
    await approvals.approveRequest.execute(byOperator(), request?.id ?? 0, {});
    await advance.execute(SIGNAL);
    expect((await jobs()).map(({ status }) => status)).toEqual(['pending', 'pending']);
    expect(await scene.batches.find(batch.id)).toMatchObject({ approvedBy: 'user:operator' });
  });

  it('is not started once its token is revoked', async () => {
    await askBatch();
    await scene.tokens.revoke(agent.id ?? 0, 1, noRecord);
    await expectRefusal(approvals.approveRequest.execute(byOperator(), 1, {}), 'approval_void');
  });

  it('ends where a person refuses it', async () => {
    const batch = await askBatch();
    await approvals.refuseRequest.execute(byOperator(), 1, { note: 'no' });
    expect(await scene.batches.find(batch.id)).toMatchObject({
      status: 'cancelled',
      stopReason: 'user:operator declined it: no',
    });
    await advance.execute(SIGNAL);
    expect(await jobs()).toEqual([]);
  });
});
