import type { Readable } from 'node:stream';
import type { BackupSource, EngineName } from '../../../domain/backups/backup-source.ts';
import type { FileFacts } from '../../../domain/backups/file-change.ts';
import type { SampleSize } from '../../../domain/backups/sample-size.ts';
import type { NewSnapshot, Snapshot } from '../../../domain/backups/snapshot.ts';
import { DomainError } from '../../../domain/base/errors.ts';
import type { Instant } from '../../../domain/base/instant.ts';
import type { ReportStep } from '../../../domain/jobs/phases.ts';
import type { RemoteHost } from '../fleet/remote-host.ts';
import type { SnapshotBrowser } from './snapshot-browser.ts';

/** Identifies a snapshot among all of an engine. */
export type SnapshotPlace = Pick<Snapshot, 'serverId' | 'sourceId' | 'name'>;

/**
 * Connects to the server of a snapshot or source. The provider closes the host; called again, it returns the same.
 */
export type Reach = () => Promise<RemoteHost>;

/** Callbacks for the caller. */
export interface TransferWatch {
  /** Ends the work soon and cleanly when aborted; the signal's reason is thrown. */
  readonly signal: AbortSignal;
  /** One line, without line breaks, that may name files. */
  readonly log: (line: string) => void;
  /** 0 to 100, or `null` while unknown. Called twice a second at the most, and at each new stage. */
  readonly progress: ReportStep;
}

export interface PlanRequest {
  readonly host: RemoteHost;
  readonly source: BackupSource;
  /** Patterns on top of the source's own. */
  readonly extraExcludes?: readonly string[];
}

/** A database's dump, which becomes a file of the snapshot. */
export interface DumpFile {
  /** In the snapshot, without leading slash. */
  readonly path: string;
  /** Its content; ends only if the dump ended well, and throws otherwise. */
  readonly read: (signal: AbortSignal) => AsyncIterable<Buffer>;
}

export interface BackupRequest extends PlanRequest {
  /** Taken one after another, before the first file is read. An error of one fails the backup. */
  readonly dumps?: readonly DumpFile[];
  readonly jobId: number;
  readonly startedAt: Instant;
  /** Names of the source's damaged snapshots: no data is reused from them. */
  readonly distrusted?: readonly string[];
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
  /**
   * An absolute directory on `host`, created if missing; `/` restores everything to its original place (then
   * `overwrite` must be set).
   */
  readonly directory: string;
  readonly host: RemoteHost;
  /** The server that the snapshot is of, where `host` is another machine. */
  readonly origin?: Reach;
  /** Paths as in the snapshot, without leading slash; empty: all of it. */
  readonly subpaths: readonly string[];
  /** Replace existing files that differ. Files that the snapshot does not have always stay. */
  readonly overwrite: boolean;
}

/** An entry of a snapshot; of links and special files without a size. */
export type SnapshotContent = FileFacts & {
  /** The full path on the host, as bytes, without leading slash. */
  readonly path: Uint8Array;
};

export interface VerifyRequest {
  readonly snapshot: Snapshot;
  readonly sample: SampleSize;
  /** From 0 to below 1, for choosing the sample. */
  readonly chance: () => number;
  /** The machine that the service runs on. */
  readonly here: Reach;
  readonly origin: Reach;
}

/**
 * Creates, reads and removes snapshots of one kind. All sizes are bytes. In addition to the errors below, methods
 * that contact a host throw as `RemoteHost` does, and `host_tool_missing` that names what to install.
 */
export interface BackupEngine extends SnapshotBrowser {
  readonly name: EngineName;
  /**
   * Creates one snapshot and publishes it atomically: it is complete or does not exist. The next run reuses what an
   * interrupted one received. Files that vanish in the meantime are counted; any other unreadable file fails the
   * backup. Throws `source_missing` that names the missing paths, `disk_full` before it transfers what would not fit
   * or when the store fills up, `backup_failed`.
   */
  backup(request: BackupRequest, watch: TransferWatch): Promise<NewSnapshot>;
  /**
   * A dump in a snapshot, by its path there; its content is verified, or `snapshot_damaged` is thrown before the
   * first byte. Throws `file_not_found`. The caller destroys the content if it does not read it to its end.
   */
  readDump(request: {
    readonly snapshot: Snapshot;
    readonly path: string;
    readonly signal: AbortSignal;
  }): Promise<{ readonly size: number; readonly content: Readable }>;
  /** What a backup would transfer, without changing anything. Throws `source_missing`, `backup_failed`. */
  plan(request: PlanRequest, watch: TransferWatch): Promise<BackupPlan>;
  /** Whole snapshots of a source that are in the store, oldest first, whether or not the database knows them. */
  published(source: BackupSource): Promise<readonly NewSnapshot[]>;
  /**
   * Removes a snapshot's data; missing data is no error. From its start on the snapshot is not published, even if it
   * is interrupted or the server is unreachable: `reclaim` completes it.
   */
  remove(snapshot: SnapshotPlace, origin: Reach, watch: TransferWatch): Promise<void>;
  /**
   * Completes interrupted removals and frees unused data. Called after some of a source's snapshots were removed.
   * Throws `repository_unusable`.
   */
  reclaim(source: Pick<BackupSource, 'id' | 'serverId'>, origin: Reach, watch: TransferWatch): Promise<void>;
  /**
   * Removes what interrupted work left in the store: partially removed snapshots, and received data of sources that
   * no longer exist (their snapshots stay). Skips data in use.
   */
  sweep(knownSources: readonly Pick<BackupSource, 'id' | 'serverId'>[]): Promise<void>;
  /**
   * Restores a sample of the snapshot's files, or all, to a temporary directory, piece by piece, and compares type,
   * size, permissions, content and targets with the manifest; returns how many it compared. The directory is always
   * emptied. Throws `snapshot_damaged` that names the first differences, `disk_full` before anything if a file would
   * not fit.
   */
  verify(
    request: VerifyRequest,
    watch: TransferWatch,
  ): Promise<{ readonly files: number; readonly bytes: number }>;
  /**
   * The entries that a restore would write, a directory before its contents; none for a subpath that the snapshot does
   * not have. Contacts no host. Throws `snapshot_damaged`.
   */
  contents(
    request: Pick<RestoreRequest, 'snapshot' | 'directory' | 'subpaths'>,
    signal: AbortSignal,
  ): AsyncIterable<SnapshotContent>;
  /**
   * Restores files below a directory and compares them with the manifest there; returns how many files and bytes it
   * has compared. Throws `restore_target_not_empty` unless `overwrite`, `invalid_input` for an invalid directory or
   * subpath, `snapshot_damaged`, `disk_full` before it writes what would not fit, `restore_failed`.
   */
  restore(
    request: RestoreRequest,
    watch: TransferWatch,
  ): Promise<{ readonly files: number; readonly bytes: number }>;
}

/** The engines by name. */
export class BackupEngines {
  readonly #engines: readonly BackupEngine[];

  constructor(engines: readonly BackupEngine[]) {
    this.#engines = engines;
  }

  get all(): readonly BackupEngine[] {
    return this.#engines;
  }

  /** The engine of a snapshot or source. Throws `internal` for one that this version does not know. */
  of({ engine }: { readonly engine: string }): BackupEngine {
    const found = this.#engines.find(({ name }) => name === engine);
    if (!found) throw new DomainError('internal', `This version has no backup engine called ${engine}.`);
    return found;
  }
}
