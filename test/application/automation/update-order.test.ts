import { beforeEach, describe, expect, it } from 'vitest';
import { AdvanceBatches } from '../../../src/application/automation/advance-batches.ts';
import { GetBatch } from '../../../src/application/automation/get-batch.ts';
import { ManageSchedules } from '../../../src/application/automation/manage-schedules.ts';
import { ManageWindows } from '../../../src/application/automation/manage-windows.ts';
import { PatchPolicies } from '../../../src/application/automation/patch-policies.ts';
import { PreviewUpdates } from '../../../src/application/automation/preview-updates.ts';
import { RunDueSchedules } from '../../../src/application/automation/run-due-schedules.ts';
import { StartBatch } from '../../../src/application/automation/start-batch.ts';
import { StartScheduledJob } from '../../../src/application/automation/start-scheduled-job.ts';
import { CancelJob } from '../../../src/application/jobs/cancel-job.ts';
import { JobRunners } from '../../../src/application/jobs/runner.ts';
import { TriggerJob } from '../../../src/application/jobs/trigger-job.ts';
import { Actor } from '../../../src/domain/access/actor.ts';
import type { PolicyDescription } from '../../../src/domain/automation/patch-policy.ts';
import { DAY, HOUR, type Instant, MINUTE, toIso } from '../../../src/domain/base/instant.ts';
import { wordsOf } from '../../../src/domain/events/notification-words.ts';
import type { RawSelector } from '../../../src/domain/fleet/host-selector.ts';
import type { TerminalStatus } from '../../../src/domain/jobs/job.ts';
import { type ApplicationScene, applicationScene } from '../../support/application-scene.ts';

const operator = Actor.operator('cli:me');
const ALL = { limit: 100, offset: 0 };
const noRecord = () => ({});
const NOT_USED = () => Promise.reject(new Error('not in this test'));
const TICK = HOUR;
const ORDER = {
  rings: [
    { tag: 'canary', bakeMs: 12 * HOUR },
    { tag: 'early', bakeMs: 6 * HOUR },
  ],
  order: ['db', 'app'],
  groups: [{ tag: 'db', atOnce: 1 }],
};

let scene: ApplicationScene;
let preview: PreviewUpdates;
let policies: PatchPolicies;
let advance: AdvanceBatches;
let due: RunDueSchedules;

beforeEach(() => {
  scene = applicationScene();
  policies = new PatchPolicies(scene);
  preview = new PreviewUpdates(scene);
  replica();
});

/** A process of the service; another one starts with what is in the database. */
function replica(): void {
  const types = ['os_patch'] as const;
  const runners = new JobRunners([{ types, timeLimitMs: MINUTE, plan: NOT_USED, apply: NOT_USED }]);
  const triggerJob = new TriggerJob({ ...scene, runners });
  const startBatch = new StartBatch({ ...scene, runners });
  const startScheduledJob = new StartScheduledJob({ ...scene, triggerJob, startBatch });
  due = new RunDueSchedules({ ...scene, startScheduledJob });
  advance = new AdvanceBatches({ ...scene, triggerJob, cancelJob: new CancelJob(scene) });
}

const addServer = async (name: string, tags: readonly string[], isOn = true): Promise<number> => {
  const { id } = await scene.addServer(name, { os_patch: isOn });
  await scene.servers.change(id, { tags: [...tags] }, 0, noRecord);
  return id;
};
const CANARY = [{ tag: 'canary', bakeMs: 12 * HOUR }];
const addPolicy = (over: Partial<PolicyDescription> = {}) =>
  policies.add(operator, { name: 'careful', selector: { all: true }, ...ORDER, ...over });
