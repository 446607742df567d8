import type { Readable } from 'node:stream';
import type { Instant } from '../../../domain/base/instant.ts';

/** Something that goes into an archive. */
export interface ArchiveEntry {
  /** Relative, with "/" between names; unique. */
  readonly path: string;
  readonly kind: 'file' | 'dir' | 'link';
  /** Permissions. */
  readonly mode: number;
  readonly modifiedAt: Instant;
  /** For a link its target; for a directory nothing. Read once, when its turn comes. */
  readonly content: AsyncIterable<Uint8Array>;
}

/** Limits of an archive: below these every reader supports the format. */
export const MAX_ARCHIVED_BYTES = 2 * 1024 * 1024 * 1024;
export const MAX_ARCHIVED_ENTRIES = 20_000;

/** Packs files into one, as they come: nothing is kept on a disk. */
export interface Archiver {
  /** The archive. Ends in the error of an entry that fails, and for more than the above. */
  zip(entries: AsyncIterable<ArchiveEntry>): Readable;
}
