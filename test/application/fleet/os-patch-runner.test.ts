import { beforeEach, describe, expect, it } from 'vitest';
import { NodeDigest } from '../../../src/adapters/outbound/system/node-digest.ts';
import { OsPatchRunner } from '../../../src/application/fleet/os-patch-runner.ts';
import { PatchGuard } from '../../../src/application/fleet/patch-guard.ts';
import { DetachedWork } from '../../../src/application/jobs/detached-work.ts';
import { planResult } from '../../../src/application/jobs/job-plans.ts';
import type { JobContext, RunResult } from '../../../src/application/jobs/runner.ts';
import { DEFAULT_RULES, type PatchPolicy } from '../../../src/domain/automation/patch-policy.ts';
import type { BackupSource } from '../../../src/domain/backups/backup-source.ts';
import { DomainError } from '../../../src/domain/base/errors.ts';
import { HOUR } from '../../../src/domain/base/instant.ts';
import type { Inventory } from '../../../src/domain/fleet/inventory.ts';
import { changeLine, type PackageChange } from '../../../src/domain/fleet/package-change.ts';
import type { Job } from '../../../src/domain/jobs/job.ts';
import { FakeClock } from '../../fakes/fake-clock.ts';
import { FakeDetachedRuns } from '../../fakes/fake-detached-runs.ts';
import { FakeHost } from '../../fakes/fake-host.ts';
import { FakePackageManager } from '../../fakes/fake-package-manager.ts';
import { inventoryOf } from '../../support/inventories.ts';

const ID = 'here-7';
const APP: PackageChange = { kind: 'upgrade', name: 'app', from: '1', to: '2', security: false };

class Scene {
  readonly clock = new FakeClock();
  readonly runs = new FakeDetachedRuns();
  readonly manager = new FakePackageManager({ clock: this.clock });
  readonly ending = new AbortController();
  readonly lines: string[] = [];
  readonly job: Job;
  inventory: Inventory = inventoryOf();
  readable = true;
  policy: PatchPolicy | null = null;
  readonly reboots: number[] = [];
  sources: BackupSource[] = [];
  readonly backedUp: string[] = [];
  planJob: Job | null = null;
  marker: string | null = null;

  /** Of the run with rings that the job belongs to. */
  runStartedAt: number | null = null;

  constructor(params: Partial<Job['params']> = {}) {
    this.manager.installed.set('app', '1');
    const all = { sourceFilter: null, service: null, osSteps: ['upgrade'] as const, dryRun: false };
    this.job = { id: 7, serverId: 1, jobType: 'os_patch', params: { ...all, ...params } } as Job;
  }

  get runner(): OsPatchRunner {
    const inventory = {
      gather: () =>
        this.readable
          ? Promise.resolve(this.inventory)
          : Promise.reject(new DomainError('host_unreachable', 'It is gone.')),
      save: (_server: unknown, found: Inventory) => Promise.resolve(found),
    };
    return new OsPatchRunner({
      refreshInventory: inventory as never,
      packageManagers: {
        families: ['debian'],
        find: (family) => (family === 'debian' ? this.manager : null),
      },
      detachedWork: new DetachedWork({ runs: this.runs, clock: this.clock }),
      jobs: { find: () => Promise.resolve(this.planJob) } as never,
      digest: new NodeDigest(),
      patchPolicies: { of: () => Promise.resolve(this.policy) },
      orderedBatches: { startOfRun: () => Promise.resolve(this.runStartedAt) },
      rebootAfterPatch: {
        applies: (policy, _server, isPending) => isPending && policy?.rebootIfNeeded === true,
        start: (job) => {
          this.reboots.push(job.id);
          return Promise.resolve(job);
        },
      },
      patchGuard: new PatchGuard({
        sources: { ofServer: () => Promise.resolve(this.sources) },
        takeSnapshots: {
          hooksOf: () => ({ resume: () => Promise.resolve() }),
          execute: (_context: unknown, sources: readonly BackupSource[]) => {
            this.backedUp.push(...sources.map(({ name }) => name));
            return Promise.resolve([]);
          },
        } as never,
        places: { survey: () => Promise.resolve({ inside: null, below: [], leftOut: [] }) },
      }),
      clock: this.clock,
    });
  }