const addSchedule = async (selector: RawSelector = { all: true }, expression = '0 2 * * *') => {
  const types = ['os_patch'] as const;
  const runners = new JobRunners([{ types, timeLimitMs: MINUTE, plan: NOT_USED, apply: NOT_USED }]);
  return new ManageSchedules({ ...scene, runners }).add(operator, {
    name: 'nightly',
    selector,
    cron: { expression, timeZone: 'UTC' },
    jobType: 'os_patch',
    params: {},
    bounds: { maxParallel: 50 },
    jitterMs: 0,
    enabled: true,
  });
};
const addWindow = (name: string, hour: number, selector: RawSelector) =>
  new ManageWindows(scene).add(operator, {
    name,
    selector,
    opens: { expression: `0 ${hour} * * *`, timeZone: 'UTC' },
    durationMs: 2 * HOUR,
  });

type Fate = (server: string) => TerminalStatus;
const { signal } = new AbortController();

/** Starts what is due, and ends all jobs; returns the servers in the order in which their jobs started. */
async function tick(fate: Fate = () => 'success'): Promise<string[]> {
  const started: string[] = [];
  for (;;) {
    await due.execute(signal);
    await advance.execute(signal);
    const claims = await scene.queue.claim({
      owner: 'w',
      leaseMs: MINUTE,
      limit: 100,
      at: scene.clock.now(),
      record: noRecord,
    });
    if (claims.length === 0) return started;
    for (const claim of claims.toSorted((a, b) => a.job.id - b.job.id)) {
      started.push(claim.job.serverName);
      const status = fate(claim.job.serverName);
      // As a guarded update ends that made the server worse.
      const error = status === 'failed' ? { code: 'patch_unhealthy' as const, detail: 'It is worse.' } : null;
      const outcome = { status, summary: '', error, result: null };
      await scene.queue.finish(claim, outcome, scene.clock.now(), noRecord);
    }
  }
}

/** Lets time pass; returns each server with the time at which its job started. */
async function pass(ms: number, fate?: Fate): Promise<[string, string][]> {
  const starts: [string, string][] = [];
  for (const end = scene.clock.now() + ms; scene.clock.now() < end; ) {
    await scene.clock.advance(TICK);
    const at = toIso(scene.clock.now());
    for (const server of await tick(fate)) starts.push([at, server]);
  }
  return starts;
}

/** As `pass` returns them. */
async function expectedStarts(): Promise<[string, string][]> {
  const { items } = await preview.execute(operator, ALL);
  return items
    .flatMap(({ server, updates: [next] }) =>
      next?.refusal === null ? [{ at: next.at, turn: next.turn?.turn ?? 0, name: server.name }] : [],
    )
    .toSorted((a, b) => a.turn - b.turn)
    .map(({ at, name }) => [toIso(at), name]);
}

const alert = async (serverId: number, at: Instant): Promise<void> => {
  const condition = {
    kind: 'disk.filling',
    subjectId: serverId,
    variant: '/',
    name: 'x',
    at,
    serverId,
    jobId: null,
  } as const;
  const server = await scene.servers.find(serverId);
  await scene.servers.learn(serverId, { diskFullAt: at, diskFullMount: '/' });
  expect(server).not.toBeNull();
  expect(wordsOf(condition).severity).toBe('warning');
  const limits = {
    now: at,
    backupsStaleBefore: 0,
    tokensExpireBefore: 0,
    disksFullBefore: at + DAY,
    supportEndsBefore: 0,
  };
  await scene.watch.begin('disk.filling', limits, wordsOf, 10);
  const terms = { beganUpTo: at, at, isMuted: () => false, event: () => null };
  await scene.watch.open('disk.filling', terms, 10);
};
const lastBatch = async () => (await scene.batches.list({}, ALL)).items[0];

