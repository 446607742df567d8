import type { Instant } from '../base/instant.ts';

/** `other`: a FIFO, a socket or a device; nothing ever opens one. */
export type EntryKind = 'file' | 'dir' | 'link' | 'other';

/** What a list says of a file or directory, besides its name. */
export interface EntryFacts {
  readonly kind: EntryKind;
  /** In bytes; of anything but a file what its file system says. */
  readonly size: number;
  readonly modifiedAt: Instant;
}
