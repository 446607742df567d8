import { beforeEach, describe, expect, it } from 'vitest';
import { AdvanceBatches } from '../../../src/application/automation/advance-batches.ts';
import { ManageSchedules } from '../../../src/application/automation/manage-schedules.ts';
import { ManageWindows } from '../../../src/application/automation/manage-windows.ts';
import { PatchPolicies } from '../../../src/application/automation/patch-policies.ts';
import { PreviewUpdates } from '../../../src/application/automation/preview-updates.ts';
import { RunDueSchedules } from '../../../src/application/automation/run-due-schedules.ts';
import { StartBatch } from '../../../src/application/automation/start-batch.ts';
import { StartScheduledJob } from '../../../src/application/automation/start-scheduled-job.ts';
import { OsPatchRunner } from '../../../src/application/fleet/os-patch-runner.ts';
import { CancelJob } from '../../../src/application/jobs/cancel-job.ts';
import { JobRunners } from '../../../src/application/jobs/runner.ts';
import { TriggerJob } from '../../../src/application/jobs/trigger-job.ts';
import { Actor } from '../../../src/domain/access/actor.ts';
import { HOUR, MINUTE } from '../../../src/domain/base/instant.ts';
import type { RawSelector } from '../../../src/domain/fleet/host-selector.ts';
import type { Inventory } from '../../../src/domain/fleet/inventory.ts';
import type { Job } from '../../../src/domain/jobs/job.ts';
import { FakeHost } from '../../fakes/fake-host.ts';
import { FakePackageManager } from '../../fakes/fake-package-manager.ts';
import { type ApplicationScene, applicationScene, tokenActor } from '../../support/application-scene.ts';
import { inventoryOf } from '../../support/inventories.ts';

const operator = Actor.operator('cli:me');
const ALL = { limit: 100, offset: 0 };
const noRecord = () => ({});
const NOT_USED = () => Promise.reject(new Error('not in this test'));
const PACKAGES = ['app', 'kernel', 'lib', 'shell'];

let scene: ApplicationScene;
let preview: PreviewUpdates;
let policies: PatchPolicies;
let run: () => Promise<void>;

/** Twenty servers whose packages have been pending for 0 to 95 hours; every third package is a security fix. */
beforeEach(async () => {
  scene = applicationScene();
  policies = new PatchPolicies(scene);
  preview = new PreviewUpdates(scene);
  const types = ['os_patch'] as const;
  const runners = new JobRunners([{ types, timeLimitMs: MINUTE, plan: NOT_USED, apply: NOT_USED }]);
  const triggerJob = new TriggerJob({ ...scene, runners });
  const startBatch = new StartBatch({ ...scene, runners });
  const startScheduledJob = new StartScheduledJob({ ...scene, triggerJob, startBatch });
  const due = new RunDueSchedules({ ...scene, startScheduledJob });
  const batches = new AdvanceBatches({ ...scene, triggerJob, cancelJob: new CancelJob(scene) });
  run = async () => {
    const { signal } = new AbortController();
    await due.execute(signal);
    for (let step = 0; step < 5; step += 1) await batches.execute(signal);
  };
  for (let n = 1; n <= 20; n += 1) {
    const { id } = await scene.addServer(`host-${String(n).padStart(2, '0')}`, { os_patch: n !== 6 });
    const tags = [
      n <= 14 ? 'early' : 'late',
      ...(n % 4 === 0 ? ['careful'] : []),
      ...(n % 7 === 0 ? ['closed'] : []),
    ];
    await scene.servers.change(id, { tags }, 0, noRecord);
    await scene.inventories.save(id, inventoryOf({ updates: updatesOf(n) }));
  }
  const schedules = new ManageSchedules({ ...scene, runners });
  const schedule = (name: string, hour: number, selector: RawSelector) =>
    schedules.add(operator, {
      name,
      selector,
      cron: { expression: `0 ${hour} * * *`, timeZone: 'UTC' },
      jobType: 'os_patch',
      params: {},
      bounds: { maxParallel: 50 },
      jitterMs: 0,
      enabled: true,
    });
  await schedule('early', 14, { tags: ['early'] });
  await schedule('late', 15, { ids: [15, 16, 17, 18] });
  const windows = new ManageWindows(scene);
  const window = (name: string, hour: number, selector: RawSelector) =>
    windows.add(operator, {
      name,
      selector,
      opens: { expression: `0 ${hour} * * *`, timeZone: 'UTC' },
      durationMs: 2 * HOUR,
    });
  await window('night', 2, { tags: ['closed'] });
  await window('noon', 14, { ids: [1, 2, 3, 15, 16] });
  await policies.add(operator, { name: 'all', selector: { all: true }, minAgeMs: 48 * HOUR });
  await policies.add(operator, { name: 'careful', selector: { tags: ['careful'] }, securityOnly: true });
  await policies.add(operator, {
    name: 'never',
    selector: { ids: [5, 17] },
    scheduledTypes: ['host_reboot'],
  });
  await policies.add(operator, {
    name: 'pinned',
    selector: { ids: [9, 16] },
    minAgeMs: 0,
    exclusions: [{ kind: 'package', pattern: 'k*', reason: 'By hand', until: null }],
  });
});

