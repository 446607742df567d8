import type { NewSnapshot, Snapshot } from '../../../domain/snapshot.ts';

export interface SnapshotRow {
  readonly id: number;
  readonly server_id: number;
  readonly source_id: number;
  readonly source_name: string;
  readonly job_id: number | null;
  readonly engine: string;
  readonly name: string;
  readonly started_at: number;
  readonly finished_at: number;
  readonly file_count: number;
  readonly total_bytes: number;
  readonly transferred_bytes: number;
  readonly vanished_count: number;
  readonly manifest_sha256: string;
  readonly last_verified_at: number | null;
}

export const SNAPSHOT_COLUMNS = [
  'id',
  'server_id',
  'source_id',
  'source_name',
  'job_id',
  'engine',
  'name',
  'started_at',
  'finished_at',
  'file_count',
  'total_bytes',
  'transferred_bytes',
  'vanished_count',
  'manifest_sha256',
  'last_verified_at',
] as const satisfies readonly (keyof SnapshotRow)[];

export const toSnapshot = (row: SnapshotRow): Snapshot => ({
  id: row.id,
  serverId: row.server_id,
  sourceId: row.source_id,
  sourceName: row.source_name,
  jobId: row.job_id,
  engine: row.engine,
  name: row.name,
  startedAt: row.started_at,
  finishedAt: row.finished_at,
  fileCount: row.file_count,
  totalBytes: row.total_bytes,
  transferredBytes: row.transferred_bytes,
  vanishedCount: row.vanished_count,
  manifestSha256: row.manifest_sha256,
  lastVerifiedAt: row.last_verified_at,
});

export const snapshotColumns = (snapshot: NewSnapshot): Omit<SnapshotRow, 'id' | 'last_verified_at'> => ({
  server_id: snapshot.serverId,
  source_id: snapshot.sourceId,
  source_name: snapshot.sourceName,
  job_id: snapshot.jobId,
  engine: snapshot.engine,
  name: snapshot.name,
  started_at: snapshot.startedAt,
  finished_at: snapshot.finishedAt,
  file_count: snapshot.fileCount,
  total_bytes: snapshot.totalBytes,
  transferred_bytes: snapshot.transferredBytes,
  vanished_count: snapshot.vanishedCount,
  manifest_sha256: snapshot.manifestSha256,
});
