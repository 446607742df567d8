import * as fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { GetSchedule, ListSchedules } from '../../../src/application/automation/list-schedules.ts';
import { ManageSchedules } from '../../../src/application/automation/manage-schedules.ts';
import { RunDueSchedules } from '../../../src/application/automation/run-due-schedules.ts';
import { RunSchedule } from '../../../src/application/automation/run-schedule.ts';
import { StartBatch } from '../../../src/application/automation/start-batch.ts';
import { StartScheduledJob } from '../../../src/application/automation/start-scheduled-job.ts';
import { type JobRunner, JobRunners } from '../../../src/application/jobs/runner.ts';
import { TriggerJob } from '../../../src/application/jobs/trigger-job.ts';
import { Actor } from '../../../src/domain/access/actor.ts';
import { jitterOf, type Schedule, type ScheduleRun } from '../../../src/domain/automation/schedule.ts';
import type {
  ScheduleDescription,
  ScheduleEdit,
} from '../../../src/domain/automation/schedule-description.ts';
import { DomainError } from '../../../src/domain/base/errors.ts';
import { DAY, HOUR, MINUTE, SECOND, toIso } from '../../../src/domain/base/instant.ts';
import { type ApplicationScene, applicationScene, tokenActor } from '../../support/application-scene.ts';
import { expectRefusal } from '../../support/expect-refusal.ts';

const runner: JobRunner = {
  types: ['os_update_check', 'os_patch', 'backup'],
  timeLimitMs: 1_000,
  plan: () => Promise.reject(new Error('nothing runs here')),
  apply: () => Promise.reject(new Error('nothing runs here')),
};
const ALL = { limit: 100, offset: 0 };
const operator = Actor.operator('cli:me');
const noRecord = () => ({});

let scene: ApplicationScene;
let manage: ManageSchedules;
let due: RunDueSchedules;
let runNow: RunSchedule;

beforeEach(async () => {
  scene = applicationScene();
  const runners = new JobRunners([runner]);
  manage = new ManageSchedules({ ...scene, runners });
  const start = new StartScheduledJob({
    ...scene,
    triggerJob: new TriggerJob({ ...scene, runners }),
    startBatch: new StartBatch({ ...scene, runners }),
  });
  due = new RunDueSchedules({ ...scene, startScheduledJob: start });
  runNow = new RunSchedule({ ...scene, startScheduledJob: start });
  for (const name of ['one', 'two', 'three']) {
    const { id } = await scene.addServer(name, { os_patch: true });
    if (name !== 'three') await scene.servers.change(id, { tags: ['web'] }, 0, noRecord);
  }
});

/** It is noon: this one is hourly, on server 1. */
const add = (over: Partial<ScheduleDescription> = {}, actor: Actor = operator): Promise<Schedule> =>
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
const look = (): Promise<void> => due.execute(new AbortController().signal);
const runs = async (id = 1): Promise<readonly ScheduleRun[]> => (await scene.schedules.runs(id, ALL)).items;
const jobs = async () => (await scene.jobs.list({}, ALL)).items.toReversed();
async function endJobs(): Promise<void> {
  const claims = await scene.queue.claim({
    owner: 'w',
    leaseMs: 60_000,
    limit: 100,
    at: 0,
    record: noRecord,
  });
  for (const claim of claims) {
    await scene.queue.finish(
      claim,
      { status: 'success', summary: '', error: null, result: null },
      0,
      noRecord,
    );
  }
}

