import type { Instant } from '../base/instant.ts';

/** `other`: a FIFO, a socket or a device; nothing ever opens one. */
export type EntryKind = 'file' | 'dir' | 'link' | 'other';

/** An entry of a directory listing, besides its name. */
export interface EntryFacts {
  readonly kind: EntryKind;
  /** In bytes; for anything but a file the file system's own figure. */
  readonly size: number;
  readonly modifiedAt: Instant;
}
