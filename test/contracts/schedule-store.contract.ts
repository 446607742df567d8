import { beforeEach, describe, expect, it } from 'vitest';
import type { Stamp } from '../../src/application/ports/automation/schedule-store.ts';
import type { ApiToken, NewApiToken } from '../../src/domain/access/api-token.ts';
import { batchBounds } from '../../src/domain/automation/batch.ts';
import { RUNS_KEPT, type Schedule } from '../../src/domain/automation/schedule.ts';
import { MINUTE } from '../../src/domain/base/instant.ts';
import { expectRefusal } from '../support/expect-refusal.ts';
import { newJob } from '../support/job-subject.ts';
import { newBatch, newMember, newSchedule } from '../support/schedules.ts';
import {
  AT,
  addServer,
  brokenRecord,
  type MakeStores,
  noRecord,
  type StoresSubject,
  trailOf,
} from '../support/stores-subject.ts';

const ALL = { limit: 100, offset: 0 };

/** What every `ScheduleStore` does. */
export function scheduleStoreContract(name: string, makeStores: MakeStores): void {
  describe(`ScheduleStore: ${name}`, () => {
    let stores: StoresSubject;
    beforeEach(async () => {
      stores = await makeStores();
    });

    describe('what it keeps', () => keeping(() => stores));
    describe('slots', () => stamping(() => stores));
    describe('runs', () => ending(() => stores));
    describe('owners', () => owning(() => stores));
  });
}

function keeping(stores: () => StoresSubject): void {
  it('keeps everything that was said, and finds it', async () => {
    const { schedules } = stores();
    const asked = newSchedule('nightly');
    const schedule = await schedules.add(asked, AT, trailOf('schedule.add', 'schedule'));
    expect(schedule).toEqual({ ...asked, id: schedule.id, revision: 0, createdAt: AT, updatedAt: AT });
    expect(await schedules.find(schedule.id)).toEqual(schedule);
    expect(await schedules.findByName('nightly')).toEqual(schedule);
    expect(await schedules.find(999_999)).toBeNull();
    expect(await schedules.findByName('Nightly')).toBeNull();
    const other = newSchedule('all', { selector: { by: 'all' }, bounds: batchBounds({}), dueAt: null });
    await schedules.add(other, AT, noRecord);
    expect((await schedules.list()).map((each) => each.name)).toEqual(['all', 'nightly']);
    expect((await stores().record()).audit).toEqual([`schedule.add schedule:${schedule.id}`]);
  });

  it('refuses a name that is there, and keeps nothing where the record fails', async () => {
    const { schedules } = stores();
    await schedules.add(newSchedule('a'), AT, noRecord);
    const b = await schedules.add(newSchedule('b'), AT, noRecord);
    await expectRefusal(schedules.add(newSchedule('a'), AT, noRecord), 'name_taken');
    await expectRefusal(schedules.change(b, { name: 'a' }, AT, noRecord), 'name_taken');
    await expect(schedules.add(newSchedule('c'), AT, brokenRecord)).rejects.toThrow('no record today');
    await expect(schedules.change(b, { name: 'c' }, AT, brokenRecord)).rejects.toThrow('no record today');
    expect((await schedules.list()).map((each) => each.name)).toEqual(['a', 'b']);
  });

  it('changes what is named and nothing else, for the one who saw it last', async () => {
    const { schedules } = stores();
    const before = await schedules.add(newSchedule('a'), AT, noRecord);
    const change = { enabled: false, dueAt: null, cron: { expression: '@daily', timeZone: 'UTC' } };
    const after = await schedules.change(before, change, AT + 5, trailOf('schedule.edit', 'schedule'));
    expect(after).toEqual({ ...before, ...change, revision: 1, updatedAt: AT + 5 });
    expect(await schedules.find(before.id)).toEqual(after);
    await expectRefusal(schedules.change(before, { enabled: true }, AT, noRecord), 'schedule_changed');
    await expectRefusal(schedules.change({ ...after, id: 999_999 }, {}, AT, noRecord), 'schedule_not_found');
  });

  it('deletes one with its runs', async () => {
    const { schedules } = stores();
    const { id } = await schedules.add(newSchedule('a'), AT, noRecord);
    await schedules.begin(id, AT);
    await schedules.remove(id, trailOf('schedule.remove', 'schedule')({ id }));
    expect(await schedules.find(id)).toBeNull();
    expect((await schedules.runs(id, ALL)).total).toBe(0);
    await expectRefusal(schedules.remove(id, {}), 'schedule_not_found');
    await expectRefusal(schedules.begin(id, AT), 'schedule_not_found');
    await schedules.add(newSchedule('a'), AT, noRecord);
  });

  it('knows which are due, the longest due first', async () => {
    const { schedules } = stores();
    const add = (each: string, dueAt: number | null) =>
      schedules.add(newSchedule(each, { dueAt }), AT, noRecord);
    await add('later', AT + 1);
    await add('now', AT);
    await add('long ago', AT - 9);
    await add('off', null);
    const due = async (limit: number) => (await schedules.due(AT, limit)).map((each) => each.name);
    expect(await due(10)).toEqual(['long ago', 'now']);
    expect(await due(1)).toEqual(['long ago']);
  });

  it('knows which have dealt with slots after a time', async () => {
    const { schedules } = stores();
    const add = (each: string, handledTo: number, enabled = true) =>
      schedules.add(newSchedule(each, { handledTo, enabled }), AT, noRecord);
    await add('present', AT);
    await add('first', AT + 1);
    await add('second', AT + 9);
    await add('off', AT + 9, false);
    const ahead = async (limit: number) => (await schedules.ahead(AT, limit)).map((each) => each.name);
    expect(await ahead(10)).toEqual(['first', 'second']);
    expect(await ahead(1)).toEqual(['first']);
  });
}