describe('a schedule', () => {
  test('starts its job when its time comes, once, and says who asked for it', async () => {
    await add();
    await look();
    expect(await jobs()).toEqual([]);
    await scene.clock.advance(HOUR);
    await look();
    await look();
    const [job] = await jobs();
    expect(await jobs()).toMatchObject([
      { serverId: 1, jobType: 'os_update_check', scheduled: true, requestedBy: 'schedule hourly' },
    ]);
    expect(await runs()).toMatchObject([
      { slotAt: scene.clock.now(), outcome: 'started', jobId: job?.id, manual: false },
    ]);
    expect(scene.kept.audit.at(-1)).toMatchObject({
      action: 'job.request',
      actorKind: 'operator',
      actorName: 'cli:me',
      detail: { via: 'schedule hourly' },
    });
  });

  test('counts an occupied lane as skipped, and says what is in its way', async () => {
    await add();
    await scene.clock.advance(HOUR);
    await look();
    await scene.clock.advance(HOUR);
    await look();
    expect(await runs()).toMatchObject([
      { outcome: 'skipped', code: 'job_already_active', detail: expect.stringContaining('Job 1') },
      { outcome: 'started', jobId: 1 },
    ]);
    await endJobs();
    await scene.clock.advance(HOUR);
    await look();
    expect((await runs())[0]).toMatchObject({ outcome: 'started', jobId: 2 });
  });

  test.each([
    ['feature_disabled', () => scene.servers.setFeatures(1, { os_patch: false }, 0, noRecord)],
    ['server_not_found', () => scene.servers.remove(1, 0, {})],
    [
      'outside_maintenance_window',
      () =>
        scene.windows.add(
          {
            name: 'nights',
            selector: { by: 'all' },
            opens: { expression: '0 2 * * *', timeZone: 'UTC' },
            durationMs: HOUR,
            enabled: true,
            createdBy: 'x',
            createdAt: 0,
          },
          noRecord,
        ),
    ],
  ])('says why it was refused: %s', async (code, change) => {
    await add({ jobType: 'os_patch' });
    await change();
    await scene.clock.advance(HOUR);
    await look();
    expect(await jobs()).toEqual([]);
    expect(await runs()).toMatchObject([{ outcome: 'refused', code, detail: expect.stringMatching(/\.$/) }]);
  });

  test('starts nothing while it is off, and catches nothing up when it is on again', async () => {
    await add();
    await manage.edit(operator, 1, { enabled: false });
    await scene.clock.advance(5 * HOUR + MINUTE);
    await look();
    await manage.edit(operator, 1, { enabled: true });
    await look();
    expect(await runs()).toEqual([]);
    await scene.clock.advance(HOUR);
    await look();
    expect(await runs()).toMatchObject([{ outcome: 'started', slotAt: Date.UTC(2026, 0, 15, 18) }]);
  });

  test('goes on where another cannot be read', async () => {
    await add();
    await add({ name: 'second', selector: { ids: [2] } });
    scene.cron.last = new Proxy(scene.cron.last.bind(scene.cron), {
      apply: (last, self, [rule, at]: Parameters<typeof scene.cron.last>) => {
        if (scene.log.lines.length === 0) throw new RangeError('no such zone any more');
        return Reflect.apply(last, self, [rule, at]);
      },
    });
    await scene.clock.advance(HOUR);
    await look();
    expect(await jobs()).toMatchObject([{ serverId: 2 }]);
    expect(scene.log.lines).toMatchObject([{ level: 'warn', fields: { schedule: 'hourly' } }]);
  });
});

