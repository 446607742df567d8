import { beforeEach, describe, expect, test } from 'vitest';
import { EditToken } from '../../../src/application/access/edit-token.ts';
import { IssueToken } from '../../../src/application/access/issue-token.ts';
import { RevokeToken, RotateToken } from '../../../src/application/access/manage-tokens.ts';
import { AdvanceBatches } from '../../../src/application/automation/advance-batches.ts';
import { ManageSchedules } from '../../../src/application/automation/manage-schedules.ts';
import { RunDueSchedules } from '../../../src/application/automation/run-due-schedules.ts';
import { StartBatch } from '../../../src/application/automation/start-batch.ts';
import { StartScheduledJob } from '../../../src/application/automation/start-scheduled-job.ts';
import { CancelJob } from '../../../src/application/jobs/cancel-job.ts';
import { type JobRunner, JobRunners } from '../../../src/application/jobs/runner.ts';
import { TriggerJob } from '../../../src/application/jobs/trigger-job.ts';
import { Actor } from '../../../src/domain/access/actor.ts';
import { actorOf, type TokenRequest } from '../../../src/domain/access/api-token.ts';
import type { Schedule } from '../../../src/domain/automation/schedule.ts';
import type { ScheduleDescription } from '../../../src/domain/automation/schedule-description.ts';
import { DAY, HOUR } from '../../../src/domain/base/instant.ts';
import { accountsScene } from '../../support/accounts-scene.ts';
import { expectRefusal } from '../../support/expect-refusal.ts';

const runner: JobRunner = {
  types: ['os_update_check', 'os_patch', 'backup', 'snapshot_verify'],
  timeLimitMs: 1_000,
  plan: () => Promise.reject(new Error('nothing runs here')),
  apply: () => Promise.reject(new Error('nothing runs here')),
};
const ALL = { limit: 100, offset: 0 };
const operator = Actor.operator('cli:me');
const signal = new AbortController().signal;

let scene: ReturnType<typeof accountsScene>;
let manage: ManageSchedules;
let due: RunDueSchedules;
let start: StartScheduledJob;
let advance: AdvanceBatches;

beforeEach(async () => {
  scene = accountsScene();
  const runners = new JobRunners([runner]);
  const trigger = new TriggerJob({ ...scene, runners });
  manage = new ManageSchedules({ ...scene, runners });
  start = new StartScheduledJob({
    ...scene,
    triggerJob: trigger,
    startBatch: new StartBatch({ ...scene, runners }),
  });
  due = new RunDueSchedules({ ...scene, startScheduledJob: start });
  advance = new AdvanceBatches({ ...scene, triggerJob: trigger, cancelJob: new CancelJob(scene) });
  for (const name of ['one', 'two']) await scene.addServer(name, { os_patch: true, backup: true });
  await scene.addSource(1);
});

async function token(more: Partial<TokenRequest> = {}): Promise<Actor> {
  const asked = { name: 'agent', scopes: ['read', 'jobs'], ...more };
  const issued = await new IssueToken(scene).execute(operator, asked);
  return actorOf(issued.token, '203.0.113.7');
}
const idOf = (actor: Actor): number => actor.id ?? 0;
const user = async (role: string) => (await scene.manageUsers.invite(operator, { name: 'ann', role })).user;
async function userActor(role = 'operator'): Promise<Actor> {
  const { id } = await user(role);
  const actor = await scene.requesters.find(
    { kind: 'user', id, name: 'ann', address: null, label: 'user:ann' },
    { requireApproval: false, approved: false },
  );
  if (!actor) throw new Error('she is there');
  return actor;
}

/** It is noon: this one is hourly, on server 1. */
const add = (actor: Actor, over: Partial<ScheduleDescription> = {}): Promise<Schedule> =>
  manage.add(actor, {
    name: 'hourly',
    selector: { ids: [1] },
    cron: { expression: '0 * * * *', timeZone: 'UTC' },
    jobType: 'os_update_check',
    params: {},
    bounds: {},
    jitterMs: 0,
    enabled: true,
    ...over,
  });
async function anHourLater(): Promise<void> {
  await scene.clock.advance(HOUR);
  await due.execute(signal);
}
const runs = async (id = 1) => (await scene.schedules.runs(id, ALL)).items;
const jobs = async () => (await scene.jobs.list({}, ALL)).items;
const schedule = (id = 1) => scene.schedules.find(id);

