import { beforeEach, describe, expect, test } from 'vitest';
import { NodeDigest } from '../../../src/adapters/outbound/system/node-digest.ts';
import { BackupRunner } from '../../../src/application/backups/backup-runner.ts';
import { ManageSources } from '../../../src/application/backups/manage-sources.ts';
import { RestoreSnapshot } from '../../../src/application/backups/restore-snapshot.ts';
import { RetentionRunner } from '../../../src/application/backups/retention-runner.ts';
import { SettleSnapshots } from '../../../src/application/backups/settle-snapshots.ts';
import { SnapshotVerifyRunner } from '../../../src/application/backups/snapshot-verify-runner.ts';
import { SweepSnapshotStore } from '../../../src/application/backups/sweep-snapshot-store.ts';
import { TakeSnapshots } from '../../../src/application/backups/take-snapshots.ts';
import { HostOpener } from '../../../src/application/fleet/host-opener.ts';
import type { JobContext } from '../../../src/application/jobs/runner.ts';
import { BackupEngines } from '../../../src/application/ports/backups/backup-engine.ts';
import { Actor } from '../../../src/domain/access/actor.ts';
import type { BackupSource } from '../../../src/domain/backups/backup-source.ts';
import type { RetentionPolicy } from '../../../src/domain/backups/retention-policy.ts';
import { DomainError } from '../../../src/domain/base/errors.ts';
import { DAY, MINUTE } from '../../../src/domain/base/instant.ts';
import type { Server } from '../../../src/domain/fleet/server.ts';
import { FakeBackupEngine } from '../../fakes/fake-backup-engine.ts';
import { FakeRemoteHosts } from '../../fakes/fake-remote-hosts.ts';
import { PlainSecretBox } from '../../fakes/plain-secret-box.ts';
import { type ApplicationScene, applicationScene, tokenActor } from '../../support/application-scene.ts';
import { noHooks } from '../../support/hooks.ts';

const KEEP_ONE: RetentionPolicy = { keepLast: 1, keepDaily: 0, keepWeekly: 0, keepMonthly: 0, keepYearly: 0 };
const operator = Actor.operator('operator');
const code = (expected: string): unknown => expect.objectContaining({ code: expected });

let scene: ApplicationScene;
let engine: FakeBackupEngine;
let hosts: FakeRemoteHosts;
let server: Server;
let databaseCopies: number;
/** Whether the clock may be ahead. */
let isHeld: boolean;

beforeEach(async () => {
  scene = applicationScene();
  engine = new FakeBackupEngine(() => scene.clock.now());
  engine.files.set('/etc/hosts', 'hosts').set('/etc/motd', 'hello').set('/srv/data', 'data');
  hosts = new FakeRemoteHosts();
  databaseCopies = 0;
  isHeld = false;
  server = await scene.addServer('one', { backup: true });
});

const addSource = (name: string, path: string, retention?: RetentionPolicy) =>
  new ManageSources(scene).add(operator, server.id, {
    name,
    paths: [path],
    ...(retention ? { retention } : {}),
  });

const opener = (): HostOpener =>
  new HostOpener({
    hosts,
    servers: scene.servers,
    keys: { find: () => Promise.resolve(null) } as never,
    box: new PlainSecretBox(),
    contacts: { succeeded: async () => {}, failed: async () => {} },
    agentSocket: null,
  });

const settle = (): SettleSnapshots => new SettleSnapshots({ ...scene, engines: new BackupEngines([engine]) });
const sweep = (): Promise<void> =>
  new SweepSnapshotStore({
    ...scene,
    settleSnapshots: settle(),
    engines: new BackupEngines([engine]),
  }).execute(new AbortController().signal);