describe('after a time without the service', () => {
  test('the last slot runs within half an hour, and older ones are noted as missed', async () => {
    await add();
    await scene.clock.advance(3 * HOUR + 30 * MINUTE);
    await look();
    expect((await runs()).map(({ slotAt, outcome }) => [toIso(slotAt).slice(11, 16), outcome])).toEqual([
      ['15:00', 'started'],
      ['14:00', 'missed'],
      ['13:00', 'missed'],
    ]);
    expect((await runs())[1]?.detail).toContain('Drover was not running');
  });

  test('no slot runs that is later than half an hour', async () => {
    await add();
    await scene.clock.advance(3 * HOUR + 30 * MINUTE + 1);
    await look();
    expect((await runs()).map(({ outcome }) => outcome)).toEqual(['missed', 'missed', 'missed']);
    await scene.clock.advance(30 * MINUTE);
    await look();
    expect((await runs())[0]).toMatchObject({ outcome: 'started' });
  });

  test('of very many missed slots the latest are recorded one by one, and the rest in summary', async () => {
    await add({ cron: { expression: '* * * * *', timeZone: 'UTC' } });
    await scene.clock.advance(2 * DAY);
    await look();
    const all = await runs();
    expect(all).toHaveLength(21);
    expect(all[0]).toMatchObject({ outcome: 'started' });
    expect(all[20]?.detail).toContain('All earlier runs since 2026-01-15 12:00 UTC were missed too.');
    expect(all[19]?.detail).not.toContain('All earlier runs');
  });

  test('every slot is processed once, whenever the loop runs', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 150 }), { minLength: 1, maxLength: 12 }),
        fc.constantFrom('*/10 * * * *', '0 * * * *', '7,50 */2 * * *'),
        async (pauses, expression) => {
          const name = `s-${scene.kept.count('schedules')}`;
          const { id, createdAt } = await add({ name, cron: { expression, timeZone: 'UTC' } });
          for (const minutes of pauses) {
            await scene.clock.advance(minutes * MINUTE);
            await look();
            await endJobs();
          }
          const seen = (await runs(id)).toReversed();
          const slots: number[] = [];
          let at = scene.cron.next({ expression, timeZone: 'UTC' }, createdAt);
          while (at !== null && at <= scene.clock.now()) {
            slots.push(at);
            at = scene.cron.next({ expression, timeZone: 'UTC' }, at);
          }
          expect(seen.map(({ slotAt }) => slotAt)).toEqual(slots.slice(-100));
          expect(seen.filter(({ outcome }) => outcome === 'starting')).toEqual([]);
          await manage.remove(operator, id);
        },
      ),
      { numRuns: 25 },
    );
  });
});

describe('when a process dies between the stamp and the job', () => {
  test('the slot is not started again, and says so after a while', async () => {
    await add();
    await scene.clock.advance(HOUR);
    const dying = new RunDueSchedules({
      ...scene,
      startScheduledJob: {
        execute: () => Promise.reject(new DomainError('database_unavailable', 'It is gone.')),
      } as never,
    });
    await expectRefusal(dying.execute(new AbortController().signal), 'database_unavailable');
    expect(await runs()).toMatchObject([{ outcome: 'starting' }]);
    await look();
    await scene.clock.advance(61 * SECOND);
    await look();
    expect(await runs()).toMatchObject([
      { outcome: 'missed', code: 'worker_lost', detail: expect.stringContaining('Drover stopped') },
    ]);
    expect(await jobs()).toEqual([]);
  });

  test('a process that was only slow starts nothing once others have given it up', async () => {
    await add();
    await scene.clock.advance(HOUR);
    const runners = new JobRunners([runner]);
    const trigger = new TriggerJob({ ...scene, runners });
    const slow = new StartScheduledJob({
      ...scene,
      triggerJob: {
        execute: async (...asked: Parameters<TriggerJob['execute']>) => {
          await scene.clock.advance(2 * MINUTE);
          await look();
          return trigger.execute(...asked);
        },
      } as TriggerJob,
      startBatch: new StartBatch({ ...scene, runners }),
    });
    await new RunDueSchedules({ ...scene, startScheduledJob: slow }).execute(new AbortController().signal);
    expect(await runs()).toMatchObject([{ outcome: 'missed', code: 'worker_lost', jobId: null }]);
    expect(await jobs()).toEqual([]);
  });
});

