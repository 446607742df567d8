import type { BackupSource } from '../../domain/backup-source.ts';
import type { Instant } from '../../domain/instant.ts';
import type { NewSnapshot, Snapshot } from '../../domain/snapshot.ts';
import type { RemoteHost } from './remote-host.ts';

/** How the one who waits hears of it. */
export interface TransferWatch {
  readonly signal: AbortSignal;
  readonly log: (line: string) => void;
  /** 0 to 100, or `null` while unknown. */
  readonly progress: (current: string, percent: number | null) => void;
}

/** Makes, reads and removes snapshots of one kind. All sizes are bytes. */
export interface BackupEngine {
  readonly name: string;
  /**
   * Makes one snapshot and publishes it atomically: it is whole or it is not there. What an interrupted run had
   * transferred is used by the next. `extraExcludes` come on top of the source's. Throws `disk_full` before it transfers
   * what would not fit, `source_missing` where none of the paths exists, `host_tool_missing`, `backup_failed`.
   */
  backup(
    request: {
      readonly host: RemoteHost;
      readonly source: BackupSource;
      readonly jobId: number;
      readonly startedAt: Instant;
      readonly extraExcludes?: readonly string[];
    },
    watch: TransferWatch,
  ): Promise<NewSnapshot>;
  /** What a backup would transfer and change, without doing it. */
  plan(
    request: {
      readonly host: RemoteHost;
      readonly source: BackupSource;
      readonly extraExcludes?: readonly string[];
    },
    watch: TransferWatch,
  ): Promise<{ readonly files: number; readonly transferBytes: number; readonly totalBytes: number }>;
  /** Whole snapshots of a source that are in the store, whether or not the database knows them. */
  published(source: BackupSource): Promise<readonly NewSnapshot[]>;
  /** Removes a snapshot's data; one that is gone already is no error. */
  remove(snapshot: Snapshot): Promise<void>;
  /** Compares everything in the snapshot with its manifest. Throws `snapshot_damaged` naming the first differences. */
  verify(
    snapshot: Snapshot,
    watch: TransferWatch,
  ): Promise<{ readonly files: number; readonly bytes: number }>;
  /**
   * Gives files back below a directory and compares them with the manifest there. `subpaths` (as in the snapshot,
   * without leading slash) limit it. Throws `restore_target_not_empty` unless `overwrite`.
   */
  restore(
    request: RestoreRequest,
    watch: TransferWatch,
  ): Promise<{ readonly files: number; readonly bytes: number }>;
}

export interface RestoreRequest {
  readonly snapshot: Snapshot;
  /** A directory on `host`; `/` puts everything back where it came from (then `overwrite` must be set). */
  readonly directory: string;
  readonly host: RemoteHost;
  readonly subpaths: readonly string[];
  readonly overwrite: boolean;
}