const stampOf = (over: Partial<Stamp> = {}): Stamp => ({
  handledTo: AT + MINUTE,
  dueAt: AT + 2 * MINUTE,
  run: AT + MINUTE,
  missed: [],
  ...over,
});

function stamping(stores: () => StoresSubject): void {
  let schedule: Schedule;
  beforeEach(async () => {
    schedule = await stores().schedules.add(newSchedule('a'), AT, noRecord);
  });
  const runs = async () => (await stores().schedules.runs(schedule.id, ALL)).items;

  it('moves on and writes the slots, the one to run apart from those that were missed', async () => {
    const { schedules } = stores();
    const missed = [{ slotAt: AT + 1, detail: 'Nobody was there.' }];
    const run = await schedules.stamp(schedule, stampOf({ missed }));
    const written = { scheduleId: schedule.id, manual: false, jobId: null, batchId: null, code: null };
    expect(run).toEqual({
      ...written,
      id: run?.id,
      slotAt: AT + MINUTE,
      outcome: 'starting',
      detail: null,
    });
    expect(await runs()).toEqual([
      run,
      {
        ...written,
        id: expect.any(Number),
        slotAt: AT + 1,
        outcome: 'missed',
        detail: 'Nobody was there.',
      },
    ]);
    const after = await schedules.find(schedule.id);
    expect(after).toEqual({ ...schedule, handledTo: AT + MINUTE, dueAt: AT + 2 * MINUTE });
    expect(await schedules.latestRuns([schedule.id, 999_999], 1)).toEqual(new Map([[schedule.id, [run]]]));
  });

  it('gives a slot to one of many at once', async () => {
    const tries = Array.from({ length: 8 }, () => stores().schedules.stamp(schedule, stampOf()));
    expect((await Promise.all(tries)).filter((run) => run !== null)).toHaveLength(1);
    expect(await runs()).toHaveLength(1);
  });

  it('writes nothing about one that was changed, switched off or removed meanwhile', async () => {
    const { schedules } = stores();
    const off = await schedules.change(schedule, { enabled: false }, AT, noRecord);
    expect(await schedules.stamp(schedule, stampOf())).toBeNull();
    expect(await schedules.stamp(off, stampOf())).toBeNull();
    expect(await runs()).toEqual([]);
    await schedules.remove(schedule.id, {});
    expect(await schedules.stamp(off, stampOf())).toBeNull();
  });

  it('never runs a slot twice, whatever the clock says', async () => {
    const { schedules } = stores();
    expect(await schedules.stamp(schedule, stampOf())).not.toBeNull();
    const moved = await schedules.find(schedule.id);
    if (!moved) throw new Error('it is there');
    const back = await schedules.change(moved, { handledTo: AT }, AT, noRecord);
    expect(
      await schedules.stamp(back, stampOf({ missed: [{ slotAt: AT + MINUTE, detail: 'x' }] })),
    ).toBeNull();
    expect(await runs()).toHaveLength(1);
  });

  it('keeps a run that was noted last although others have later times', async () => {
    const { schedules } = stores();
    const missed = Array.from({ length: RUNS_KEPT }, (_, index) => ({
      slotAt: AT + 1_000 * MINUTE + index,
      detail: 'x',
    }));
    await schedules.stamp(schedule, stampOf({ missed, run: null }));
    const moved = await schedules.find(schedule.id);
    if (!moved) throw new Error('it is there');
    const run = await schedules.stamp(moved, stampOf({ handledTo: AT, run: AT + 2 * MINUTE }));
    expect((await runs())[0]).toEqual(run);
    expect(await schedules.latestRuns([schedule.id], 1)).toEqual(new Map([[schedule.id, [run]]]));
    expect((await schedules.latestRuns([schedule.id], 3)).get(schedule.id)).toEqual(
      (await runs()).slice(0, 3),
    );
    const begun = await schedules.begin(schedule.id, AT);
    expect((await runs())[0]).toEqual(begun);
    expect(await runs()).toHaveLength(RUNS_KEPT);
  });

  it('starts runs that a user requests, each at its own moment', async () => {
    const { schedules } = stores();
    const begun = await Promise.all([1, 2, 3].map(() => schedules.begin(schedule.id, AT)));
    expect(new Set(begun.map(({ slotAt }) => slotAt)).size).toBe(3);
    for (const run of begun) {
      expect(run).toMatchObject({ manual: true, outcome: 'starting' });
      expect(run.slotAt).toBeGreaterThan(AT);
      expect(run.slotAt).toBeLessThan(AT + 10);
    }
    expect((await stores().schedules.find(schedule.id))?.handledTo).toBe(AT);
  });

  it('keeps the last runs only', async () => {
    const { schedules } = stores();
    const missed = Array.from({ length: RUNS_KEPT + 9 }, (_, index) => ({ slotAt: AT + index, detail: 'x' }));
    await schedules.stamp(schedule, stampOf({ missed }));
    const { items, total } = await schedules.runs(schedule.id, { limit: 3, offset: 0 });
    expect(total).toBe(RUNS_KEPT);
    expect(items.map(({ slotAt }) => slotAt - AT)).toEqual([MINUTE, RUNS_KEPT + 8, RUNS_KEPT + 7]);
  });
}

