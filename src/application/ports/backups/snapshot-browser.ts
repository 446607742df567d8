import type { Readable } from 'node:stream';
import type { Snapshot } from '../../../domain/backups/snapshot.ts';
import type { PageRequest } from '../../../domain/base/page.ts';
import type { JailPath } from '../../../domain/files/jail-path.ts';
import type { JailEntry } from '../files/jail-fs.ts';
import type { RemoteHost } from '../fleet/remote-host.ts';

/** A place in a snapshot: the names are those of the host, from its root on. */
export interface BrowseRequest {
  readonly snapshot: Snapshot;
  readonly path: JailPath;
  /** Connects to the server that the snapshot is of; whoever gives it releases the host. */
  readonly origin: () => Promise<RemoteHost>;
  /** Ends what is under way when aborted. */
  readonly signal: AbortSignal;
}

export interface SnapshotListing {
  /** By name, byte by byte. A name that is no UTF-8 may be garbled; then no path leads to it. */
  readonly entries: readonly JailEntry[];
  /** How many entries the directory has; of one with more than `MAX_BROWSED`, that many. */
  readonly total: number;
}

/** Of a larger directory only so many entries can be looked at. */
export const MAX_BROWSED = 20_000;

/**
 * Looks into snapshots without giving anything back. Nothing outside of a snapshot is ever looked at, and no symbolic link
 * in one is followed. Throws `file_not_found`, `not_a_directory`, `path_refused` where a link is on the way,
 * `snapshot_damaged` where it is gone, and as connecting does where the snapshot is not kept here.
 */
export interface SnapshotBrowser {
  /** One window of a directory. */
  list(request: BrowseRequest, window: PageRequest): Promise<SnapshotListing>;
  /**
   * One file, which the caller reads to its end or destroys. `sha256` (hex) where it is cheap to tell before. Throws
   * `not_a_file`.
   */
  read(
    request: BrowseRequest,
  ): Promise<{ readonly size: number; readonly sha256: string | null; readonly content: Readable }>;
}
