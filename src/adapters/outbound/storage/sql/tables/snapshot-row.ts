import type { NewSnapshot, Snapshot, SnapshotCheck } from '../../../../../domain/backups/snapshot.ts';
import { hostText } from './host-text.ts';

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
  readonly checked_at: number | null;
  readonly check_outcome: SnapshotCheck['outcome'] | null;
  readonly check_files: number | null;
  readonly check_bytes: number | null;
  readonly check_detail: string | null;
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
  'checked_at',
  'check_outcome',
  'check_files',
  'check_bytes',
  'check_detail',
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
  check: toCheck(row),
});

function toCheck(row: SnapshotRow): SnapshotCheck | null {
  const { checked_at: at, check_outcome: outcome } = row;
  if (at === null || outcome === null) return null;
  return {
    at,
    outcome,
    files: row.check_files ?? 0,
    bytes: row.check_bytes ?? 0,
    detail: hostText(row.check_detail),
  };
}

type CheckRow = Pick<
  SnapshotRow,
  'last_verified_at' | 'checked_at' | 'check_outcome' | 'check_files' | 'check_bytes' | 'check_detail'
>;

export const checkColumns = (check: SnapshotCheck): CheckRow => ({
  last_verified_at: check.outcome === 'good' ? check.at : null,
  checked_at: check.at,
  check_outcome: check.outcome,
  check_files: check.files,
  check_bytes: check.bytes,
  check_detail: check.detail,
});

export const snapshotColumns = (snapshot: NewSnapshot): Omit<SnapshotRow, 'id' | keyof CheckRow> => ({
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