describe('when the clock is set', () => {
  const LONG = 395 * DAY;

  test('a schedule goes on from the present once a clock that was ahead is right again', async () => {
    const right = scene.clock.now();
    await add();
    await add({ name: 'jittered', jitterMs: HOUR, selector: { ids: [2] } });
    scene.clock.set(right + LONG);
    await look();
    scene.clock.set(right + 10 * MINUTE);
    await look();
    const { items } = await new ListSchedules(scene).execute(operator, ALL);
    for (const { schedule, nextRunAt } of items) {
      expect(nextRunAt).toBeGreaterThan(right);
      expect(nextRunAt).toBeLessThanOrEqual(right + 2 * HOUR);
      expect(schedule.dueAt).toBe(nextRunAt);
    }
    await scene.clock.advance(50 * MINUTE);
    await endJobs();
    await look();
    expect((await runs())[0]).toMatchObject({ outcome: 'started', slotAt: right + HOUR });
  });

  test('runs that were noted in that future keep none of the present out', async () => {
    const right = scene.clock.now();
    await add({ cron: { expression: '*/10 * * * *', timeZone: 'UTC' } });
    scene.clock.set(right + LONG);
    for (let slot = 0; slot < 120; slot += 1) {
      await scene.clock.advance(10 * MINUTE);
      await look();
    }
    scene.clock.set(right);
    await endJobs();
    await look();
    for (let slot = 0; slot < 3; slot += 1) {
      await scene.clock.advance(10 * MINUTE);
      await look();
      await endJobs();
    }
    const latest = (await runs()).slice(0, 3);
    expect(latest.map(({ outcome }) => outcome)).toEqual(['started', 'started', 'started']);
    expect(latest.map(({ slotAt }) => slotAt)).toEqual([3, 2, 1].map((n) => right + n * 10 * MINUTE));
  });

  test('a jump ahead starts one late run at most, and notes the others in a few lines', async () => {
    await add({ cron: { expression: '* * * * *', timeZone: 'UTC' } });
    scene.clock.set(scene.clock.now() + LONG);
    await look();
    await look();
    const all = await runs();
    expect(all.filter(({ outcome }) => outcome === 'started')).toHaveLength(1);
    expect(all.length).toBeLessThanOrEqual(22);
    expect(await jobs()).toHaveLength(1);
  });

  test('a slot that was run is not run again after the clock was set back', async () => {
    const noon = scene.clock.now();
    await add();
    await scene.clock.advance(HOUR);
    await look();
    await endJobs();
    scene.clock.set(noon - 2 * HOUR);
    await look();
    scene.clock.set(noon + HOUR + MINUTE);
    await look();
    expect((await runs()).filter(({ slotAt }) => slotAt === noon + HOUR)).toHaveLength(1);
    expect(await jobs()).toHaveLength(1);
  });
});

describe('a schedule with jitter', () => {
  test('starts the job of its one server later than the slot, always by as much', async () => {
    const schedule = await add({ jitterMs: HOUR });
    const delay = jitterOf(schedule, 1);
    expect(delay).toBeGreaterThan(SECOND);
    await scene.clock.advance(HOUR + delay - 1);
    await look();
    expect(await jobs()).toEqual([]);
    await scene.clock.advance(1);
    await look();
    expect(await runs()).toMatchObject([{ outcome: 'started', slotAt: Date.UTC(2026, 0, 15, 13) }]);
    const { nextRuns } = await new GetSchedule(scene).execute(operator, 1, ALL);
    expect(nextRuns.slice(0, 2)).toEqual([14, 15].map((hour) => Date.UTC(2026, 0, 15, hour) + delay));
  });

  test('gives each server of a batch its own', async () => {
    const schedule = await add({ selector: { all: true }, jitterMs: HOUR });
    await scene.clock.advance(HOUR);
    await look();
    const { items } = await scene.batches.members(1, {}, ALL);
    const slot = Date.UTC(2026, 0, 15, 13);
    for (const { serverId, notBefore } of items) expect(notBefore).toBe(slot + jitterOf(schedule, serverId));
    expect(items.map(({ notBefore }) => notBefore)).toEqual(
      items.map(({ notBefore }) => notBefore ?? 0).toSorted((a, b) => a - b),
    );
  });
});