const backups = (): BackupRunner =>
  new BackupRunner({
    ...scene,
    sourceChecks: { of: async () => [] },
    digest: new NodeDigest(),
    engines: new BackupEngines([engine]),
    takeSnapshots: new TakeSnapshots({
      ...scene,
      recordFileChanges: { execute: async () => {} },
      sourceHooks: noHooks(),
      settleSnapshots: settle(),
      engines: new BackupEngines([engine]),
      sourceDumps: { files: async () => [] },
      serviceData: {
        directory: '/var/lib/drover',
        excludes: ['/var/lib/drover/live.sqlite'],
        writeDatabaseCopy: () => {
          databaseCopies += 1;
          engine.files.set('/var/lib/drover/export/copy.sqlite', `copy ${databaseCopies}`);
          return Promise.resolve('/var/lib/drover/export/copy.sqlite');
        },
      },
    }),
  });
const retention = (): RetentionRunner =>
  new RetentionRunner({
    ...scene,
    clockWatch: { holdsBack: async () => isHeld },
    settleSnapshots: settle(),
    digest: new NodeDigest(),
    engines: new BackupEngines([engine]),
  });

const log: string[] = [];
const context = (over: { sourceFilter?: string; signal?: AbortSignal } = {}): JobContext => {
  log.length = 0;
  return {
    job: {
      id: 1,
      params: { sourceFilter: over.sourceFilter ?? null, service: null, osSteps: null, dryRun: false },
    } as never,
    server,
    signal: over.signal ?? new AbortController().signal,
    openHost: () => opener().open(server),
    log: (line) => void log.push(line),
    detached: {} as never,
    progress: () => undefined,
  };
};
const names = async (): Promise<readonly string[]> =>
  (await scene.snapshots.list({ serverId: server.id }, { limit: 100, offset: 0 })).items.map(
    (snapshot) => `${snapshot.sourceName} ${snapshot.name}`,
  );

describe('a backup', () => {
  test('takes a snapshot of every source, and reports the age of the oldest', async () => {
    await addSource('etc', '/etc');
    const first = scene.clock.now();
    await scene.clock.advance(1_000);
    await addSource('srv', '/srv');
    const done = await backups().apply(context());
    expect(done.summary).toBe('Backed up 2 sources: 14 B total, 14 B transferred.');
    expect((await names()).length).toBe(2);
    expect(done.facts?.lastBackupAt).toBe(first + 1_000);
  });

  test('of one source alone leaves the server as fresh as its other ones', async () => {
    await addSource('etc', '/etc');
    await addSource('srv', '/srv');
    expect((await backups().apply(context({ sourceFilter: 'etc' }))).facts).toEqual({});
    const before = scene.clock.now();
    await backups().apply(context());
    await scene.clock.advance(DAY);
    expect((await backups().apply(context({ sourceFilter: 'etc' }))).facts).toEqual({ lastBackupAt: before });
  });

  test('tries every source, keeps what succeeded, and fails with the first that did not', async () => {
    await addSource('gone', '/gone');
    await addSource('srv', '/srv');
    const failure = await backups()
      .apply(context())
      .catch((error: unknown) => error);
    expect(failure).toEqual(code('source_missing'));
    expect(String(failure)).toContain('Backup of "gone" failed');
    expect(String(failure)).toContain('1 other source was backed up.');
    expect((await names()).map((name) => name.split(' ')[0])).toEqual(['srv']);
  });

  test('lists a whole snapshot that a crash left unrecorded', async () => {
    const source = await addSource('etc', '/etc');
    const add = scene.snapshots.add.bind(scene.snapshots);
    scene.snapshots.add = () => Promise.reject(new Error('killed'));
    await expect(backups().apply(context())).rejects.toThrow('killed');
    expect(await names()).toEqual([]);
    scene.snapshots.add = add;
    await scene.clock.advance(1_000);
    await backups().apply(context());
    expect((await names()).length).toBe(2);
    expect((await engine.published(source)).length).toBe(2);
    expect(log.join('\n')).toContain('of an interrupted job');
  });

  test('stops where it is cancelled, and publishes nothing of that source', async () => {
    await addSource('etc', '/etc');
    const cancel = new AbortController();
    engine.beforeFile = () => cancel.abort(new DomainError('job_cancelled', 'Cancelled.'));
    await expect(backups().apply(context({ signal: cancel.signal }))).rejects.toEqual(code('job_cancelled'));
    expect(await names()).toEqual([]);
  });

  test("of the service's own data holds a fresh copy of the database, wherever the data is by now", async () => {
    await scene.sources.add(
      {
        serverId: server.id,
        name: 'drover',
        paths: ['/var/lib/former-place'],
        excludes: [],
        kind: 'service',
        engine: 'rsync',
        repositoryId: null,
        retention: KEEP_ONE,
        compareContentEvery: 0,
        hooks: [],
        createdAt: 0,
      },
      () => ({}),
    );
    engine.files.set('/var/lib/drover/live.sqlite', 'being written');
    expect((await backups().plan(context())).summary).toContain("a copy of Drover's database");
    expect(databaseCopies).toBe(0);
    await backups().apply(context());
    await backups().apply(context());
    expect(databaseCopies).toBe(2);
    const [latest] = (await scene.snapshots.list({ serverId: server.id }, { limit: 1, offset: 0 })).items;
    expect(latest?.fileCount).toBe(1);
  });

  test('as a dry run changes nothing', async () => {
    await addSource('etc', '/etc');
    const planned = await backups().plan(context());
    expect(planned.result).toMatchObject({
      dry_run: true,
      sources: [{ source: 'etc', transfer_files: 2, transfer_bytes: 10 }],
    });
    expect(await names()).toEqual([]);
  });
});