describe('A schedule runs as its owner', () => {
  test('a token: jobs carry its id, are shown as the schedule, and count among what it did', async () => {
    const agent = await token();
    await add(agent);
    await anHourLater();
    expect(await jobs()).toMatchObject([
      { requestedBy: 'schedule hourly', requester: { kind: 'token', id: agent.id }, scheduled: true },
    ]);
    expect(scene.kept.audit.at(-1)).toMatchObject({
      action: 'job.request',
      actorKind: 'token',
      actorId: agent.id,
      detail: { via: 'schedule hourly' },
    });
  });

  test('a batch that it started stops at the next step once the token is revoked', async () => {
    const agent = await token();
    await add(agent, { selector: { all: true }, bounds: { maxParallel: 1 } });
    await anHourLater();
    await new RevokeToken(scene).execute(operator, idOf(agent));
    await advance.execute(signal);
    expect(await jobs()).toEqual([]);
    expect(await scene.batches.find(1)).toMatchObject({
      stopReason: expect.stringContaining('may no longer start jobs'),
    });
  });

  test('a user, by the role that they have now', async () => {
    await add(await userActor());
    await anHourLater();
    expect(await jobs()).toMatchObject([{ requester: { kind: 'user', id: 1 } }]);
  });
});

describe('A schedule of a token that may do less', () => {
  const narrowed: readonly [string, Partial<TokenRequest>][] = [
    ['its scopes', { scopes: ['read'] }],
    ['its features', { scopes: ['read', 'jobs', 'feature:backup'] }],
    ['its servers', { allowedServerIds: [2] }],
  ];

  test.each(narrowed)('is switched off with the change of %s, which says so', async (_, change) => {
    const agent = await token();
    await add(agent);
    await add(operator, { name: 'operators' });
    const { switchedOff } = await new EditToken(scene).execute(operator, idOf(agent), change);
    expect(switchedOff).toMatchObject([{ id: 1, name: 'hourly', enabled: false, dueAt: null }]);
    expect(await schedule()).toMatchObject({
      enabled: false,
      offReason: expect.stringContaining('token:agent'),
    });
    expect(await schedule(2)).toMatchObject({ enabled: true });
    expect(scene.kept.audit.slice(-2)).toMatchObject([
      { action: 'token.edit', detail: { switchedOff: 1, schedules: ['hourly'] } },
      { action: 'schedule.switch_off', object: 'schedule:1' },
    ]);
    await anHourLater();
    expect(await jobs()).toMatchObject([{ requestedBy: 'schedule operators' }]);
  });

  test('goes on if the token may still run it', async () => {
    const agent = await token();
    await add(agent);
    const change = { scopes: ['read', 'jobs', 'feature:os'], allowedServerIds: [1], name: 'renamed' };
    const { switchedOff } = await new EditToken(scene).execute(operator, idOf(agent), change);
    expect(switchedOff).toEqual([]);
    await new RotateToken(scene).execute(operator, idOf(agent));
    await anHourLater();
    expect(await jobs()).toHaveLength(1);
  });

  test('is switched off when the token is revoked', async () => {
    const agent = await token();
    await add(agent);
    await add(agent, { name: 'off', enabled: false });
    const { switchedOff } = await new RevokeToken(scene).execute(operator, idOf(agent));
    expect(switchedOff.map(({ name }) => name)).toEqual(['hourly']);
    await anHourLater();
    expect(await jobs()).toEqual([]);
    expect(await runs()).toEqual([]);
    const { action, detail } = scene.kept.audit.findLast((each) => each.object === 'token:1') ?? {};
    expect({ action, detail }).toMatchObject({ action: 'token.revoke', detail: { schedules: ['hourly'] } });
  });

  test('is refused and switched off at its time if the token has expired', async () => {
    await add(await token({ expires: '1d' }), { cron: { expression: '0 0 * * *', timeZone: 'UTC' } });
    await scene.clock.advance(2 * DAY);
    await due.execute(signal);
    expect(await jobs()).toEqual([]);
    expect((await runs())[0]).toMatchObject({ outcome: 'missed' });
    await scene.clock.advance(12 * HOUR);
    await due.execute(signal);
    expect((await runs())[0]).toMatchObject({ outcome: 'refused', code: 'owner_void' });
    expect(await schedule()).toMatchObject({
      enabled: false,
      offReason: expect.stringContaining('has expired'),
    });
    expect(scene.kept.audit.at(-1)).toMatchObject({ action: 'schedule.switch_off' });
  });

  test('starts nothing if the token is revoked between the slot and the job', async () => {
    const agent = await token();
    await add(agent);
    await scene.clock.advance(HOUR);
    const late = new RunDueSchedules({
      ...scene,
      startScheduledJob: {
        execute: async (...asked: Parameters<StartScheduledJob['execute']>) => {
          await new RevokeToken(scene).execute(operator, idOf(agent));
          return start.execute(...asked);
        },
      } as StartScheduledJob,
    });
    await late.execute(signal);
    expect(await jobs()).toEqual([]);
    expect(await runs()).toMatchObject([{ outcome: 'refused', code: 'owner_void', jobId: null }]);
  });
});