const updatesOf = (n: number): NonNullable<Inventory['updates']> =>
  PACKAGES.map((name, index) => ({
    name,
    from: '1',
    to: '2',
    security: (n + index) % 3 === 0,
    origin: null,
    held: false,
    seenAt: scene.clock.now() - ((n * 13 + index * 29) % 96) * HOUR,
  }));

interface Fate {
  readonly server: string;
  readonly starts: boolean;
  readonly installs: readonly string[];
  readonly held: readonly string[];
}

/** What a dry run of the job that a schedule has started finds on the server. */
async function fateOf(job: Job, server: string): Promise<Fate> {
  const inventory = await scene.inventories.find(job.serverId);
  const manager = new FakePackageManager({ clock: scene.clock });
  for (const name of PACKAGES) manager.installed.set(name, '1');
  manager.sources[0]!.packages = (inventory?.updates ?? []).map(({ name, to, security }) => ({
    name,
    version: to,
    security,
  }));
  const host = new FakeHost('web').session();
  await manager.check(host, { signal: new AbortController().signal, onLine: () => undefined });
  const found = await scene.servers.find(job.serverId);
  const runner = new OsPatchRunner({
    ...scene,
    refreshInventory: { gather: async () => inventory, save: async () => inventory } as never,
    packageManagers: { families: ['debian'], find: () => manager },
    detachedWork: {} as never,
    patchPolicies: policies,
    rebootAfterPatch: {} as never,
    patchGuard: { of: async () => null } as never,
  });
  const { result } = await runner.plan({
    job,
    server: found,
    signal: new AbortController().signal,
    openHost: async () => host,
    log: () => undefined,
    progress: () => undefined,
  } as never);
  const names = (list: unknown): string[] => (list as { name: string }[]).map(({ name }) => name).toSorted();
  return { server, starts: true, installs: names(result['changes']), held: names(result['held_back']) };
}

