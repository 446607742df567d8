import type { NewSnapshot, Snapshot, SnapshotCheck } from '../../../../../domain/backups/snapshot.ts';
import {
  columns,
  hostWritten,
  int,
  named,
  nullable,
  oneOf,
  orElse,
  orNull,
  type Row,
  text,
} from './columns.ts';

const CHECK = columns({
  lastVerifiedAt: orNull(int),
  check: nullable({
    at: named('checked_at', int),
    outcome: named('check_outcome', oneOf<SnapshotCheck['outcome']>()),
    files: named('check_files', orElse(int, 0)),
    bytes: named('check_bytes', orElse(int, 0)),
    detail: named('check_detail', orNull(hostWritten)),
  }),
});
const NEW = columns({
  serverId: int,
  sourceId: int,
  sourceName: text,
  jobId: orNull(int),
  engine: text,
  name: text,
  startedAt: int,
  finishedAt: int,
  fileCount: int,
  totalBytes: int,
  transferredBytes: int,
  vanishedCount: int,
  manifestSha256: text,
});
const SNAPSHOTS = columns({ id: int, ...NEW.shape, ...CHECK.shape, pinnedAt: orNull(int) });

export type SnapshotRow = Row<typeof SNAPSHOTS>;
export const SNAPSHOT_COLUMNS = SNAPSHOTS.names;
export const toSnapshot: (row: SnapshotRow) => Snapshot = SNAPSHOTS.read;
export const snapshotColumns = (snapshot: NewSnapshot): object => NEW.write(snapshot);

export const checkColumns = (check: SnapshotCheck): object =>
  CHECK.write({ check, lastVerifiedAt: check.outcome === 'good' ? check.at : null });