describe('a policy with rings', () => {
  it('updates 20 servers in 3 rings and 2 windows as the preview says, and says why others are not', async () => {
    const tagsOf = (n: number): string[] => [
      ...(n <= 2 ? ['canary'] : n <= 7 ? ['early'] : []),
      ...(n % 3 === 0 ? ['db'] : n % 3 === 1 ? ['app'] : []),
      n % 2 === 0 ? 'night' : 'noon',
    ];
    for (let n = 1; n <= 20; n += 1)
      await addServer(`host-${String(n).padStart(2, '0')}`, tagsOf(n), n !== 9);
    await addWindow('night', 2, { tags: ['night'] });
    await addWindow('noon', 12, { tags: ['noon'] });
    await addPolicy();
    await policies.add(operator, { name: 'never', selector: { ids: [20] }, scheduledTypes: [] });
    await addSchedule();

    const expected = await expectedStarts();
    const { items } = await preview.execute(operator, ALL);
    const refused = items.flatMap(({ server, updates: [next] }) =>
      next?.refusal ? [[server.id, next.refusal.code]] : [],
    );
    expect(refused).toEqual([
      [9, 'feature_disabled'],
      [20, 'held_by_policy'],
    ]);
    expect(items[2]?.updates[0]?.turn).toMatchObject({ ring: 2, ringTag: 'early' });
    const last = Date.parse(expected.at(-1)?.[0] ?? '');
    expect(await pass(last - scene.clock.now())).toEqual(expected);
    expect(expected).toHaveLength(18);
    // A day's windows are for databases, the next day's for applications, and so on in each ring.
    expect(new Set(expected.map(([at]) => at)).size).toBe(10);
  });

  it('is previewed as it continues while its batch runs', async () => {
    await addServer('a', ['canary']);
    await addServer('b', []);
    await addPolicy({ rings: [{ tag: 'canary', bakeMs: 5 * HOUR }], order: [], groups: [] });
    await addSchedule();
    const until = async (server: string) => {
      for (;;) if ((await pass(TICK)).some(([, name]) => name === server)) return;
    };
    await until('a');
    const slot = scene.clock.now();
    await pass(2 * HOUR);
    expect(await expectedStarts()).toEqual([
      [toIso(slot + DAY), 'a'],
      [toIso(slot + 5 * HOUR), 'b'],
    ]);
    replica();
    await until('b');
    expect(scene.clock.now()).toBe(slot + 5 * HOUR);
    expect((await lastBatch())?.status).toBe('success');
  });

  it('says what its batch waits for, in which ring', async () => {
    const getBatch = new GetBatch(scene);
    const waits = async () => {
      const batch = await lastBatch();
      return batch === undefined ? [] : getBatch.waits(batch);
    };
    await addServer('a', ['canary']);
    await addServer('b', []);
    await addServer('c', []);
    await addWindow('noon', 12, { ids: [2, 3] });
    await addPolicy({ rings: [{ tag: 'canary', bakeMs: 5 * HOUR }], order: [], groups: [] });
    await addSchedule();
    while ((await lastBatch()) === undefined) await pass(TICK);
    const slot = scene.clock.now();
    const next = { policy: 'careful', ring: 1, ringTag: null };
    expect(await waits()).toEqual([{ ...next, reason: 'bake_time', until: slot + 5 * HOUR }]);
    await pass(6 * HOUR);
    expect(await waits()).toEqual([{ ...next, reason: 'window', until: slot + 10 * HOUR }]);
    await scene.clock.advance(4 * HOUR);
    await advance.execute(signal);
    expect(await waits(), 'all were started').toEqual([]);
    await tick();
    expect((await lastBatch())?.status).toBe('success');
    expect(await waits()).toEqual([]);
  });

  it('starts no other ring if a canary fails, alerts, and tries again at the next run', async () => {
    await addServer('a', ['canary']);
    await addServer('b', ['canary']);
    await addServer('c', []);
    await addPolicy({ rings: CANARY });
    await addSchedule();
    expect(await pass(DAY, (name) => (name === 'a' ? 'failed' : 'success'))).toHaveLength(2);
    expect(await lastBatch()).toMatchObject({
      status: 'stopped',
      counts: { success: 1, failed: 1, left_out: 1 },
      stopReason: 'The policy careful starts no other servers: the update of a (ring canary) failed.',
    });
    const { items } = await scene.batches.members((await lastBatch())?.id ?? 0, { status: 'failed' }, ALL);
    expect(items).toMatchObject([{ serverName: 'a', code: 'patch_unhealthy' }]);
    const now = scene.clock.now();
    const limits = {
      now,
      backupsStaleBefore: 0,
      tokensExpireBefore: 0,
      disksFullBefore: 0,
      supportEndsBefore: 0,
    };
    expect(await scene.watch.begin('updates.stopped', limits, wordsOf, 10)).toBe(1);
    expect((await pass(DAY + 4 * HOUR)).map(([, name]) => name)).toEqual(['a', 'b', 'c']);
    expect(await scene.watch.end('updates.stopped', limits, () => null, 10)).toBe(1);
  });

  it('stops if an alert opens on an updated server before the bake time has passed', async () => {
    const canary = await addServer('a', ['canary']);
    await addServer('b', []);
    await addPolicy({ rings: CANARY });
    await addSchedule();
    await alert(canary, scene.clock.now());
    await pass(20 * HOUR);
    expect((await lastBatch())?.status, 'an older alert does not count').toBe('running');
    await scene.servers.learn(canary, { diskFullAt: null, diskFullMount: null });
    const at = scene.clock.now();
    const limits = {
      now: at,
      backupsStaleBefore: 0,
      tokensExpireBefore: 0,
      disksFullBefore: 0,
      supportEndsBefore: 0,
    };
    await scene.watch.end('disk.filling', limits, () => null, 10);
    await alert(canary, at);
    await pass(HOUR);
    expect(await lastBatch()).toMatchObject({ status: 'stopped', counts: { success: 1, left_out: 1 } });
  });

  it('does not skip a ring whose servers were not updated', async () => {
    await addServer('a', ['canary'], false);
    await addServer('b', []);
    await addPolicy({ rings: CANARY });
    await addSchedule();
    const { items } = await preview.execute(operator, ALL);
    expect(items[1]?.updates[0]?.refusal?.code).toBe('held_by_policy');
    expect(await pass(DAY)).toEqual([]);
    expect(await lastBatch()).toMatchObject({ status: 'stopped', counts: { skipped: 1, left_out: 1 } });
  });

  it('stops only its own servers', async () => {
    await addServer('a', ['canary']);
    await addServer('b', []);
    const free = await addServer('free', []);
    await addPolicy({ rings: CANARY });
    await policies.add(operator, {
      name: 'other',
      selector: { ids: [free] },
      rings: [],
      order: ['db'],
      groups: [],
    });
    await addSchedule();
    const starts = await pass(DAY, (name) => (name === 'a' ? 'failed' : 'success'));
    expect(starts.map(([, name]) => name).toSorted()).toEqual(['a', 'free']);
    expect((await lastBatch())?.counts).toMatchObject({ success: 1, failed: 1, left_out: 1 });
  });
});

