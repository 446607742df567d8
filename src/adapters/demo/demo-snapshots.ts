import type { BackupSource } from '../../domain/backups/backup-source.ts';
import { applyRetention, DEFAULT_RETENTION } from '../../domain/backups/retention-policy.ts';
import type { NewSnapshot } from '../../domain/backups/snapshot.ts';
import { type Instant, MINUTE } from '../../domain/base/instant.ts';
import type { Server } from '../../domain/fleet/server.ts';
import { sizesOn } from './demo-bulk.ts';
import { backupFailure, snapshotName } from './demo-past.ts';

/** The snapshots of the nights whose backup succeeded, as far as retention keeps them, oldest first. */
export function snapshotsOf(
  server: Server,
  sources: readonly BackupSource[],
  nights: readonly Instant[],
): readonly NewSnapshot[] {
  const good = nights.filter((at) => backupFailure(server, at) === null);
  const { keep } = applyRetention(
    DEFAULT_RETENTION,
    good.map((startedAt) => ({ name: snapshotName(startedAt), startedAt })),
  );
  return keep.toReversed().flatMap(({ startedAt }) =>
    sources.map(({ id, name, engine }) => {
      const { files, totalBytes, transferredBytes } = sizesOn(server.name, name, startedAt);
      return {
        serverId: server.id,
        sourceId: id,
        sourceName: name,
        jobId: null,
        engine,
        name: snapshotName(startedAt),
        startedAt,
        finishedAt: startedAt + 7 * MINUTE,
        fileCount: files,
        totalBytes,
        transferredBytes,
        vanishedCount: 0,
        manifestSha256: '0'.repeat(64),
      };
    }),
  );
}

/** Their rows. The latest ones before the server's last verification are verified then. */
export function snapshotRows(
  snapshots: readonly NewSnapshot[],
  { facts: { lastVerifiedAt: at } }: Server,
): readonly object[] {
  const before = snapshots.filter(({ finishedAt }) => at !== null && finishedAt < at);
  const verified = Math.max(...before.map(({ startedAt }) => startedAt));
  return snapshots.map((each) => rowOf(each, each.startedAt === verified ? at : null));
}

function rowOf(snapshot: NewSnapshot, check: Instant | null): object {
  const { startedAt, fileCount, totalBytes } = snapshot;
  return {
    server_id: snapshot.serverId,
    source_id: snapshot.sourceId,
    source_name: snapshot.sourceName,
    engine: snapshot.engine,
    name: snapshot.name,
    started_at: startedAt,
    finished_at: snapshot.finishedAt,
    file_count: fileCount,
    total_bytes: totalBytes,
    transferred_bytes: snapshot.transferredBytes,
    vanished_count: 0,
    manifest_sha256: snapshot.manifestSha256,
    last_verified_at: check,
    checked_at: check,
    check_outcome: check === null ? null : 'good',
    check_files: check === null ? null : fileCount,
    check_bytes: check === null ? null : totalBytes,
  };
}
