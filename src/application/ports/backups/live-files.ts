import type { EntryFacts } from '../../../domain/files/directory-entry.ts';
import type { RemoteHost } from '../fleet/remote-host.ts';

/** Names and facts of this many paths stay below the limits of a command. */
export const MAX_LIVE_PATHS = 500;

/** Files of a host as they are now, with the rights of a backup. Throws as `RemoteHost` does. */
export interface LiveFiles {
  /**
   * The entry at each absolute path (bytes), of a link itself; `null` for a missing or unreadable one. Times are whole
   * seconds. At most `MAX_LIVE_PATHS` paths.
   */
  facts(
    host: RemoteHost,
    paths: readonly Uint8Array[],
    signal: AbortSignal,
  ): Promise<readonly (EntryFacts | null)[]>;
  /**
   * A regular file of at most `most` bytes, whole. Throws `file_not_found`, `not_a_file`, `file_too_large`, and
   * `path_refused` if a link is in its path.
   */
  read(host: RemoteHost, path: string, most: number, signal: AbortSignal): Promise<Uint8Array>;
}