  get context(): JobContext {
    return {
      job: this.job,
      server: {
        id: 1,
        facts: { osId: 'debian' },
        features: { backup: true },
        updateChecks: ['tcp 80'],
      },
      signal: this.ending.signal,
      openHost: () => Promise.resolve(new FakeHost('web').session()),
      log: (line: string) => void this.lines.push(line),
      progress: () => undefined,
      detached: {
        runId: ID,
        marker: this.marker,
        mark: () => Promise.resolve(),
        log: (line: string) => void this.lines.push(line),
        flush: () => Promise.resolve(),
        carryOn: () => undefined,
      },
    } as never;
  }

  /** Offers app 2, and the given others. */
  async offer(...more: { name: string; version: string }[]): Promise<void> {
    const [main] = this.manager.sources;
    if (main) main.packages = [{ name: 'app', version: '2' }, ...more];
    const { signal } = new AbortController();
    await this.manager.check(new FakeHost('web').session(), { signal, onLine: () => undefined });
  }

  /** Ends the work once it was started. */
  async ended(done: Promise<RunResult>, exitCode: number, outcome: object): Promise<RunResult> {
    while (this.runs.started.length === 0) await new Promise((resolve) => setImmediate(resolve));
    this.runs.ends(ID, exitCode, JSON.stringify(outcome));
    return done;
  }
}

let scene: Scene;
beforeEach(() => {
  scene = new Scene();
});

const LIB = { name: 'lib', from: '1', to: '2', security: true, origin: null };