describe('a schedule of several servers', () => {
  test('starts one batch over those that have the tag now', async () => {
    await add({ selector: { tags: ['web'] }, bounds: { maxParallel: 1, canary: 1 } });
    await scene.servers.change(3, { tags: ['web'] }, 0, noRecord);
    await scene.clock.advance(HOUR);
    await look();
    expect(await scene.batches.find(1)).toMatchObject({
      scheduled: true,
      scheduleId: 1,
      requester: { kind: 'operator', name: 'cli:me', label: 'schedule hourly' },
      bounds: { maxParallel: 1, canary: 1 },
      counts: { waiting: 3 },
    });
    expect(await runs()).toMatchObject([{ outcome: 'started', batchId: 1, jobId: null }]);
  });

  test('is skipped while its previous batch runs', async () => {
    await add({ selector: { tags: ['web'] } });
    await scene.clock.advance(HOUR);
    await look();
    await scene.clock.advance(HOUR);
    await look();
    expect(await runs()).toMatchObject([
      { outcome: 'skipped', code: 'job_already_active', detail: expect.stringContaining('Batch 1') },
      { outcome: 'started' },
    ]);
  });

  test('tells a server that is gone, and goes on with the others', async () => {
    await add({ selector: { ids: [1, 2] } });
    await scene.servers.remove(2, 0, {});
    await scene.clock.advance(HOUR);
    await look();
    const { items } = await scene.batches.members(1, {}, ALL);
    expect(items).toMatchObject([
      { serverId: 1, status: 'waiting' },
      { serverId: 2, status: 'skipped', code: 'server_not_found' },
    ]);
  });

  test('is refused where no server has the tag', async () => {
    await add({ selector: { tags: ['db'] } });
    await scene.clock.advance(HOUR);
    await look();
    expect(await runs()).toMatchObject([{ outcome: 'refused', code: 'server_not_found' }]);
  });
});

describe('run now', () => {
  test('starts at once, for the person who asks, and leaves the times as they are', async () => {
    await add({ enabled: false });
    const run = await runNow.execute(operator, 1);
    expect(run).toMatchObject({ manual: true, outcome: 'started', jobId: 1 });
    expect(await jobs()).toMatchObject([{ scheduled: false, requestedBy: 'cli:me' }]);
    expect((await scene.schedules.find(1))?.dueAt).toBeNull();
    expect(scene.kept.audit.at(-1)).toMatchObject({ action: 'schedule.run', object: 'schedule:1' });
  });

  test('is refused as the job is, and the run says so', async () => {
    await add();
    await runNow.execute(operator, 1);
    await expectRefusal(runNow.execute(operator, 1), 'job_already_active');
    expect((await runs())[0]).toMatchObject({ outcome: 'skipped', manual: true });
  });
});

describe('who may change what', () => {
  test('needs the scope and the feature of the job, before and after', async () => {
    await expectRefusal(add({}, tokenActor({ capabilities: ['read'] })), 'scope_missing');
    await expectRefusal(add({}, tokenActor({ features: ['backup'] })), 'feature_not_allowed');
    await add();
    await add({ name: 'own' }, tokenActor());
    const backups = tokenActor({ features: ['backup'] });
    await expectRefusal(manage.edit(backups, 2, { jobType: 'backup' }), 'feature_not_allowed');
    await expectRefusal(manage.remove(backups, 2), 'feature_not_allowed');
    await expectRefusal(runNow.execute(backups, 2), 'feature_not_allowed');
    await expectRefusal(manage.remove(tokenActor({ capabilities: ['read'] }), 2), 'scope_missing');
    expect(scene.kept.audit.at(-1)).toMatchObject({
      action: 'schedule.remove',
      outcome: 'scope_missing',
    });
  });

  test('a token that is limited to servers names them, and sees schedules for these alone', async () => {
    const limited = tokenActor({ serverIds: new Set([1, 2]) });
    await expectRefusal(add({ selector: { ids: [1, 3] } }, limited), 'server_not_found');
    for (const selector of [{ tags: ['web'] }, { all: true }]) {
      await expectRefusal(add({ selector }, limited), 'invalid_input');
    }
    await add({ name: 'mine', selector: { ids: [1, 2] } }, limited);
    await add({ name: 'wide', selector: { ids: [1, 3] } });
    await add({ name: 'tagged', selector: { tags: ['web'] } });
    const list = new ListSchedules(scene);
    const names = async (actor: Actor) =>
      (await list.execute(actor, ALL)).items.map(({ schedule }) => schedule.name);
    expect(await names(limited)).toEqual(['mine']);
    expect(await names(tokenActor())).toEqual(['mine', 'tagged', 'wide']);
    for (const id of [2, 3, 99]) {
      await expectRefusal(new GetSchedule(scene).execute(limited, id, ALL), 'schedule_not_found');
      await expectRefusal(manage.edit(limited, id, { enabled: false }), 'schedule_not_found');
      await expectRefusal(manage.remove(limited, id), 'schedule_not_found');
      await expectRefusal(runNow.execute(limited, id), 'schedule_not_found');
    }
    await expectRefusal(manage.edit(limited, 1, { selector: { all: true } }), 'invalid_input');
    await expectRefusal(list.execute(tokenActor({ capabilities: ['jobs'] }), ALL), 'read_scope_missing');
  });
});

