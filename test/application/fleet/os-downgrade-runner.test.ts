import { beforeEach, describe, expect, it } from 'vitest';
import { NodeDigest } from '../../../src/adapters/outbound/system/node-digest.ts';
import { OsDowngradeRunner } from '../../../src/application/fleet/os-downgrade-runner.ts';
import { DetachedWork } from '../../../src/application/jobs/detached-work.ts';
import type { JobContext, RunResult } from '../../../src/application/jobs/runner.ts';
import { DomainError } from '../../../src/domain/base/errors.ts';
import { changeLine, type PackageChange } from '../../../src/domain/fleet/package-change.ts';
import type { Job } from '../../../src/domain/jobs/job.ts';
import { FakeClock } from '../../fakes/fake-clock.ts';
import { FakeDetachedRuns } from '../../fakes/fake-detached-runs.ts';
import { FakeHost } from '../../fakes/fake-host.ts';
import { FakePackageManager } from '../../fakes/fake-package-manager.ts';
import { inventoryOf } from '../../support/inventories.ts';

const ID = 'here-9';
const up = (name: string, security = false): PackageChange => ({
  kind: 'upgrade',
  name,
  from: '1',
  to: '2',
  security,
});
const down = (name: string): PackageChange => ({
  kind: 'downgrade',
  name,
  from: '2',
  to: '1',
  security: false,
});
const NEW: PackageChange = { kind: 'install', name: 'new', from: null, to: '1', security: false };

class Scene {
  readonly clock = new FakeClock();
  readonly runs = new FakeDetachedRuns();
  readonly manager = new FakePackageManager({ clock: this.clock });
  readonly lines: string[] = [];
  readonly records = new Map<number, Job>();
  osId = 'debian';
  marker: string | null = null;
  planId: number | undefined;
  readable = true;

  constructor() {
    for (const name of ['app', 'lib']) this.manager.installed.set(name, '2');
    this.update({ changes: [up('app'), up('lib', true), NEW], changes_count: 3 });
  }

  update(result: object | null, over: object = {}): void {
    const params = { dryRun: false };
    const job = { id: 5, serverId: 1, jobType: 'os_patch', status: 'failed', params, result, ...over };
    this.records.set(5, job as never);
  }

  get runner(): OsDowngradeRunner {
    return new OsDowngradeRunner({
      refreshInventory: {
        gather: () =>
          this.readable
            ? Promise.resolve(inventoryOf({ rebootPending: true }))
            : Promise.reject(new DomainError('host_unreachable', 'It is gone.')),
        save: (_server, found) => Promise.resolve(found),
      },
      packageManagers: {
        families: ['debian', 'alpine'],
        find: (family) =>
          family === 'debian'
            ? this.manager
            : Object.assign(new FakePackageManager({ clock: this.clock }), { canDowngrade: false }),
      },
      detachedWork: new DetachedWork({ runs: this.runs, clock: this.clock }),
      jobs: { find: (id) => Promise.resolve(this.records.get(id) ?? null) },
      digest: new NodeDigest(),
      clock: this.clock,
    });
  }