describe('A schedule of a user', () => {
  test('is switched off when they become a viewer, or are disabled', async () => {
    const ann = await userActor();
    await add(ann);
    const found = await scene.manageUsers.get(operator, 'ann');
    const demoted = await scene.manageUsers.setRole(operator, found, 'viewer');
    expect(demoted.switchedOff).toMatchObject([{ name: 'hourly' }]);
    await scene.manageUsers.setRole(operator, found, 'operator');
    expect(await schedule()).toMatchObject({ enabled: false });
    await manage.edit(ann, 1, { enabled: true });
    expect((await scene.manageUsers.disable(operator, found)).switchedOff).toHaveLength(1);
    await anHourLater();
    expect(await jobs()).toEqual([]);
    expect(scene.kept.actions).toContain('schedule.switch_off schedule:1');
  });
});

describe('Approval', () => {
  test('is needed still after an operator edits, switches or takes over the schedule of an agent', async () => {
    const agent = await token({ requireApproval: true });
    await add(agent);
    await manage.edit(operator, 1, { name: 'approved', enabled: false });
    await manage.edit(operator, 1, { enabled: true });
    await anHourLater();
    expect(await jobs()).toMatchObject([{ status: 'awaiting_approval', requestedBy: 'schedule approved' }]);
    expect(await scene.approvals.find(1)).toMatchObject({ requester: { kind: 'token', id: agent.id } });

    await new RevokeToken(scene).execute(operator, idOf(agent));
    expect(await schedule()).toMatchObject({ enabled: false });
    await manage.edit(operator, 1, { enabled: true });
    expect(await schedule()).toMatchObject({
      owner: { kind: 'operator', name: 'cli:me' },
      requireApproval: true,
      offReason: null,
    });
    await anHourLater();
    expect(await jobs()).toMatchObject([{ status: 'awaiting_approval' }, { status: 'awaiting_approval' }]);
  });

  test('follows the token: when it needs approval, so do its schedules', async () => {
    const agent = await token();
    await add(agent);
    await new EditToken(scene).execute(operator, idOf(agent), { requireApproval: true });
    expect(await schedule()).toMatchObject({ enabled: true, requireApproval: true });
    await anHourLater();
    expect(await jobs()).toMatchObject([{ status: 'awaiting_approval' }]);
    await new EditToken(scene).execute(operator, idOf(agent), { requireApproval: false });
    expect(await schedule()).toMatchObject({ requireApproval: false });
  });
});

const NO_OWNER = { owner_kind: null, owner_id: null, owner_name: null };

describe('Ownership', () => {
  test('of a schedule that an older replica wrote is known at the first edit', async () => {
    const agent = await token();
    const { id } = await add(agent);
    for (const editor of [agent, operator]) {
      scene.kept.change('schedules', id, NO_OWNER);
      const edited = await manage.edit(editor, id, { enabled: true });
      expect(edited.owner).toMatchObject({ kind: 'token', id: agent.id });
    }
  });

  test('stays with the token while it may run what an operator made of it, and passes to them if not', async () => {
    const agent = await token({ allowedServerIds: [1] });
    await add(agent);
    await manage.edit(operator, 1, { jitterMs: 5 });
    expect(await schedule()).toMatchObject({ owner: { kind: 'token', id: agent.id } });
    await manage.edit(operator, 1, { selector: { all: true } });
    expect(await schedule()).toMatchObject({ owner: { kind: 'operator' }, enabled: true });
    await expectRefusal(manage.edit(agent, 1, { jitterMs: 6 }), 'schedule_not_found');
  });

  test('of a schedule of an older version is the one who added it; if that is unknown, it is switched off', async () => {
    const agent = await token({ requireApproval: true });
    const { id } = await add(agent);
    const before = await add(operator, { name: 'second' });
    for (const each of [id, before.id])
      scene.kept.change('schedules', each, { ...NO_OWNER, require_approval: 0 });
    const third = await add(operator, { name: 'third', selector: { ids: [2] } });
    scene.kept.change('schedules', third.id, { ...NO_OWNER, created_by: 'token:gone' });
    scene.kept.rows('DELETE FROM audit_entries WHERE object = ?', `schedule:${third.id}`);
    await anHourLater();
    expect(await schedule(id)).toMatchObject({
      owner: { kind: 'token', id: agent.id },
      requireApproval: true,
    });
    expect(await schedule(before.id)).toMatchObject({ owner: { kind: 'operator', name: 'cli:me' } });
    expect(await schedule(third.id)).toMatchObject({
      enabled: false,
      owner: null,
      offReason: expect.stringContaining('it has no owner'),
    });
    await manage.edit(operator, third.id, { enabled: true });
    expect(await schedule(third.id)).toMatchObject({ owner: { kind: 'operator' } });
  });
});