function ending(stores: () => StoresSubject): void {
  let schedule: Schedule;
  let runId: number;
  beforeEach(async () => {
    schedule = await stores().schedules.add(newSchedule('a'), AT, noRecord);
    const run = await stores().schedules.stamp(schedule, stampOf());
    runId = run?.id ?? 0;
  });
  const run = async () => (await stores().schedules.runs(schedule.id, ALL)).items[0];

  it('tells a run of its job in the transaction of the job, once', async () => {
    const { jobs } = stores();
    const server = await addServer(stores(), 'web');
    const origin = { kind: 'schedule_run', runId, scheduled: true } as const;
    await expect(jobs.enqueue(newJob(server, 'backup'), brokenRecord, origin)).rejects.toThrow(
      'no record today',
    );
    expect(await run()).toMatchObject({ outcome: 'starting', jobId: null });
    const job = await jobs.enqueue(newJob(server, 'backup'), noRecord, origin);
    expect(await run()).toMatchObject({ outcome: 'started', jobId: job.id });
    await expectRefusal(jobs.enqueue(newJob(server, 'retention'), noRecord, origin), 'lease_lost');
    expect((await jobs.list({}, ALL)).total).toBe(1);
    expect(await run()).toMatchObject({ result: 'pending' });
    await jobs.requestCancel(job.id, AT, noRecord);
    expect(await run()).toMatchObject({ outcome: 'started', result: 'cancelled' });
    const latest = await stores().schedules.latestRuns([schedule.id], 1);
    expect(latest.get(schedule.id)).toMatchObject([{ result: 'cancelled' }]);
  });

  it('lists a run with the status of its batch', async () => {
    const origin = { kind: 'schedule_run', runId, scheduled: true } as const;
    const server = await addServer(stores(), 'web');
    await stores().batches.create(newBatch(), [newMember(server)], noRecord, origin);
    expect(await run()).toMatchObject({ outcome: 'started', result: 'running' });
  });

  it('lists a run with the numbers of servers in its batch, and the names of those that failed', async () => {
    const { batches, jobs, queue } = stores();
    const server = await addServer(stores(), 'web');
    const other = await addServer(stores(), 'db');
    const origin = { kind: 'schedule_run', runId, scheduled: true } as const;
    const members = [newMember(server), newMember(other, { code: 'no_backup_source' })];
    const batch = await batches.create(newBatch(), members, noRecord, origin);
    expect(await run()).toMatchObject({ members: { counts: { waiting: 1, skipped: 1 }, failed: [] } });
    const { id, version } = batch;
    const member = {
      kind: 'batch_member',
      batchId: id,
      version,
      serverId: server,
      scheduled: false,
    } as const;
    await jobs.enqueue(newJob(server, 'backup'), noRecord, member);
    const [claim] = await queue.claim({ owner: 'w', leaseMs: 60_000, limit: 1, at: AT, record: noRecord });
    if (!claim) throw new Error('no job waits');
    const error = { code: 'disk_full', detail: 'The disk is full.' } as const;
    await queue.finish(claim, { status: 'failed', summary: '', error, result: null }, AT, noRecord);
    const now = await batches.find(id);
    if (now) await batches.settle(now, [{ serverId: server, status: 'failed' }]);
    expect(await run()).toMatchObject({
      members: { counts: { waiting: 0, failed: 1, skipped: 1 }, failed: [`host-${server}`] },
    });
  });

  it('says why a run came to nothing, unless it came to something', async () => {
    const { schedules, jobs } = stores();
    const why = { outcome: 'skipped', code: 'job_already_active', detail: 'One runs.' } as const;
    await schedules.end(runId, why);
    expect(await run()).toMatchObject(why);
    const server = await addServer(stores(), 'web');
    const origin = { kind: 'schedule_run', runId, scheduled: true } as const;
    await expectRefusal(jobs.enqueue(newJob(server, 'backup'), noRecord, origin), 'lease_lost');
    await schedules.end(runId, { ...why, outcome: 'refused', detail: 'Too late.' });
    expect(await run()).toMatchObject(why);
  });

  it('gives up runs whose process is gone, and only those', async () => {
    const { schedules, jobs, passTime } = stores();
    expect(await schedules.abandon(MINUTE, 'Lost.')).toBe(0);
    await passTime(2 * MINUTE);
    expect(await schedules.abandon(MINUTE, 'Lost.')).toBe(1);
    expect(await run()).toMatchObject({ outcome: 'missed', code: 'worker_lost', detail: 'Lost.' });
    const server = await addServer(stores(), 'web');
    const origin = { kind: 'schedule_run', runId, scheduled: true } as const;
    await expectRefusal(jobs.enqueue(newJob(server, 'backup'), noRecord, origin), 'lease_lost');
    expect(await schedules.abandon(MINUTE, 'Lost.')).toBe(0);
  });
}