describe('the preview of the next updates', () => {
  it('lists servers that schedules update, apart from the others', async () => {
    const { page, idle } = await preview.coming(operator, { limit: 10, offset: 10 });
    expect(page.total).toBe(18);
    const named = page.items.map(({ server }) => server.name);
    expect([named.length, named[0], named.at(-1)]).toEqual([8, 'host-11', 'host-18']);
    expect(page.items.every(({ updates }) => updates.length > 0)).toBe(true);
    expect(idle.map(({ name }) => name)).toEqual(['host-19', 'host-20']);
    const { items } = await preview.execute(operator, ALL);
    expect(items.filter(({ updates }) => updates.length > 0)).toHaveLength(page.total);
  });

  it('shows a caller that is limited to servers only those', async () => {
    const { page, idle } = await preview.coming(tokenActor({ serverIds: new Set([1, 19]) }), ALL);
    expect(
      [...page.items.map(({ server }) => server.id), ...idle.map(({ id }) => id)].toSorted((a, b) => a - b),
    ).toEqual([1, 19]);
  });

  it('counts each server for the policy that it follows', async () => {
    const found = await policies.list(operator, ALL);
    const followers = await policies.followers(operator);
    expect(found.items.map(({ id, name }) => [name, followers.get(id)])).toEqual([
      ['all', 12],
      ['careful', 4],
      ['never', 2],
      ['pinned', 2],
    ]);
  });

  it('equals what then happens on 20 servers with 2 schedules, 4 policies and 2 windows', async () => {
    const { items } = await preview.execute(operator, ALL);
    const expected = items.map(({ server, updates: [next] }): Fate => {
      const starts = next !== undefined && next.refusal === null;
      return {
        server: server.name,
        starts,
        installs: starts ? (next.installs ?? []).map((each) => each.split(' ')[0] ?? '').toSorted() : [],
        held: starts ? next.held.map(({ name }) => name).toSorted() : [],
      };
    });
    const happened = new Map<number, Fate>();
    for (const hours of [2, 1]) {
      await scene.clock.advance(hours * HOUR);
      await run();
      for (const job of (await scene.jobs.list({}, ALL)).items)
        if (!happened.has(job.serverId)) happened.set(job.serverId, await fateOf(job, job.serverName));
    }
    const all = items.map(
      ({ server }): Fate =>
        happened.get(server.id) ?? { server: server.name, starts: false, installs: [], held: [] },
    );
    expect(all).toEqual(expected);
    expect(all.filter(({ starts }) => starts)).toHaveLength(13);
    expect(new Set(all.flatMap(({ held }) => held)).size).toBe(4);
    expect(new Set(all.flatMap(({ installs }) => installs)).size).toBe(4);
  });

  it('says why a server gets none', async () => {
    const { items } = await preview.execute(operator, ALL);
    const codes = items.map(({ server, updates: [next] }) => [
      server.id,
      next === undefined ? 'no schedule' : (next.refusal?.code ?? null),
    ]);
    expect(codes.filter(([, code]) => code !== null)).toEqual([
      [5, 'held_by_policy'],
      [6, 'feature_disabled'],
      [7, 'outside_maintenance_window'],
      [14, 'outside_maintenance_window'],
      [17, 'held_by_policy'],
      [19, 'no schedule'],
      [20, 'no schedule'],
    ]);
  });

  it('shows a token its servers only, and no schedule that is for others too', async () => {
    const actor = tokenActor({ serverIds: new Set([1, 15]) });
    const { items, total } = await preview.execute(actor, ALL);
    expect(total).toBe(2);
    expect(items).toMatchObject([
      { server: { id: 1 }, updates: [] },
      { server: { id: 15 }, updates: [] },
    ]);
  });

  it('names newer images, without those that the policy excludes or that are too new', async () => {
    const container = { id: 'a', name: 'a', state: 'running', running: true, status: '', project: 'shop' };
    const containers = ['db:1', 'new:1', 'web:1'].map((image) => ({
      ...container,
      image,
      service: 's',
      path: '/srv',
      update: true,
      latest: { digest: 'sha256:0', since: scene.clock.now() - (image === 'new:1' ? HOUR : 96 * HOUR) },
    }));
    await scene.inventories.save(1, inventoryOf({ containers }));
    const schedule = (await scene.schedules.list())[0];
    if (schedule)
      await scene.schedules.change(schedule, { jobType: 'container_patch' }, scene.clock.now(), noRecord);
    await policies.add(operator, {
      name: 'own',
      selector: { ids: [1] },
      exclusions: [{ kind: 'image', pattern: 'db', reason: 'Needs a dump', until: null }],
    });
    const { items } = await preview.execute(operator, { limit: 1, offset: 0 });
    expect(items[0]?.updates).toMatchObject([
      { jobType: 'container_patch', installs: ['web:1'], held: [{ name: 'db:1' }, { name: 'new:1' }] },
    ]);
  });
});