describe('retention', () => {
  const threeBackups = async (): Promise<void> => {
    await addSource('etc', '/etc', KEEP_ONE);
    for (let i = 0; i < 3; i += 1) {
      await backups().apply(context());
      await scene.clock.advance(DAY);
    }
  };

  test('removes what no rule keeps, from the list and from the store, and gives its reasons', async () => {
    await threeBackups();
    const done = await retention().apply(context());
    expect(done.summary).toBe('Removed 2 snapshots.');
    expect(done.result).toMatchObject({
      sources: [{ source: 'etc', kept_count: 1, removed_count: 2, kept: [{ reasons: ['the latest'] }] }],
    });
    expect((await names()).length).toBe(1);
    const [source] = await scene.sources.ofServer(server.id);
    expect(source && (await engine.published(source)).length).toBe(1);
    expect(scene.kept.actions.filter((action) => action.startsWith('snapshot.remove')).length).toBe(2);
  });

  test('removes nothing while the clock may be ahead', async () => {
    await threeBackups();
    isHeld = true;
    await expect(retention().apply(context())).rejects.toEqual(code('clock_jumped'));
    expect((await names()).length).toBe(3);
  });

  test('as a dry run says the same and removes nothing', async () => {
    await threeBackups();
    const planned = await retention().plan(context());
    expect(planned.result).toMatchObject({ dry_run: true, sources: [{ removed_count: 2 }] });
    expect((await names()).length).toBe(3);
  });

  test('finishes a removal that was cut off, and no backup lists such a snapshot again', async () => {
    await threeBackups();
    const remove = engine.remove.bind(engine);
    engine.remove = () => Promise.reject(new Error('killed'));
    await expect(retention().apply(context())).rejects.toThrow('killed');
    expect((await names()).length).toBe(2);
    engine.remove = remove;
    await backups().apply(context());
    expect((await names()).length).toBe(3);
    await retention().apply(context());
    const [source] = await scene.sources.ofServer(server.id);
    expect(source && (await engine.published(source)).length).toBe(1);
    expect((await names()).length).toBe(1);
  });

  test('goes on with other sources where one fails, and says which', async () => {
    await threeBackups();
    await addSource('srv', '/srv', KEEP_ONE);
    for (let count = 0; count < 3; count += 1) await backups().apply(context());
    const reclaim = engine.reclaim.bind(engine);
    const [first] = await scene.sources.ofServer(server.id);
    engine.reclaim = (source) =>
      source.id === first?.id
        ? Promise.reject(new DomainError('repository_unusable', 'It is damaged.'))
        : reclaim(source);
    const { failure, result } = await retention().apply(context());
    expect(failure).toMatchObject({
      code: 'repository_unusable',
      message: expect.stringContaining('Retention of "etc" failed: It is damaged.'),
    });
    const counts = (result as { sources: { removed_count: number }[] }).sources.map(
      (each) => each.removed_count,
    );
    expect(counts).toHaveLength(2);
    expect(counts.every((each) => each > 0)).toBe(true);
  });

  test('leaves a snapshot alone that is being restored', async () => {
    await threeBackups();
    const all = await scene.snapshots.list({ serverId: server.id }, { limit: 10, offset: 0 });
    const oldest = all.items.at(-1);
    if (oldest) await scene.snapshots.hold(oldest.id, 60_000);
    const { summary, result } = await retention().apply(context());
    expect(summary).toBe('Removed 1 snapshot. Kept because they are in use: 1. Run retention again later.');
    expect(result).toMatchObject({ sources: [{ removed_count: 1, in_use_count: 1 }] });
    expect(log.join('\n')).toContain('Kept etc');
  });
});