describe('what a schedule may be', () => {
  test.each<[string, Partial<ScheduleDescription>, string]>([
    ['a name', { name: 'a b' }, '/name'],
    ['a cron expression', { cron: { expression: 'often', timeZone: 'UTC' } }, '/cron'],
    ['a time zone', { cron: { expression: '0 3 * * *', timeZone: 'Mars/Olympus' } }, '/time_zone'],
    ['jitter of an hour', { jitterMs: HOUR + 1 }, '/jitter'],
    ['parameters of its type', { params: { osSteps: ['update'] } }, '/os_steps'],
    ['bounds', { bounds: { maxParallel: 0 } }, '/max_parallel'],
    ['one selector', { selector: {} }, '/selector'],
  ])('has to have %s', async (_, over, path) => {
    const { problems } = await expectRefusal(add(over), 'invalid_input');
    expect(problems.map((problem) => problem.path)).toEqual([path]);
  });

  test('names servers that are there, and jobs that this version runs', async () => {
    await expectRefusal(add({ selector: { ids: [1, 99] } }), 'server_not_found');
    await expectRefusal(add({ jobType: 'host_reboot' }), 'job_type_unavailable');
    await add();
    await expectRefusal(add(), 'name_taken');
  });

  test.each<[ScheduleEdit, Partial<Schedule>]>([
    [{ name: 'renamed' }, { name: 'renamed' }],
    [{ selector: { tags: ['web'] } }, { selector: { by: 'tags', tags: ['web'] } }],
    [{ bounds: { canary: 2 } }, { bounds: { maxParallel: 4, canary: 2, stopAfterFailures: 3 } }],
    [{ jitterMs: 5 }, { jitterMs: 5 }],
    [
      { params: { osSteps: ['upgrade'] } },
      { params: { sourceFilter: null, service: null, osSteps: ['upgrade'], dryRun: true } },
    ],
    [
      { jobType: 'os_update_check' },
      { jobType: 'os_update_check', params: expect.objectContaining({ osSteps: null, dryRun: false }) },
    ],
  ])('changes by %j alone', async (edit, expected) => {
    const before = await add({
      jobType: 'os_patch',
      params: { osSteps: ['update'], dryRun: true },
      bounds: { maxParallel: 4, stopAfterFailures: 3 },
    });
    const after = await manage.edit(operator, before.id, edit);
    expect(after).toMatchObject({ ...before, ...expected, revision: 1, dueAt: expect.any(Number) });
  });

  test('can be switched off whatever has become of its servers, but not be changed by nothing', async () => {
    await add();
    await scene.servers.remove(1, 0, {});
    expect(await manage.edit(operator, 1, { enabled: false })).toMatchObject({ enabled: false, dueAt: null });
    await expectRefusal(manage.edit(operator, 1, {}), 'empty_change');
  });

  test('shows its next runs and its last one', async () => {
    await add({ cron: { expression: '30 2 * * *', timeZone: 'Europe/Berlin' } });
    const { nextRuns } = await new GetSchedule(scene).execute(operator, 1, ALL);
    expect(nextRuns.map(toIso).slice(0, 2)).toEqual(['2026-01-16T01:30:00.000Z', '2026-01-17T01:30:00.000Z']);
    await runNow.execute(operator, 1);
    const { items } = await new ListSchedules(scene).execute(operator, ALL);
    expect(items).toMatchObject([{ nextRunAt: nextRuns[0], lastRun: { outcome: 'started' } }]);
    await manage.edit(operator, 1, { enabled: false });
    expect((await new GetSchedule(scene).execute(operator, 1, ALL)).nextRuns).toEqual([]);
  });
});