  get context(): JobContext {
    const params = { dryRun: this.planId === undefined, updateJobId: 5, planId: this.planId };
    return {
      job: { id: 9, serverId: 1, jobType: 'os_downgrade', params },
      server: { id: 1, facts: { osId: this.osId } },
      signal: new AbortController().signal,
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

  /** As a user has confirmed the plan of a dry run. */
  async planned(): Promise<void> {
    const { result } = await this.runner.plan(this.context);
    this.records.set(8, { id: 8, serverId: 1, result } as never);
    this.planId = 8;
  }

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

describe('a dry run', () => {
  it('has a plan with every package, and names security fixes that go', async () => {
    expect(await scene.runner.plan(scene.context)).toMatchObject({
      result: {
        plan_id: 9,
        changes: [down('app'), down('lib')],
        left_alone: [{ name: 'new', version: '1' }],
        notes: [expect.stringMatching(/security .*: lib\./), expect.any(String)],
      },
    });
    expect(scene.runs.started).toEqual([]);
  });

  it('says why each of the others stays', async () => {
    scene.update({ changes: [up('app'), up('lib'), up('kept'), up('gone'), up('same')] });
    for (const name of ['gone', 'kept']) scene.manager.installed.set(name, '2');
    scene.manager.installed.set('same', '1');
    scene.manager.installed.delete('lib');
    scene.manager.held.add('kept');
    scene.manager.gone.add('gone');
    const { result } = await scene.runner.plan(scene.context);
    expect(result).toMatchObject({
      changes: [down('app')],
      left_alone: [
        { name: 'lib', version: '1', reason: expect.stringContaining('no longer installed') },
        { name: 'kept', version: '1', reason: expect.stringContaining('held') },
        { name: 'gone', version: '1', reason: expect.stringContaining('no longer available') },
        { name: 'same', version: '1', reason: expect.stringContaining('already') },
      ],
    });
  });

  it.each([
    ['another server', { serverId: 2 }, 'job_not_found'],
    ['another type', { jobType: 'backup' }, 'invalid_input'],
    ['a dry run', { params: { dryRun: true } }, 'invalid_input'],
    ['a running update', { status: 'running' }, 'invalid_input'],
    ['an update without changes', { result: { changes: [NEW] } }, 'invalid_input'],
    [
      'an update with more changes than it names',
      { result: { changes: [up('app')], changes_count: 2 } },
      'invalid_input',
    ],
  ])('of %s is refused', async (_what, over, code) => {
    scene.update(null, { result: { changes: [up('app')] }, ...over });
    await expect(scene.runner.plan(scene.context)).rejects.toMatchObject({ code });
  });

  it('of another family is refused', async () => {
    scene.osId = 'alpine';
    await expect(scene.runner.plan(scene.context)).rejects.toMatchObject({ code: 'host_unsupported' });
  });
});

describe('a downgrade by plan', () => {
  beforeEach(() => scene.planned());

  it('does just that, and reports it with the facts of the server', async () => {
    const changes = [down('app'), down('lib')];
    const done = await scene.ended(scene.runner.apply(scene.context), 0, { changes });
    expect(scene.runs.commandOf(ID)).toMatchObject({ script: 'downgrade', args: changes.map(changeLine) });
    expect(done).toMatchObject({
      failure: null,
      result: { plan_id: 8, changes },
      facts: { rebootPending: true },
    });
  });

  it('starts nothing if the server has changed', async () => {
    scene.manager.installed.set('app', '3');
    expect(await scene.runner.apply(scene.context)).toMatchObject({
      failure: { code: 'plan_drifted' },
      result: { changes: [], no_longer: [down('app')] },
    });
    expect(scene.runs.started).toEqual([]);
  });

  it('reports what the host says that it would do now', async () => {
    const outcome = { changes: [], planNow: [down('lib')], failure: { code: 'plan_drifted' } };
    const done = await scene.ended(scene.runner.apply(scene.context), 12, outcome);
    expect(done).toMatchObject({ failure: { code: 'plan_drifted' }, result: { no_longer: [down('app')] } });
  });

  it('counts although the host cannot be read afterwards', async () => {
    const applying = scene.runner.apply(scene.context);
    while (scene.runs.started.length === 0) await new Promise((resolve) => setImmediate(resolve));
    scene.readable = false;
    const done = await scene.ended(applying, 0, { changes: [down('app')] });
    expect(done).toMatchObject({ failure: null, result: { changes: [down('app')] }, facts: {} });
  });

  it('is followed, and not planned again, by a worker that takes it up', async () => {
    scene.marker = '{"offset":0}';
    scene.manager.installed.set('app', '1');
    await scene.runs.start(new FakeHost('web').session(), { id: ID, script: 'downgrade' });
    const done = await scene.ended(scene.runner.apply(scene.context), 0, { changes: [down('app')] });
    expect(done).toMatchObject({ failure: null, result: { changes: [down('app')] } });
    expect(scene.runs.started).toEqual([ID]);
  });

  it('that died is completed by other work, and reported with that failure', async () => {
    const running = scene.runner.apply(scene.context);
    while (scene.runs.started.length === 0) await new Promise((resolve) => setImmediate(resolve));
    scene.runs.becomes(ID, { kind: 'died' });
    while (scene.runs.started.length === 1) await new Promise((resolve) => setImmediate(resolve));
    scene.runs.ends(`${ID}-r`, 17, JSON.stringify({ failure: null, changes: [down('app')] }));
    expect(await running).toMatchObject({
      failure: { code: 'work_died' },
      result: { changes: [down('app')] },
    });
  });
});
