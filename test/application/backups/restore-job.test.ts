import { describe, expect, it } from 'vitest';
import { RestoreRunner } from '../../../src/application/backups/restore-runner.ts';
import type { JobContext } from '../../../src/application/jobs/runner.ts';
import { BackupEngines } from '../../../src/application/ports/backups/backup-engine.ts';
import { Actor } from '../../../src/domain/access/actor.ts';
import type { RestoreParams } from '../../../src/domain/jobs/job.ts';
import { requestFor, Witness } from '../../contracts/backup-engine.contract.ts';
import { FakeBackupEngine } from '../../fakes/fake-backup-engine.ts';
import { FakeRemoteHosts } from '../../fakes/fake-remote-hosts.ts';
import { applicationScene, tokenActor } from '../../support/application-scene.ts';
import { filePages } from '../../support/file-pages.ts';

/** A snapshot of /etc/hosts, and a job to restore it. */
async function arrange() {
  const scene = applicationScene();
  const engine = new FakeBackupEngine(() => scene.clock.now());
  const server = await scene.addServer('web');
  const source = await scene.addSource(server.id);
  const host = new FakeRemoteHosts().host('web').session();
  engine.files.set('/etc/hosts', 'as it was');
  const made = await engine.backup(requestFor(host, source), new Witness());
  const snapshot = await scene.snapshots.add(made);
  const runner = new RestoreRunner({ ...scene, engines: new BackupEngines([engine]) });
  const lines: string[] = [];
  const context = (restore: RestoreParams, snapshotId = snapshot.id): JobContext =>
    ({
      job: { params: { snapshotId, restore } },
      server,
      signal: new AbortController().signal,
      openHost: async () => host,
      log: (line: string) => void lines.push(line),
      progress: () => undefined,
    }) as unknown as JobContext;
  return { scene, engine, server, snapshot, runner, context, lines };
}

const TO = { directory: '/var/tmp/x', subpaths: ['etc/hosts'], overwrite: false };

describe('A restore job', () => {
  it('restores files, compares them, and reports what it did', async () => {
    const { engine, runner, context, lines, snapshot } = await arrange();
    const { summary, result } = await runner.apply(context(TO));
    expect(engine.files.get('/var/tmp/x/etc/hosts')).toBe('as it was');
    expect(summary).toBe('Restored 1 file (9 B), and compared them with the snapshot.');
    expect(result).toMatchObject({ snapshot_id: snapshot.id, files: 1, bytes: 9, directory: '/var/tmp/x' });
    expect(lines.join()).toContain('/etc/hosts of etc');
  });

  it('reports its plan, and does nothing', async () => {
    const { engine, runner, context } = await arrange();
    const { summary } = await runner.plan(context({ directory: '/', subpaths: [], overwrite: true }));
    expect(summary).toMatch(
      /^Dry run: the job would restore everything of etc .* to its original location\./,
    );
    expect(engine.files.size).toBe(1);
  });

  it('keeps the snapshot from being removed meanwhile', async () => {
    const { scene, runner, context, snapshot } = await arrange();
    await runner.apply(context(TO));
    await expect(scene.snapshots.remove(snapshot.id, {})).rejects.toMatchObject({ code: 'snapshot_in_use' });
  });

  it('restores nothing of another server, or of a missing snapshot', async () => {
    const { scene, runner, context } = await arrange();
    const other = await scene.addServer('other');
    const source = await scene.addSource(other.id);
    const { items } = await scene.snapshots.list({ serverId: 1 }, { limit: 1, offset: 0 });
    const foreign = await scene.snapshots.add({
      ...items[0]!,
      serverId: other.id,
      sourceId: source.id,
      name: 'x',
    });
    for (const id of [foreign.id, 99]) {
      await expect(runner.apply(context(TO, id))).rejects.toMatchObject({ code: 'snapshot_not_found' });
    }
  });

  it('is asked for by people alone', async () => {
    const scene = applicationScene();
    const { requestRestore } = filePages(scene);
    const order = { snapshotId: 1, paths: [''], directory: '/x', overwrite: false, confirmation: '' };
    await expect(requestRestore.execute(tokenActor(), order)).rejects.toMatchObject({ code: 'role_missing' });
    await expect(requestRestore.execute(Actor.operator('cli'), order)).rejects.toMatchObject({
      code: 'snapshot_not_found',
    });
  });
});
