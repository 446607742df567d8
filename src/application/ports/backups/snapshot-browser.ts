import type { Readable } from 'node:stream';
import type { Snapshot } from '../../../domain/backups/snapshot.ts';
import type { PageRequest } from '../../../domain/base/page.ts';
import type { JailPath } from '../../../domain/files/jail-path.ts';
import type { JailEntry } from '../files/jail-fs.ts';
import type { RemoteHost } from '../fleet/remote-host.ts';

/** A path in a snapshot, as the host's path segments from its root. */
export interface BrowseRequest {
  readonly snapshot: Snapshot;
  readonly path: JailPath;
  /** Connects to the snapshot's server; the engine that uses it closes it. */
  readonly origin: () => Promise<RemoteHost>;
  /** Aborts running work. */
  readonly signal: AbortSignal;
}

export interface SnapshotListing {
  /** By name, byte by byte. A name that is no UTF-8 may be garbled; then no path leads to it. */
  readonly entries: readonly JailEntry[];
  /** How many entries the directory has; of one with more than `MAX_BROWSED`, that many. */
  readonly total: number;
}

/** Only this many entries of a larger directory are returned. */
export const MAX_BROWSED = 20_000;

/**
 * Reads snapshots without restoring them. Never reads anything outside of a snapshot, and follows no symbolic link in
 * one. Throws `file_not_found`, `not_a_directory`, `path_refused` if the path contains a link, `snapshot_damaged` if
 * it is missing, and connection errors if the snapshot is not stored here.
 */
export interface SnapshotBrowser {
  /** One window of a directory. */
  list(request: BrowseRequest, window: PageRequest): Promise<SnapshotListing>;
  /**
   * One file, which the caller reads to its end or destroys. `sha256` (hex) if it is cheap to determine before.
   * Throws `not_a_file`.
   */
  read(
    request: BrowseRequest,
  ): Promise<{ readonly size: number; readonly sha256: string | null; readonly content: Readable }>;
}
