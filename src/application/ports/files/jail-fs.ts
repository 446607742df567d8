import type { Readable } from 'node:stream';
import type { EntryFacts } from '../../../domain/files/directory-entry.ts';
import type { JailPath } from '../../../domain/files/jail-path.ts';
import type { HostAccess } from '../fleet/remote-host.ts';

export interface JailEntry extends EntryFacts {
  /** As on the host: bytes, since a name need not be UTF-8. */
  readonly name: Uint8Array;
}

export interface JailListing {
  /** By name, byte by byte. */
  readonly entries: readonly JailEntry[];
  /** There are more. */
  readonly truncated: boolean;
}

/** Something below a directory, however deep. */
export interface TreeEntry extends EntryFacts {
  /** The names that lead there from the directory, as bytes. */
  readonly names: readonly Uint8Array[];
  /** Permissions, with set-id and sticky bits. */
  readonly mode: number;
  /** The target of a link; `null` for everything else. */
  readonly target: Uint8Array | null;
}

export interface Tree {
  /** A directory comes before its contents. */
  readonly entries: readonly TreeEntry[];
  /**
   * There are more entries than the limit, or a part could not be read: permissions, another file system, too deep.
   */
  readonly partial: boolean;
}

/** Limits for reading below one directory: entries, and depth. */
export const MAX_IN_TREE = 10_000;
export const DEEPEST_TREE = 100;

/** A file's content at one moment. */
export interface FileVersion {
  readonly size: number;
  /** 64 lower-case hex digits; `null` for a file too large to be hashed on the way. */
  readonly sha256: string | null;
}

export interface WriteOptions {
  /** The precondition for replacing a file: `any` file or none, nothing (`absent`), or a file with this SHA-256. */
  readonly expect: 'any' | 'absent' | { readonly sha256: string };
  /** The most that is taken, in bytes; with more of it nothing is written. */
  readonly most: number;
}

export interface WriteResult {
  readonly size: number;
  readonly sha256: string;
  /** The replaced file. */
  readonly before: FileVersion | null;
}

/**
 * The files below one directory of a host, and nothing else of that host, even under concurrent changes.
 * Follows no symbolic link anywhere in a path, and creates none. Opens only regular files, and only those without a
 *  second name (hard link), which could be outside. Everything runs as the login account, never as root through sudo.
 * In addition to the errors of each method, throws: `path_refused` if the path contains a link or the directory was
 *  moved away, `file_not_found` if a part is missing, `not_a_directory`, `jail_unusable` if the file root is missing
 *  or not allowed, `host_permission_denied`, `disk_full`, `host_tool_missing`, `host_unsupported`,
 *  `host_command_failed`, and as `RemoteHost` does.
 */
export interface JailFs {
  /** At most `most` entries; of a directory with more, which ones is not said. */
  list(directory: JailPath, most: number): Promise<JailListing>;
  /** Of a link itself, not of its target. */
  stat(path: JailPath): Promise<EntryFacts>;
  /** At most `length` bytes from `offset` on. Throws `not_a_file`, `path_refused`. */
  read(
    path: JailPath,
    range: { readonly offset: number; readonly length: number },
  ): Promise<{ readonly bytes: Uint8Array; readonly size: number }>;
  /**
   * Hashes a whole file, then streams it. The stream fails, without its last bytes, if the content differs from the
   * hashed one. It holds the file until it is read or destroyed. Throws as `read`, and `file_too_large` for one of
   * more than `most` bytes.
   */
  readStream(
    path: JailPath,
    most: number,
  ): Promise<{ readonly size: number; readonly sha256: string; readonly content: Readable }>;
  /**
   * Writes a whole file, replacing the previous one atomically: until then the previous one is intact, and stays so
   * if this fails at any point. Keeps the previous file's owner and permissions; a new file belongs to the account.
   * Removes leftovers of interrupted writes from the directory. Throws `changed_since_read` if the file differs from
   * `expect`, `file_exists` for `absent`, `not_a_file` if the name is not a file, `path_refused` if owner and
   * permissions cannot be kept, `file_too_large`, and what `content` throws.
   */
  write(path: JailPath, content: AsyncIterable<Uint8Array>, options: WriteOptions): Promise<WriteResult>;
  /** Throws `file_exists`. */
  makeDirectory(path: JailPath): Promise<void>;
  /** Gives an entry another name in the same directory; never one that is taken (`file_exists`). */
  rename(path: JailPath, name: string): Promise<void>;
  /** Removes a file, a link or an empty directory; returns its kind. Throws `directory_not_empty`, `not_a_file`. */
  remove(path: JailPath): Promise<EntryFacts>;
  /** Everything below a directory, `most` entries at the most: no link is followed, no other file system entered. */
  tree(directory: JailPath, most: number): Promise<Tree>;
  /**
   * Removes a directory with all contents; links are removed, never their targets. Throws if a part cannot be
   * removed; what it removed before that is lost. Refuses other file systems below it, in advance or when it meets
   * them.
   */
  removeTree(directory: JailPath): Promise<void>;
  /** The permissions of an entry itself, with set-id and sticky bits. */
  mode(path: JailPath): Promise<number>;
  /**
   * Sets the permissions (0 to 0o777) of a regular file with one name, or of a directory, whose set-id and sticky
   * bits stay; returns the previous ones. Throws `not_a_file` for anything else, `path_refused` for files with a
   * second name or set-id bits.
   */
  changeMode(path: JailPath, mode: number): Promise<number>;
  /**
   * Removes leftovers of interrupted writes from a directory: only files with their names that belong to the account,
   * whose writer is dead or which were not modified for ten minutes. Returns how many still have a writer.
   */
  sweep(directory: JailPath): Promise<number>;
  /** Closes the host. Running streams continue. */
  close(): void;
}

export interface JailOptions {
  /** Aborts running work. */
  readonly signal?: AbortSignal;
  /** As of `RemoteHosts.connect`. */
  readonly purpose?: 'commands' | 'bulk';
  /**
   * The root directory is not allowed as a file root, unless the caller explicitly asks for it: for read-only access
   * by users.
   */
  readonly wholeHost?: true;
}

export interface JailFileSystems {
  /** `directory`: a file root from `jailDirectory`, or `/` with `wholeHost`. Throws as `RemoteHosts.connect`. */
  open(access: HostAccess, directory: string, options?: JailOptions): Promise<JailFs>;
}
