import type { Readable } from 'node:stream';
import type { BackupSource, EngineName } from '../../../domain/backups/backup-source.ts';
import type { SampleSize } from '../../../domain/backups/sample-size.ts';
import type { NewSnapshot, Snapshot } from '../../../domain/backups/snapshot.ts';
import { DomainError } from '../../../domain/base/errors.ts';
import type { Instant } from '../../../domain/base/instant.ts';
import type { RemoteHost } from '../fleet/remote-host.ts';
import type { SnapshotBrowser } from './snapshot-browser.ts';

/** What tells one snapshot from all others of an engine. */
export type SnapshotPlace = Pick<Snapshot, 'serverId' | 'sourceId' | 'name'>;

/** Connects to the server that a snapshot or a source is of. Whoever gives it releases the host; called again, it gives the same. */
export type Reach = () => Promise<RemoteHost>;

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

/** A database's dump, which becomes a file of the snapshot. */
export interface DumpFile {
  /** In the snapshot, without leading slash. */
  readonly path: string;
  /** Its content; ends only if the dump ended well, and throws otherwise. */
  readonly read: (signal: AbortSignal) => AsyncIterable<Buffer>;
}

export interface BackupRequest extends PlanRequest {
  /** Taken one after the other, before the first file is read. What one throws fails the backup. */
  readonly dumps?: readonly DumpFile[];
  readonly jobId: number;
  readonly startedAt: Instant;
  /** Names of the source's snapshots that were found damaged: nothing is taken over from them. */
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
  /** An absolute directory on `host`, made where it is missing; `/` puts everything back where it came from (then `overwrite` must be set). */
  readonly directory: string;
  readonly host: RemoteHost;
  /** The server that the snapshot is of, where `host` is another machine. */
  readonly origin?: Reach;
  /** Paths as in the snapshot, without leading slash; empty: all of it. */
  readonly subpaths: readonly string[];
  /** Replace what is there and differs. Files that the snapshot does not have stay in any case. */
  readonly overwrite: boolean;
}

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
 * Makes, reads and removes snapshots of one kind. All sizes are bytes. Besides what is said below, anything that talks to
 * a host throws as `RemoteHost` does, and `host_tool_missing` naming what to install.
 */
export interface BackupEngine extends SnapshotBrowser {
  readonly name: EngineName;
  /**
   * Makes one snapshot and publishes it atomically: it is whole or it is not there. What an interrupted run had
   * received is used by the next. Files that vanish meanwhile are counted; any other that cannot be read fails the
   * backup. Throws `source_missing` naming the paths that are not there, `disk_full` before it transfers what would not
   * fit or when the store fills up, `backup_failed`.
   */
  backup(request: BackupRequest, watch: TransferWatch): Promise<NewSnapshot>;
  /**
   * A dump of a snapshot, by its path there; it is what was taken, or `snapshot_damaged` is thrown before the first byte.
   * Throws `file_not_found`. The caller destroys the content if it does not read it to its end.
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
   * Removes a snapshot's data; one that is gone already is no error. From its start on the snapshot is not published,
   * also where it is cut off or the server cannot be reached: `reclaim` ends it.
   */
  remove(snapshot: SnapshotPlace, origin: Reach, watch: TransferWatch): Promise<void>;
  /**
   * Ends removals that were cut off and frees what nothing needs any more. To be called when some of a source's
   * snapshots were removed. Throws `repository_unusable`.
   */
  reclaim(source: Pick<BackupSource, 'id' | 'serverId'>, origin: Reach, watch: TransferWatch): Promise<void>;
  /**
   * Removes what interrupted work left in the store: half removed snapshots, and what was received for sources that are
   * no longer there (their snapshots stay). Leaves alone what is being worked on.
   */
  sweep(knownSources: readonly Pick<BackupSource, 'id' | 'serverId'>[]): Promise<void>;
  /**
   * Gives a sample of the snapshot's files, or all, back to a scratch place, piece by piece, and compares type, size,
   * permissions, content and targets with the manifest; returns how many it compared. The scratch place is emptied
   * whatever becomes of us. Throws `snapshot_damaged` naming the first differences, `disk_full` before anything where a
   * file would not fit.
   */
  verify(
    request: VerifyRequest,
    watch: TransferWatch,
  ): Promise<{ readonly files: number; readonly bytes: number }>;
  /**
   * Gives files back below a directory and compares them with the manifest there; returns how many files and bytes it has
   * compared. Throws `restore_target_not_empty` unless `overwrite`, `invalid_input` for a directory or subpath that
   * cannot be, `snapshot_damaged`, `disk_full` before anything is written that would not fit, `restore_failed`.
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

  /** The one that made a snapshot or makes those of a source. Throws `internal` for one that this version does not know. */
  of({ engine }: { readonly engine: string }): BackupEngine {
    const found = this.#engines.find(({ name }) => name === engine);
    if (!found) throw new DomainError('internal', `This version has no backup engine called ${engine}.`);
    return found;
  }
}
