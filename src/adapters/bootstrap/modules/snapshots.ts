import type { Container } from 'inversify';
import { BrowseSnapshot } from '../../../application/backups/browse-snapshot.ts';
import { DumpRestoreRunner } from '../../../application/backups/dump-restore-runner.ts';
import { ListFleetBackups } from '../../../application/backups/list-fleet-backups.ts';
import { ListSnapshotDumps } from '../../../application/backups/list-snapshot-dumps.ts';
import { PreviewExclusions } from '../../../application/backups/preview-exclusions.ts';
import { PreviewRetention } from '../../../application/backups/preview-retention.ts';
import { RequestDumpRestore } from '../../../application/backups/request-dump-restore.ts';
import { RequestRestore } from '../../../application/backups/request-restore.ts';
import { RestoreRunner } from '../../../application/backups/restore-runner.ts';
import { bindClass } from '../binding.ts';
import { PORTS, SHARED, USE_CASES, VALUES } from '../tokens.ts';

const { audit, clock, engines, servers, snapshots, sources } = PORTS;

/** What people do with snapshots on the pages. */
export function bindSnapshots(container: Container): void {
  bindClass(container, USE_CASES.listFleetBackups, ListFleetBackups, {
    fleetBackups: PORTS.fleetBackups,
    clock,
    backupStaleHours: VALUES.backupStaleHours,
  });
  bindClass(container, USE_CASES.previewRetention, PreviewRetention, {
    servers,
    sources,
    snapshots,
    clock,
  });
  bindClass(container, USE_CASES.previewExclusions, PreviewExclusions, {
    servers,
    sources,
    opener: SHARED.opener,
    survey: PORTS.exclusions,
    serviceData: PORTS.serviceData,
  });
  bindClass(container, USE_CASES.browseSnapshot, BrowseSnapshot, {
    snapshots,
    sources,
    servers,
    opener: SHARED.opener,
    engines,
    audit,
    refusals: SHARED.refusals,
    clock,
  });
  bindClass(container, USE_CASES.requestRestore, RequestRestore, {
    browseSnapshot: USE_CASES.browseSnapshot,
    servers,
    triggerJob: USE_CASES.triggerJob,
  });
  bindClass(container, SHARED.restoreRunner, RestoreRunner, { engines, snapshots, clock });
  bindClass(container, USE_CASES.requestDumpRestore, RequestDumpRestore, {
    browseSnapshot: USE_CASES.browseSnapshot,
    servers,
    dumps: PORTS.dumps,
    triggerJob: USE_CASES.triggerJob,
  });
  bindClass(container, USE_CASES.listSnapshotDumps, ListSnapshotDumps, {
    browseSnapshot: USE_CASES.browseSnapshot,
    dumps: PORTS.dumps,
  });
  bindClass(container, SHARED.dumpRestoreRunner, DumpRestoreRunner, {
    engines,
    snapshots,
    dumps: SHARED.sourceDumps,
    client: PORTS.dumpClient,
    clock,
  });
}