describe('a restore', () => {
  const restore = () =>
    new RestoreSnapshot({ ...scene, hosts, opener: opener(), engines: new BackupEngines([engine]) });
  const watch = { signal: new AbortController().signal, log: () => undefined, progress: () => undefined };
  const order = {
    snapshotId: 1,
    where: 'here' as const,
    directory: '/restore',
    subpaths: [],
    overwrite: false,
  };

  beforeEach(async () => {
    await addSource('etc', '/etc');
    await backups().apply(context());
  });

  test('gives the files back and leaves an audit entry', async () => {
    const restored = await restore().execute(operator, order, watch);
    expect(restored).toMatchObject({ files: 2, bytes: 10, snapshot: { id: 1 } });
    expect(engine.files.get('/restore/etc/motd')).toBe('hello');
    expect(scene.kept.audit.at(-1)).toMatchObject({
      action: 'snapshot.restore',
      object: 'snapshot:1',
      outcome: 'done',
    });
  });

  test('leaves an audit entry where it fails, too', async () => {
    engine.files.set('/restore/other', 'in the way');
    await expect(restore().execute(operator, order, watch)).rejects.toEqual(code('restore_target_not_empty'));
    expect(scene.kept.audit.at(-1)).toMatchObject({ outcome: 'restore_target_not_empty' });
  });

  test('keeps retention away from the snapshot for no more than two minutes after its end', async () => {
    await restore().execute(operator, order, watch);
    await expect(scene.snapshots.remove(1, {})).rejects.toEqual(code('snapshot_in_use'));
    await scene.clock.advance(2 * MINUTE);
    await scene.snapshots.remove(1, {});
    expect(await names()).toEqual([]);
  });

  test('is not for tokens', async () => {
    await expect(restore().execute(tokenActor(), order, watch)).rejects.toEqual(code('scope_missing'));
  });

  test('of an unknown snapshot is refused', async () => {
    await expect(restore().execute(operator, { ...order, snapshotId: 9 }, watch)).rejects.toEqual(
      code('snapshot_not_found'),
    );
  });
});

test('the sweep of the store keeps every source that is there', async () => {
  const kept = await addSource('etc', '/etc');
  const removed = await addSource('srv', '/srv');
  await new ManageSources(scene).remove(operator, server.id, removed.name);
  await sweep();
  expect(engine.sweeps).toEqual([[kept.id]]);
});

