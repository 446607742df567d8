import { beforeEach, describe, expect, test } from 'vitest';
import { NodeDigest } from '../../../src/adapters/outbound/system/node-digest.ts';
import { BackupRunner } from '../../../src/application/backups/backup-runner.ts';
import { ManageSources } from '../../../src/application/backups/manage-sources.ts';
import { RetentionRunner } from '../../../src/application/backups/retention-runner.ts';
import { SettleSnapshots } from '../../../src/application/backups/settle-snapshots.ts';
import { TakeSnapshots } from '../../../src/application/backups/take-snapshots.ts';
import { HostOpener } from '../../../src/application/fleet/host-opener.ts';
import type { JobContext, RunResult } from '../../../src/application/jobs/runner.ts';
import { BackupEngines } from '../../../src/application/ports/backups/backup-engine.ts';
import { Actor } from '../../../src/domain/access/actor.ts';
import { MINUTE } from '../../../src/domain/base/instant.ts';
import type { Server } from '../../../src/domain/fleet/server.ts';
import { FakeBackupEngine } from '../../fakes/fake-backup-engine.ts';
import { FakeRemoteHosts } from '../../fakes/fake-remote-hosts.ts';
import { PlainSecretBox } from '../../fakes/plain-secret-box.ts';
import { type ApplicationScene, applicationScene } from '../../support/application-scene.ts';
import { noHooks } from '../../support/hooks.ts';

const KEEP_ONE = { keepLast: 1, keepDaily: 0, keepWeekly: 0, keepMonthly: 0, keepYearly: 0 };
const PLAN_ID = 5;

let scene: ApplicationScene;
let engine: FakeBackupEngine;
let server: Server;
let planned: RunResult | null;

beforeEach(async () => {
  scene = applicationScene();
  engine = new FakeBackupEngine(() => scene.clock.now());
  engine.files.set('/etc/hosts', 'hosts').set('/etc/motd', 'hello');
  planned = null;
  server = await scene.addServer('one', { backup: true });
  await new ManageSources(scene).add(Actor.operator('operator'), server.id, {
    name: 'etc',
    paths: ['/etc'],
    retention: KEEP_ONE,
  });
});

/** The plan is the last dry run's. */
const jobs = { find: () => Promise.resolve(planned && { id: PLAN_ID, result: planned.result }) } as never;
const settle = (): SettleSnapshots => new SettleSnapshots({ ...scene, engines: new BackupEngines([engine]) });
const backups = (): BackupRunner =>
  new BackupRunner({
    ...scene,
    jobs,
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
      serviceData: {} as never,
    }),
  });
const retention = (): RetentionRunner =>
  new RetentionRunner({
    ...scene,
    clockWatch: { holdsBack: async () => false },
    settleSnapshots: settle(),
    jobs,
    digest: new NodeDigest(),
    engines: new BackupEngines([engine]),
  });

function context(planId?: number): JobContext {
  const hosts = new HostOpener({
    hosts: new FakeRemoteHosts(),
    servers: scene.servers,
    keys: { find: () => Promise.resolve(null) } as never,
    box: new PlainSecretBox(),
    contacts: { succeeded: async () => {}, failed: async () => {} },
    agentSocket: null,
  });
  const params = { sourceFilter: null, service: null, osSteps: null, dryRun: planId === undefined, planId };
  return {
    job: { id: PLAN_ID, serverId: server.id, jobType: 'backup', params } as never,
    server,
    signal: new AbortController().signal,
    openHost: () => hosts.open(server),
    log: () => undefined,
    detached: {} as never,
    progress: () => undefined,
  };
}

const snapshots = async () =>
  (await scene.snapshots.list({ serverId: server.id }, { limit: 100, offset: 0 })).items;

async function twoSnapshots(): Promise<void> {
  for (let round = 0; round < 2; round += 1) {
    await scene.clock.advance(MINUTE);
    await backups().apply(context());
  }
}

describe('a backup by plan', () => {
  test('sends what the plan says', async () => {
    planned = await backups().plan(context());
    expect(planned.result).toMatchObject({
      plan_id: PLAN_ID,
      changes: [{ source: 'etc', paths: ['/etc'], transfer_files: 2, transfer_bytes: 10 }],
    });
    expect((await backups().apply(context(PLAN_ID))).failure).toBeUndefined();
    expect(await snapshots()).toHaveLength(1);
  });

  test('sends nothing where something else would be sent by now, and says what', async () => {
    planned = await backups().plan(context());
    engine.files.set('/etc/passwd', 'root');
    expect(await backups().apply(context(PLAN_ID))).toMatchObject({
      failure: { code: 'plan_drifted' },
      result: { drift_count: 2, no_longer: [{ transfer_files: 2 }], instead: [{ transfer_files: 3 }] },
    });
    expect(await snapshots()).toEqual([]);
  });
});

describe('retention by plan', () => {
  test('removes the snapshots that the plan names', async () => {
    await twoSnapshots();
    planned = await retention().plan(context());
    expect(planned.result).toMatchObject({
      plan_id: PLAN_ID,
      changes_count: 1,
      changes: [{ source: 'etc' }],
      sources: [{ removed: [{ reasons: expect.any(Array) }] }],
    });
    const done = await retention().apply(context(PLAN_ID));
    expect(done).toMatchObject({ summary: 'Removed 1 snapshot.', result: { plan_id: PLAN_ID } });
    expect(await snapshots()).toHaveLength(1);
  });

  test('removes none where others would go by now, and says which', async () => {
    await twoSnapshots();
    planned = await retention().plan(context());
    await scene.clock.advance(MINUTE);
    await backups().apply(context());
    expect(await retention().apply(context(PLAN_ID))).toMatchObject({
      failure: { code: 'plan_drifted' },
      result: { drift_count: 1, no_longer: [], instead: [{ source: 'etc' }] },
    });
    expect(await snapshots()).toHaveLength(3);
  });
});
