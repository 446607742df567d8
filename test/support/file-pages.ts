import { InMemoryFiles } from '../../src/adapters/outbound/hosts/jail/memory/in-memory-files.ts';
import { InMemoryJails } from '../../src/adapters/outbound/hosts/jail/memory/in-memory-jails.ts';
import { EemeliYamlText } from '../../src/adapters/outbound/system/eemeli-yaml-text.ts';
import { JsTextDiff } from '../../src/adapters/outbound/system/js-text-diff.ts';
import { ZipArchiver } from '../../src/adapters/outbound/zip/zip-archiver.ts';
import { BrowseSnapshot } from '../../src/application/backups/browse-snapshot.ts';
import { CompareWithServer } from '../../src/application/backups/compare-with-server.ts';
import { ListFleetBackups } from '../../src/application/backups/list-fleet-backups.ts';
import { ListSnapshotDumps } from '../../src/application/backups/list-snapshot-dumps.ts';
import { ManageSnapshots } from '../../src/application/backups/manage-snapshots.ts';
import { PreviewRetention } from '../../src/application/backups/preview-retention.ts';
import { RequestDumpRestore } from '../../src/application/backups/request-dump-restore.ts';
import { RequestRestore } from '../../src/application/backups/request-restore.ts';
import { RestoreRunner } from '../../src/application/backups/restore-runner.ts';
import { SnapshotFiles } from '../../src/application/backups/snapshot-files.ts';
import { CheckText } from '../../src/application/files/check-text.ts';
import { JailAccess } from '../../src/application/files/jail-access.ts';
import { JailFileOps } from '../../src/application/files/jail-file-ops.ts';
import { PrivilegedFileOps } from '../../src/application/files/privileged-file-ops.ts';
import { LookAtHost } from '../../src/application/fleet/look-at-host.ts';
import { type JobRunner, JobRunners } from '../../src/application/jobs/runner.ts';
import { TriggerJob } from '../../src/application/jobs/trigger-job.ts';
import { BackupEngines } from '../../src/application/ports/backups/backup-engine.ts';
import type { JobType } from '../../src/domain/jobs/job-types.ts';
import { FakeBackupEngine } from '../fakes/fake-backup-engine.ts';
import { FakeLiveFiles } from '../fakes/fake-live-files.ts';
import { FakeRemoteHosts } from '../fakes/fake-remote-hosts.ts';
import { FakeStoreSpace } from '../fakes/fake-store-space.ts';
import type { ApplicationScene } from './application-scene.ts';

/** Nothing here runs jobs: they are asked for, and wait. */
const waiting = (...types: JobType[]): JobRunner => ({
  types,
  timeLimitMs: 1,
  plan: () => Promise.reject(new Error('jobs are not run here')),
  apply: () => Promise.reject(new Error('jobs are not run here')),
});

/**
 * The use cases of pages about backups and files, on an engine and files in memory; all servers have the same files.
 */
export function filePages(scene: ApplicationScene) {
  const engine = new FakeBackupEngine(() => scene.clock.now());
  const engines = new BackupEngines([engine]);
  const files = new InMemoryFiles();
  files.now = () => scene.clock.now();
  const hosts = new FakeRemoteHosts();
  const access = { kind: 'local', serverId: 1, serverName: 'web', become: 'none' } as const;
  const opener = { open: () => hosts.connect(access), accessTo: async () => access };
  const jails = new InMemoryJails(() => files);
  const deps = { ...scene, engines, opener, jails };
  const runners = new JobRunners([
    new RestoreRunner(deps),
    waiting('backup', 'retention', 'snapshot_verify', 'dump_restore'),
  ]);
  const triggerJob = new TriggerJob({ ...deps, runners });
  const browseSnapshot = new BrowseSnapshot(deps);
  const storeSpace = new FakeStoreSpace();
  const liveFiles = new FakeLiveFiles(engine.files, () => scene.clock.now());
  return {
    engine,
    files,
    liveFiles,
    storeSpace,
    compareWithServer: new CompareWithServer({
      ...deps,
      browseSnapshot,
      liveFiles,
      textDiff: new JsTextDiff(),
    }),
    triggerJob,
    browseSnapshot,
    listFleetBackups: new ListFleetBackups({ ...deps, storeSpace, backupStaleHours: 36 }),
    previewRetention: new PreviewRetention(deps),
    listSnapshotDumps: new ListSnapshotDumps({ ...deps, browseSnapshot }),
    requestDumpRestore: new RequestDumpRestore({ ...deps, browseSnapshot, triggerJob }),
    manageSnapshots: new ManageSnapshots(deps),
    snapshotFiles: new SnapshotFiles({
      browseSnapshot,
      archiver: new ZipArchiver(),
      textDiff: new JsTextDiff(),
    }),
    requestRestore: new RequestRestore({ ...deps, browseSnapshot, triggerJob }),
    checkText: new CheckText({ yaml: new EemeliYamlText() }),
    jailFileOps: new JailFileOps({ ...deps, jailAccess: new JailAccess(deps), mostBytes: 1_000_000 }),
    lookAtHost: new LookAtHost({ ...deps, mostBytes: 1_000_000, hostFiles: true }),
    privilegedFileOps: new PrivilegedFileOps({
      ...deps,
      jailAccess: new JailAccess(deps),
      archiver: new ZipArchiver(),
      mostBytes: 1_000_000,
    }),
  };
}

export type FilePages = ReturnType<typeof filePages>;