describe('the sweep of the store, after a crash at any step', () => {
  /** Lets the process die at its `at`th call of a store or an engine: before it is made, or after. */
  function dieAt(
    at: number,
    when: 'before' | 'after',
  ): { readonly calls: () => number; readonly heal: () => void } {
    let calls = 0;
    const heals: (() => void)[] = [];
    const wrap = <T extends object>(target: T, calledBy: readonly (keyof T)[]): void => {
      for (const name of calledBy) {
        const real = target[name] as (...given: unknown[]) => Promise<unknown>;
        const killing = async (...given: unknown[]): Promise<unknown> => {
          calls += 1;
          const isLast = calls === at;
          if (calls > at || (isLast && when === 'before')) throw new Error('killed');
          const result = await real.apply(target, given);
          if (isLast) throw new Error('killed');
          return result;
        };
        Object.assign(target, { [name]: killing });
        heals.push(() => Object.assign(target, { [name]: real }));
      }
    };
    wrap(engine, ['backup', 'published', 'remove', 'reclaim']);
    wrap(scene.snapshots, ['add', 'known', 'remove', 'ofSource', 'forgetRemoved']);
    return { calls: () => calls, heal: () => heals.forEach((heal) => heal()) };
  }

  /** Contents of the store, and of the list. */
  async function bothOf(source: BackupSource): Promise<readonly [string[], string[]]> {
    const inStore = (await engine.published(source)).map(({ name }) => name);
    const listed = (await scene.snapshots.ofSource(source.id)).map(({ name }) => name);
    return [inStore.toSorted(), listed.toSorted()];
  }

  test.each(['before', 'after'] as const)('%s its call, leaves nothing that no list has', async (when) => {
    const source = await addSource('etc', '/etc', KEEP_ONE);
    let clean = 0;
    for (let at = 1; at < 200 && clean < 2; at += 1) {
      const dying = dieAt(at, when);
      const work = async (): Promise<void> => {
        await backups().apply(context());
        await scene.clock.advance(1_000);
        await backups().apply(context());
        await retention().apply(context());
        await sweep();
      };
      await work().catch(() => undefined);
      clean += dying.calls() < at ? 1 : 0;
      dying.heal();
      await scene.clock.advance(1_000);
      await sweep();
      const [inStore, listed] = await bothOf(source);
      expect(inStore).toEqual(listed);
      expect(inStore.length).toBeGreaterThan(at > 4 ? 0 : -1);
    }
    expect(clean).toBe(2);
  });

  test('lists a snapshot of a source that is no longer backed up', async () => {
    const source = await addSource('etc', '/etc');
    const add = scene.snapshots.add.bind(scene.snapshots);
    scene.snapshots.add = () => Promise.reject(new Error('killed'));
    await expect(backups().apply(context())).rejects.toThrow('killed');
    scene.snapshots.add = add;
    await new ManageSources(scene).remove(operator, server.id, source.name);
    expect(await names()).toEqual([]);
    await sweep();
    expect(await names()).toHaveLength(1);
    expect(scene.log.messages('warn')).toEqual([expect.stringContaining('listed a whole snapshot')]);
  });

  test('removes one whose removal was cut off, without a retention', async () => {
    const source = await addSource('etc', '/etc', KEEP_ONE);
    await backups().apply(context());
    await scene.clock.advance(1_000);
    await backups().apply(context());
    const remove = engine.remove.bind(engine);
    engine.remove = () => Promise.reject(new Error('killed'));
    await expect(retention().apply(context())).rejects.toThrow('killed');
    engine.remove = remove;
    await sweep();
    expect(await engine.published(source)).toHaveLength(1);
    expect(await names()).toHaveLength(1);
  });

  test('lists one from after the clock was set back, although a later one is listed', async () => {
    const source = await addSource('etc', '/etc');
    scene.clock.set(scene.clock.now() + 395 * DAY);
    await backups().apply(context());
    scene.clock.set(scene.clock.now() - 395 * DAY);
    const add = scene.snapshots.add.bind(scene.snapshots);
    scene.snapshots.add = () => Promise.reject(new Error('killed'));
    await expect(backups().apply(context())).rejects.toThrow('killed');
    scene.snapshots.add = add;
    await retention().apply(context());
    await sweep();
    const [inStore, listed] = await bothOf(source);
    expect(inStore).toHaveLength(2);
    expect(listed).toEqual(inStore);
  });
});

