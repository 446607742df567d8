import type { BackupSource } from '../../domain/backup-source.ts';
import type { Instant } from '../../domain/instant.ts';
import type { NewSnapshot, Snapshot } from '../../domain/snapshot.ts';
import type { RemoteHost } from './remote-host.ts';

/** What tells one snapshot from all others of an engine. */
export type SnapshotPlace = Pick<Snapshot, 'serverId' | 'sourceId' | 'name'>;

/** How the one who waits hears of it. */
export interface TransferWatch {
  /** Ends the work soon and cleanly when aborted; the signal's reason is thrown. */
  readonly signal: AbortSignal;
  /** One line, without line breaks, that may name files. */
  readonly log: (line: string) => void;
  /** 0 to 100, or `null` while unknown. Called twice a second at the most, and at each new stage. */
  readonly progress: (current: string, percent: number | null) => void;
}

export interface PlanRequest {
  readonly host: RemoteHost;
  readonly source: BackupSource;
  /** Patterns on top of the source's own. */
  readonly extraExcludes?: readonly string[];
}

export interface BackupRequest extends PlanRequest {
  readonly jobId: number;
  readonly startedAt: Instant;
}

export interface BackupPlan {
  /** All of the source's, but directories. */
  readonly files: number;
  readonly totalBytes: number;
  /** Those that are new or changed, and their whole size. */
  readonly transferFiles: number;
  readonly transferBytes: number;
}

export interface RestoreRequest {
  readonly snapshot: Snapshot;
  /** An absolute directory on `host`, made where it is missing; `/` puts everything back where it came from (then `overwrite` must be set). */
  readonly directory: string;
  readonly host: RemoteHost;
  /** Paths as in the snapshot, without leading slash; empty: all of it. */
  readonly subpaths: readonly string[];
  /** Replace what is there and differs. Files that the snapshot does not have stay in any case. */
  readonly overwrite: boolean;
}

/**
 * Makes, reads and removes snapshots of one kind. All sizes are bytes. Besides what is said below, anything that talks to
 * a host throws as `RemoteHost` does, and `host_tool_missing` naming what to install.
 */
export interface BackupEngine {
  readonly name: string;
  /**
   * Makes one snapshot and publishes it atomically: it is whole or it is not there. What an interrupted run had
   * received is used by the next. Files that vanish meanwhile are counted; any other that cannot be read fails the
   * backup. Throws `source_missing` naming the paths that are not there, `disk_full` before it transfers what would not
   * fit or when the store fills up, `backup_failed`.
   */
  backup(request: BackupRequest, watch: TransferWatch): Promise<NewSnapshot>;
  /** What a backup would transfer, without changing anything. Throws `source_missing`, `backup_failed`. */
  plan(request: PlanRequest, watch: TransferWatch): Promise<BackupPlan>;
  /** Whole snapshots of a source that are in the store, oldest first, whether or not the database knows them. */
  published(source: BackupSource): Promise<readonly NewSnapshot[]>;
  /** Removes a snapshot's data; one that is gone already is no error. From its start on the snapshot is not published. */
  remove(snapshot: SnapshotPlace): Promise<void>;
  /**
   * Removes what interrupted work left in the store: half removed snapshots, and what was received for sources that are
   * no longer there (their snapshots stay). Leaves alone what is being worked on.
   */
  sweep(knownSources: readonly Pick<BackupSource, 'id' | 'serverId'>[]): Promise<void>;
  /** Compares everything in the snapshot with its manifest. Throws `snapshot_damaged` naming the first differences. */
  verify(
    snapshot: Snapshot,
    watch: TransferWatch,
  ): Promise<{ readonly files: number; readonly bytes: number }>;
  /**
   * Gives files back below a directory and compares them with the manifest there; returns how many files and bytes it has
   * compared. Throws `restore_target_not_empty` unless `overwrite`, `invalid_input` for a directory or subpath that
   * cannot be, `snapshot_damaged`, `disk_full`, `restore_failed`.
   */
  restore(
    request: RestoreRequest,
    watch: TransferWatch,
  ): Promise<{ readonly files: number; readonly bytes: number }>;
}