describe('a dry run', () => {
  beforeEach(async () => {
    scene = new Scene({ dryRun: true, osSteps: ['upgrade'] });
    scene.manager.installed.set('lib', '1');
    scene.manager.held.add('lib');
    await scene.offer({ name: 'lib', version: '2' });
  });

  it('says in its log and its summary what stays as it is', async () => {
    const { summary } = await scene.runner.plan(scene.context);
    expect(scene.lines).toEqual(['app 1 -> 2', 'Held on the host: lib 1 -> 2']);
    expect(summary).toMatch(/1 package to upgrade .* 0 to remove, 1 held according to the host's/);
  });
});

describe('a dry run without an upgrade', () => {
  it('does not call pending updates kept back', async () => {
    scene = new Scene({ dryRun: true, osSteps: ['autoremove'] });
    await scene.offer();
    expect(await scene.runner.plan(scene.context)).toMatchObject({ result: { changes: [], kept_back: [] } });
    expect(scene.lines).toEqual([]);
  });
});

describe('a patch', () => {
  it('reports what changed, what is left and why, and the facts of the server', async () => {
    scene.inventory = inventoryOf({
      rebootPending: true,
      updates: [
        { ...LIB, held: true },
        { ...LIB, name: 'ui', held: false },
      ],
    });
    const done = await scene.ended(scene.runner.apply(scene.context), 0, { changes: [APP] });
    expect(done).toMatchObject({
      summary: 'Upgraded 1, installed 0, removed 0 packages, 1 held, 1 kept back. A reboot is pending.',
      result: {
        changes: [APP],
        held: [{ name: 'lib' }],
        kept_back: [{ name: 'ui', reason: expect.stringContaining('would remove') }],
        reboot_pending: true,
      },
      facts: { osUpdatesCount: 1, securityUpdatesCount: 1, rebootPending: true },
      failure: null,
    });
    await done.afterwards?.();
    expect(scene.lines).toEqual([
      'Held on the host: lib 1 -> 2',
      'Kept back: ui 1 -> 2. Its upgrade would remove other packages, or needs one that is held.',
    ]);
  });

  it('that failed, or upgraded nothing, calls nothing kept back', async () => {
    scene.inventory = inventoryOf({ updates: [{ ...LIB, held: false }] });
    const failed = await scene.ended(scene.runner.apply(scene.context), 14, { changes: [] });
    expect(failed).toMatchObject({ result: { held: [], kept_back: [] } });
    scene = new Scene({ osSteps: ['update', 'autoremove'] });
    scene.inventory = inventoryOf({ updates: [{ ...LIB, held: false }] });
    const idle = await scene.ended(scene.runner.apply(scene.context), 0, { changes: [] });
    expect(idle).toMatchObject({ failure: null, result: { kept_back: [] } });
  });

  it('that failed tells all the same what changed', async () => {
    const done = await scene.ended(scene.runner.apply(scene.context), 14, { changes: [APP] });
    expect(done).toMatchObject({ failure: { code: 'patch_failed' }, result: { changes: [APP] } });
  });

  it('counts although the host cannot be read afterwards', async () => {
    scene.marker = '{"offset":0}';
    await scene.runs.start(new FakeHost('web').session(), { id: ID, script: 'patch' });
    scene.readable = false;
    const done = await scene.ended(scene.runner.apply(scene.context), 0, { changes: [APP] });
    expect(done).toMatchObject({ result: { changes: [APP], held: null, reboot_pending: null }, facts: {} });
    expect(scene.lines.join('\n')).toContain('could not be read afterwards: It is gone.');
  });

  it('that is cancelled is followed to its end, and the host is read all the same', async () => {
    const running = scene.runner.apply(scene.context);
    while (scene.runs.started.length === 0) await new Promise((resolve) => setImmediate(resolve));
    scene.ending.abort(new DomainError('job_cancelled', 'The job was cancelled.'));
    expect(await scene.ended(running, 0, { changes: [APP] })).toMatchObject({
      result: { changes: [APP], reboot_pending: false },
    });
  });

  it('of a family that is not covered is refused, and says what is', async () => {
    scene.inventory = inventoryOf({ osFamily: 'arch', osPretty: 'Arch Linux' });
    await expect(scene.runner.apply(scene.context)).rejects.toMatchObject({
      code: 'host_unsupported',
      message: 'Upgrades do not support Arch Linux yet; supported are: debian.',
    });
  });
});

describe('a patch by plan', () => {
  beforeEach(() => {
    scene = new Scene({ planId: 6 });
    const asked = { ...scene.job, id: 6 };
    const plan = planResult(asked, [changeLine(APP)], 0, new NodeDigest());
    scene.planJob = { ...asked, result: { ...plan, changes: [APP] } };
  });

  it('does just that', async () => {
    await scene.offer();
    const done = await scene.ended(scene.runner.apply(scene.context), 0, { changes: [APP] });
    expect(done).toMatchObject({ failure: null, result: { plan_id: 6, changes: [APP] } });
  });

  it('starts nothing where the host has changed', async () => {
    expect(await scene.runner.apply(scene.context)).toMatchObject({
      failure: {
        code: 'plan_drifted',
        message: expect.stringContaining('no longer needed: app 1 -> 2.'),
      },
      result: { plan_id: 6, changes: [], drift_count: 1, no_longer: [APP], instead: [] },
    });
    expect(scene.runs.started).toEqual([]);
  });

  it('is not planned again by a worker that takes it up', async () => {
    scene.marker = '{"offset":0}';
    await scene.runs.start(new FakeHost('web').session(), { id: ID, script: 'patch' });
    const done = await scene.ended(scene.runner.apply(scene.context), 0, { changes: [APP] });
    expect(done).toMatchObject({ failure: null, result: { changes: [APP] } });
    expect(scene.runs.started).toEqual([ID]);
  });
});

describe('with a patch policy', () => {
  const HELD = { name: 'lib', version: '2' };

  beforeEach(() => {
    scene = new Scene({ osSteps: ['update', 'upgrade'] });
    scene.policy = { ...DEFAULT_RULES, name: 'slow', exclusions: [], minAgeByHandMs: 2 * HOUR } as never;
    scene.manager.installed.set('lib', '1');
    const now = scene.clock.now();
    const listed = (name: string, seenAt: number) => ({ ...LIB, name, security: false, held: false, seenAt });
    scene.inventory = inventoryOf({ updates: [listed('app', now - 3 * HOUR), listed('lib', now - HOUR)] });
  });

  const started = () => scene.runs.commandOf(ID).args;

  it('holds back what is too young by the means of the package manager, and says why', async () => {
    await scene.offer(HELD);
    const done = await scene.ended(scene.runner.apply(scene.context), 0, { changes: [APP] });
    expect(started()).toEqual(['update upgrade', changeLine(APP), 'hold lib']);
    const held = [{ name: 'lib', from: '1', to: '2', reason: expect.stringContaining('1 hour old') }];
    expect(done).toMatchObject({
      failure: null,
      result: { policy: 'slow', held_back: held, changes: [APP] },
    });
    expect(done.summary).toContain('1 held back by the policy');
    expect(scene.lines.join('\n')).toContain('Held back: lib 1 -> 2. Held back until');
  });

  it('lists the same in a dry run', async () => {
    await scene.offer(HELD);
    const { result } = await scene.runner.plan(scene.context);
    expect(result).toMatchObject({ changes: [APP], held_back: [{ name: 'lib' }], kept_back: [] });
  });

  it('decides by the lists as they are after their refresh', async () => {
    await scene.offer();
    Object.assign(scene.manager.sources[0] ?? {}, { packages: [{ name: 'app', version: '2' }, HELD] });
    await scene.ended(scene.runner.apply(scene.context), 0, { changes: [APP] });
    expect(started()).toEqual(['update upgrade', changeLine(APP), 'hold lib']);
  });

  it('holds what the dry run of a plan held, although it is old enough by now', async () => {
    await scene.offer(HELD);
    const dryRun = (await scene.runner.plan(scene.context)).result;
    const { clock, policy, inventory, manager } = scene;
    const later = new Scene({ planId: 6, osSteps: ['update', 'upgrade'] });
    Object.assign(later, { policy, inventory, manager });
    await later.clock.advance(clock.now() - later.clock.now() + 2 * HOUR);
    later.planJob = { ...later.job, id: 6, result: dryRun };
    await later.ended(later.runner.apply(later.context), 0, { changes: [APP] });
    expect(later.runs.commandOf(ID).args).toEqual(['update upgrade', changeLine(APP), 'hold lib']);
  });

  it('counts ages at the start of a run with rings, so that each ring gets the same updates', async () => {
    await scene.offer(HELD);
    // lib has become old enough during the run, app was so before.
    scene.runStartedAt = scene.clock.now() - HOUR / 2;
    scene.policy = { ...scene.policy, minAgeByHandMs: HOUR } as never;
    const held = {
      name: 'lib',
      until: null,
      reason: expect.stringContaining('0 hours old when this run started'),
    };
    expect((await scene.runner.plan(scene.context)).result).toMatchObject({
      changes: [APP],
      held_back: [held],
    });
    scene.runStartedAt = null;
    expect((await scene.runner.plan(scene.context)).result).toMatchObject({ held_back: [] });
  });

  it('gives the same order again if the previous worker died before the work started', async () => {
    await scene.offer(HELD);
    scene.marker = '{}';
    await scene.ended(scene.runner.apply(scene.context), 0, { changes: [APP] });
    expect(started()).toEqual(['update upgrade', changeLine(APP), 'hold lib']);
  });

  it('reboots afterwards if that is needed, in a separate job', async () => {
    await scene.offer();
    scene.policy = { ...scene.policy, rebootIfNeeded: true } as never;
    scene.inventory = { ...scene.inventory, rebootPending: true };
    const done = await scene.ended(scene.runner.apply(scene.context), 0, { changes: [APP] });
    expect(done).toMatchObject({ result: { reboot_follows: true } });
    expect(scene.reboots).toEqual([]);
    await done.afterwards?.();
    expect(scene.reboots).toEqual([7]);
  });

  it('does not reboot after a failure', async () => {
    await scene.offer();
    scene.policy = { ...scene.policy, rebootIfNeeded: true } as never;
    scene.inventory = { ...scene.inventory, rebootPending: true };
    const done = await scene.ended(scene.runner.apply(scene.context), 14, { changes: [] });
    await done.afterwards?.();
    expect(scene.reboots).toEqual([]);
  });
});

describe('a guarded patch', () => {
  const SOURCE = { kind: 'files', excludes: [] };
  const HEALTHY = {
    failedUnits: [],
    ports: [{ protocol: 'tcp', address: '0.0.0.0', port: 80 }],
    checks: [null],
  };
  const SAVED = { path: '/var/backups/drover/os-patch-x', bytes: 9 };
  const found = (after: object) => ({ saved: SAVED, before: HEALTHY, after: { ...HEALTHY, ...after } });

  beforeEach(async () => {
    scene = new Scene({ guard: true });
    scene.sources = [
      { ...SOURCE, name: 'config', paths: ['/etc'] },
      { ...SOURCE, name: 'data', paths: ['/srv'] },
    ] as never;
    await scene.offer();
  });

  it('backs up what covers the configuration, and is a success if nothing is worse', async () => {
    const done = await scene.ended(scene.runner.apply(scene.context), 0, {
      changes: [APP],
      guard: found({}),
    });
    expect(scene.backedUp).toEqual(['config']);
    expect(scene.runs.commandOf(ID).args).toEqual([
      'upgrade',
      changeLine(APP),
      'guard 120 /etc /var/lib/dpkg /var/lib/apt/extended_states',
    ]);
    expect(done).toMatchObject({
      failure: null,
      result: {
        guard: { saved: SAVED, backups: ['config'], observe_minutes: 2, checks: ['tcp 80'], worse: [] },
      },
    });
  });

  it('fails if something is worse, and names that and the packages', async () => {
    const guard = found({ failedUnits: ['app.service'], ports: [], checks: ['refused'] });
    const done = await scene.ended(scene.runner.apply(scene.context), 0, { changes: [APP], guard });
    expect(done).toMatchObject({
      failure: { code: 'patch_unhealthy', message: expect.stringMatching(/app\.service failed.*app 1 -> 2/) },
      result: {
        changes: [APP],
        guard: {
          worse: [
            { kind: 'unit', name: 'app.service' },
            { kind: 'port', name: 'tcp 0.0.0.0:80' },
            { kind: 'check', name: 'tcp 80', detail: 'refused' },
          ],
        },
      },
    });
    expect(done.summary).toContain('Worse than before');
  });

  it('that died is completed by other work, and reported with that failure', async () => {
    const running = scene.runner.apply(scene.context);
    while (scene.runs.started.length === 0) await new Promise((resolve) => setImmediate(resolve));
    scene.runs.becomes(ID, { kind: 'died' });
    while (scene.runs.started.length === 1) await new Promise((resolve) => setImmediate(resolve));
    scene.runs.ends(`${ID}-r`, 17, JSON.stringify({ failure: null, changes: [APP], guard: found({}) }));
    expect(await running).toMatchObject({
      failure: { code: 'work_died' },
      result: { changes: [APP], guard: { saved: SAVED, worse: [] } },
    });
  });

  it('does nothing of that if there is nothing to upgrade', async () => {
    scene.manager.installed.set('app', '2');
    await scene.ended(scene.runner.apply(scene.context), 0, { changes: [] });
    expect(scene.backedUp).toEqual([]);
    expect(scene.runs.commandOf(ID).args).toEqual(['upgrade']);
  });

  it('says in a dry run what it would save and check', async () => {
    expect(await scene.runner.plan(scene.context)).toMatchObject({
      result: { guard: { backups: ['config'], checks: ['tcp 80'], observe_minutes: 2 } },
    });
  });
});