const addToken = ({ tokens }: StoresSubject, over: Partial<NewApiToken> = {}): Promise<ApiToken> =>
  tokens.add(
    {
      name: 'agent',
      prefix: 'drv_abcdefgh',
      scopes: ['read', 'jobs'],
      allowedCidrs: [],
      allowedServerIds: null,
      requireApproval: false,
      createdBy: 'cli:me',
      createdAt: AT,
      expiresAt: null,
      ...over,
    },
    'a'.repeat(64),
    noRecord,
  );

const OFF = { enabled: false, dueAt: null, offReason: 'Its owner is gone.' } as const;

function owning(stores: () => StoresSubject): void {
  it('gives those of older versions the owner that their audit entry or creator names', async () => {
    const { schedules, audit } = stores();
    const asked = { ...newSchedule('x'), owner: null };
    const token = await addToken(stores(), { requireApproval: true });
    const byToken = await schedules.add({ ...asked, name: 'a', createdBy: 'token:agent' }, AT, noRecord);
    await audit.record({
      at: AT,
      actorKind: 'token',
      actorId: token.id,
      actorName: 'agent',
      address: null,
      action: 'schedule.add',
      object: `schedule:${byToken.id}`,
      outcome: 'done',
      detail: {},
    });
    const byName = await schedules.add({ ...asked, name: 'b', createdBy: 'cli:ops' }, AT, noRecord);
    const byNobody = await schedules.add({ ...asked, name: 'c', createdBy: 'token:agent' }, AT, noRecord);
    const owned = await schedules.add(newSchedule('d'), AT, noRecord);
    await schedules.adoptOwners();
    await schedules.adoptOwners();
    expect(await schedules.find(byToken.id)).toMatchObject({
      owner: { kind: 'token', id: token.id, name: 'agent' },
      requireApproval: true,
    });
    expect(await schedules.find(byName.id)).toMatchObject({
      owner: { kind: 'operator', id: null, name: 'cli:ops' },
      requireApproval: false,
    });
    expect(await schedules.find(byNobody.id)).toEqual(byNobody);
    expect(await schedules.find(owned.id)).toEqual(owned);
  });

  it('change with their token in one transaction, and their unstarted runs never start', async () => {
    const { schedules, tokens, jobs } = stores();
    const { id, ...terms } = await addToken(stores());
    const own = { owner: { kind: 'token', id, name: 'agent' } } as const;
    const first = await schedules.add(newSchedule('b', own), AT, noRecord);
    const off = await schedules.add(newSchedule('a', { ...own, ...OFF }), AT, noRecord);
    const user = { owner: { kind: 'user', id, name: 'agent' } } as const;
    const other = await schedules.add(newSchedule('c', user), AT, noRecord);
    const run = await schedules.stamp(first, stampOf());
    const asked = await schedules.begin(first.id, AT);
    const owned = { at: AT + 5, change: () => () => ({ requireApproval: true, ...OFF }) };

    await expect(tokens.change(id, terms, brokenRecord, owned)).rejects.toThrow('no record today');
    expect(await schedules.find(first.id)).toMatchObject({ enabled: true, revision: 0 });
    const told: string[][] = [];
    const names = (_: unknown, switchedOff: readonly Schedule[]) => {
      told.push(switchedOff.map(({ name }) => name));
      return {};
    };
    await tokens.change(id, terms, names, { at: AT, change: () => () => null });
    expect(await schedules.find(first.id)).toMatchObject({ enabled: true, revision: 0 });
    await tokens.revoke(id, AT + 5, names, owned);
    await tokens.revoke(id, AT + 6, names, owned);
    expect(told.filter((each) => each.length > 0)).toEqual([['b']]);
    const changed = { ...OFF, requireApproval: true, revision: 1, updatedAt: AT + 5 };
    expect(await schedules.find(first.id)).toEqual({ ...first, ...changed, handledTo: AT + MINUTE });
    expect(await schedules.find(off.id)).toEqual({ ...off, ...changed });
    expect(await schedules.find(other.id)).toEqual(other);

    const server = await addServer(stores(), 'web');
    const origin = { kind: 'schedule_run', runId: run?.id ?? 0, scheduled: true } as const;
    await expectRefusal(jobs.enqueue(newJob(server, 'backup'), noRecord, origin), 'lease_lost');
    const { items } = await schedules.runs(first.id, ALL);
    expect(items.find((each) => each.id === run?.id)).toMatchObject({
      outcome: 'refused',
      code: 'owner_void',
      detail: OFF.offReason,
    });
    expect(items.find((each) => each.id === asked.id)).toMatchObject({ outcome: 'starting' });
  });

  it('change with their user', async () => {
    const { schedules, users } = stores();
    const ann = { name: 'ann', role: 'operator', createdBy: 'cli:me', createdAt: AT } as const;
    const { id } = await users.add(ann, noRecord);
    const owner = { kind: 'user', id, name: 'ann' } as const;
    const schedule = await schedules.add(newSchedule('a', { owner }), AT, noRecord);
    const roles: (string | null)[] = [];
    await users.change(id, { role: 'viewer' }, noRecord, {
      at: AT + 5,
      change: ({ role }) => {
        roles.push(role);
        return () => OFF;
      },
    });
    expect(roles).toEqual(['viewer']);
    expect(await schedules.find(schedule.id)).toMatchObject({ ...OFF, updatedAt: AT + 5 });
  });
}