describe('verifying snapshots', () => {
  const verifier = () => new SnapshotVerifyRunner({ ...scene, engines: new BackupEngines([engine]), hosts });
  const facts = async () => (await verifier().apply(context())).facts;

  test('takes the newest of each source, and the server is as well verified as the least of them', async () => {
    await addSource('etc', '/etc');
    await addSource('srv', '/srv');
    await backups().apply(context());
    await scene.clock.advance(1_000);
    const first = scene.clock.now();
    expect((await verifier().apply(context({ sourceFilter: 'etc' }))).facts).toEqual({
      lastVerifiedAt: null,
    });
    await scene.clock.advance(1_000);
    const done = await verifier().apply(context({ sourceFilter: 'srv' }));
    expect(done.facts).toEqual({ lastVerifiedAt: first });
    expect(done.result).toMatchObject({
      sample: '200',
      snapshots: [{ source: 'srv', outcome: 'good', files: 1 }],
    });
    expect(done.failure).toBeNull();
    expect(await scene.snapshots.find(1)).toMatchObject({
      lastVerifiedAt: first,
      check: { outcome: 'good', files: 2, bytes: 10 },
    });
  });

  test('finds a damaged one, which from then on counts for nothing', async () => {
    await addSource('etc', '/etc', KEEP_ONE);
    await backups().apply(context());
    const good = scene.clock.now();
    await scene.clock.advance(DAY);
    engine.files.set('/etc/motd', 'changed');
    await backups().apply(context());
    const [newest] = await scene.snapshots.ofSource(1);
    if (!newest) throw new Error('there are two');
    engine.damage(newest, '/etc/motd', 'rotten!');
    const done = await verifier().apply(context());
    expect(done.failure).toEqual(code('snapshot_damaged'));
    expect(done.failure?.message).toContain('"etc/motd" has different content');
    expect(done.facts).toEqual({ lastVerifiedAt: null, lastBackupAt: good });
    const damaged = { lastVerifiedAt: null, check: { outcome: 'damaged' } };
    expect(await scene.snapshots.find(newest.id)).toMatchObject(damaged);
    expect((await retention().apply(context())).summary).toBe('Removed 0 snapshots.');
    await backups().apply(context());
    expect(engine.distrusted).toEqual([newest.name]);
  });

  test('tries the others where one cannot be verified, and records nothing of that one', async () => {
    await addSource('etc', '/etc');
    await addSource('srv', '/srv');
    await backups().apply(context());
    const verify = engine.verify.bind(engine);
    engine.verify = (request) =>
      request.snapshot.sourceName === 'etc'
        ? Promise.reject(new DomainError('disk_full', 'No room.'))
        : verify(request);
    const { failure, result } = await verifier().apply(context());
    expect(failure).toEqual(code('disk_full'));
    expect(failure?.message).toContain('1 other snapshot is good.');
    expect(result).toMatchObject({ snapshots: [{ outcome: 'not_verified' }, { outcome: 'good' }] });
    expect((await scene.snapshots.find(1))?.check).toBeNull();
  });

  test('of one snapshot keeps retention away from it, and plans without reading', async () => {
    await addSource('etc', '/etc');
    await backups().apply(context());
    const one = { ...context(), job: { id: 1, params: { snapshotId: 1, sample: 'all' } } as never };
    expect((await verifier().plan(one)).result).toMatchObject({ sample: 'all', snapshots: [{ id: 1 }] });
    await verifier().apply(one);
    await expect(scene.snapshots.remove(1, {})).rejects.toEqual(code('snapshot_in_use'));
    const other = { ...context(), job: { id: 1, params: { snapshotId: 9 } } as never };
    await expect(verifier().apply(other)).rejects.toEqual(code('snapshot_not_found'));
  });

  test('says so where there is nothing to verify', async () => {
    await addSource('etc', '/etc');
    await expect(facts()).rejects.toEqual(code('snapshot_not_found'));
  });
});