describe('a limited group of servers', () => {
  const running = async (): Promise<string[]> =>
    (await scene.jobs.list({ status: 'running' }, ALL)).items.map(({ serverName }) => serverName);
  const claim = (owner = 'w') =>
    scene.queue.claim({ owner, leaseMs: MINUTE, limit: 100, at: scene.clock.now(), record: noRecord });

  it('is never updated by more servers at once, whatever starts their jobs', async () => {
    const a = await addServer('a', ['db']);
    const b = await addServer('b', ['db']);
    await addServer('c', []);
    await addPolicy({ rings: [], order: [] });
    const runners = new JobRunners([
      { types: ['os_patch'], timeLimitMs: MINUTE, plan: NOT_USED, apply: NOT_USED },
    ]);
    const trigger = new TriggerJob({ ...scene, runners });
    const start = new StartBatch({ ...scene, runners });
    await trigger.execute(operator, { serverId: a, jobType: 'os_patch' });
    expect(await claim()).toHaveLength(1);
    await start.execute(operator, { selector: { all: true }, jobType: 'os_patch', bounds: {} });
    await advance.execute(signal);
    await claim('x');
    expect((await running()).toSorted()).toEqual(['a', 'c']);
    const { items } = await scene.jobs.list({ serverId: b, status: 'pending' }, ALL);
    expect(items).toMatchObject([{ current: 'Waits for job 1 (os_patch) on a.' }]);
    expect(await scene.jobs.list({ status: 'pending' }, ALL)).toMatchObject({ total: 1 });
  });
});
