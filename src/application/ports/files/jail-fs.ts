import type { Readable } from 'node:stream';
import type { EntryFacts } from '../../../domain/files/directory-entry.ts';
import type { JailPath } from '../../../domain/files/jail-path.ts';
import type { HostAccess } from '../fleet/remote-host.ts';

export interface JailEntry extends EntryFacts {
  /** As it is on the host: bytes, since a name need not be UTF-8. */
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
  /** Where a link points; `null` for everything else. */
  readonly target: Uint8Array | null;
}

export interface Tree {
  /** A directory before what is in it. */
  readonly entries: readonly TreeEntry[];
  /** There is more than was asked for, or a part could not be looked at: unreadable, another file system, very deep. */
  readonly partial: boolean;
}

/** What is looked at below one directory at once, and how deep. */
export const MAX_IN_TREE = 10_000;
export const DEEPEST_TREE = 100;

/** A file's content at one moment. */
export interface FileVersion {
  readonly size: number;
  /** 64 lower-case hex digits; `null` for a file too large to be hashed on the way. */
  readonly sha256: string | null;
}

export interface WriteOptions {
  /**
   * What must be there when the file is put in its place: `any` file or none, nothing (`absent`), or a file with this
   * SHA-256.
   */
  readonly expect: 'any' | 'absent' | { readonly sha256: string };
  /** The most that is taken, in bytes; with more of it nothing is written. */
  readonly most: number;
}

export interface WriteResult {
  readonly size: number;
  readonly sha256: string;
  /** What was replaced. */
  readonly before: FileVersion | null;
}

/**
 * The files below one directory of a host, and nothing else of that host, whoever changes what meanwhile.
 *
 * No symbolic link is followed, wherever it is in a path and wherever it leads, and none is made. Nothing but regular
 * files is opened, and these only where they have no second name (hard link), which could be outside. All of it is done
 * as the account that logs in, never as root by way of sudo.
 *
 * Throws, besides what each method names: `path_refused` where a link is on the way or the directory was moved away,
 * `file_not_found` where a part is missing, `not_a_directory` where it is no directory, `jail_unusable` where the jail is
 * missing or is a place that can be none, `host_permission_denied`, `disk_full`, `host_tool_missing`,
 * `host_unsupported`, `host_command_failed`, and as `RemoteHost` does.
 */
export interface JailFs {
  /** At most `most` entries; of a directory with more, which ones is not said. */
  list(directory: JailPath, most: number): Promise<JailListing>;
  /** Of a link itself, not of what it leads to. */
  stat(path: JailPath): Promise<EntryFacts>;
  /** At most `length` bytes from `offset` on. Throws `not_a_file`, `path_refused`. */
  read(
    path: JailPath,
    range: { readonly offset: number; readonly length: number },
  ): Promise<{ readonly bytes: Uint8Array; readonly size: number }>;
  /**
   * Hashes a whole file, then streams it. The stream ends in an error where it would carry anything else than what was
   * hashed; then its last bytes are missing. It holds the file until it is read or destroyed. Throws as `read`, and
   * `file_too_large` for one of more than `most` bytes.
   */
  readStream(
    path: JailPath,
    most: number,
  ): Promise<{ readonly size: number; readonly sha256: string; readonly content: Readable }>;
  /**
   * Puts a whole file in the place of a former one, or of none: until then the former one is whole, and stays so where
   * this fails at any point. Keeps owner and permissions of the former one; with no such file it belongs to the account.
   * What an earlier write that was cut off left in the directory is removed. Throws `changed_since_read` where it finds
   * something else than `expect`, `file_exists` for `absent`, `not_a_file` where something else has the name,
   * `path_refused` where owner and permissions cannot be kept, `file_too_large`, and whatever `content` throws.
   */
  write(path: JailPath, content: AsyncIterable<Uint8Array>, options: WriteOptions): Promise<WriteResult>;
  /** Throws `file_exists`. */
  makeDirectory(path: JailPath): Promise<void>;
  /** Gives an entry another name in the same directory; never one that is taken (`file_exists`). */
  rename(path: JailPath, name: string): Promise<void>;
  /** Removes a file, a link or an empty directory; returns what it was. Throws `directory_not_empty`, `not_a_file`. */
  remove(path: JailPath): Promise<EntryFacts>;
  /** Everything below a directory, `most` entries at the most: no link is followed, no other file system entered. */
  tree(directory: JailPath, most: number): Promise<Tree>;
  /**
   * Removes a directory with everything below it, links themselves and never what they lead to. Where a part cannot be
   * removed it throws, and what it removed before is gone. Refuses other file systems below it, before or when it meets them.
   */
  removeTree(directory: JailPath): Promise<void>;
  /** The permissions of an entry itself, with set-id and sticky bits. */
  mode(path: JailPath): Promise<number>;
  /**
   * Sets the permissions (0 to 0o777) of a regular file with one name, or of a directory, whose set-id and sticky bits stay;
   * returns what they were. Throws `not_a_file` for anything else, `path_refused` for files with a second name or set-id bits.
   */
  changeMode(path: JailPath, mode: number): Promise<number>;
  /**
   * Removes what writes that were cut off left in a directory: files of their names alone that belong to the account,
   * whose writer is gone or which nobody touched for ten minutes. Returns how many were left to a writer.
   */
  sweep(directory: JailPath): Promise<number>;
  /** Gives the host back. Streams under way go on. */
  close(): void;
}

export interface JailOptions {
  /** Ends what is under way when aborted. */
  readonly signal?: AbortSignal;
  /** As of `RemoteHosts.connect`. */
  readonly purpose?: 'commands' | 'bulk';
  /** The root directory is no jail, unless whoever opens it says that it is meant: for looking, by people alone. */
  readonly wholeHost?: true;
}

export interface JailFileSystems {
  /** `directory`: a jail as `jailDirectory` gives it, or `/` with `wholeHost`. Throws as `RemoteHosts.connect`. */
  open(access: HostAccess, directory: string, options?: JailOptions): Promise<JailFs>;
}
