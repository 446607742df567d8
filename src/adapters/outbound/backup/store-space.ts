import { statfs } from 'node:fs/promises';
import { DomainError } from '../../../domain/base/errors.ts';
import { formatBytes } from '../../../domain/base/format-bytes.ts';
import { isErrno } from './store-directory.ts';

const MIB = 1024 * 1024;

/** What a backup leaves free on the store's file system. */
export interface Reserve {
  readonly bytes: number;
  readonly inodes: number;
}

export interface Space {
  readonly bytes: number;
  /** Infinite if the file system creates inodes on demand. */
  readonly inodes: number;
}

/** 1 % of the file system, from 64 MiB to 1 GiB, and a thousand inodes. */
const reserveOf = (totalBytes: number): Reserve => ({
  bytes: Math.min(Math.max(totalBytes / 100, 64 * MIB), 1024 * MIB),
  inodes: 1_000,
});

/** How much a backup may still write below `root`. Zero or less means that the reserve is in use. */
export async function freeSpace(root: string, reserve?: Reserve): Promise<Space> {
  const { bsize, blocks, bavail, files, ffree } = await statfs(root);
  const kept = reserve ?? reserveOf(blocks * bsize);
  return {
    bytes: bavail * bsize - kept.bytes,
    inodes: files === 0 ? Number.POSITIVE_INFINITY : ffree - kept.inodes,
  };
}

/** What a transfer adds to the store: content, and a block for each new inode. */
export interface Need {
  readonly bytes: number;
  readonly inodes: number;
}

const BLOCK_BYTES = 4_096;

export const bytesNeeded = (need: Need): number => need.bytes + need.inodes * BLOCK_BYTES;

/** `null` when it fits. */
export function shortage(need: Need, free: Space): DomainError | null {
  if (bytesNeeded(need) > free.bytes) {
    return new DomainError(
      'disk_full',
      `The backup store has ${formatBytes(Math.max(0, free.bytes))} free for backups (a reserve is kept), and this backup needs ${formatBytes(bytesNeeded(need))}: free some space there or let retention remove snapshots.`,
    );
  }
  if (need.inodes > free.inodes) {
    return new DomainError(
      'disk_full',
      `The backup store has ${Math.max(0, free.inodes)} inodes left for backups, and this one needs ${need.inodes}: remove files or snapshots there.`,
    );
  }
  return null;
}

export const storeIsFull = (cause?: unknown): DomainError =>
  new DomainError(
    'disk_full',
    'The backup store became full during the backup: free some space there or let retention remove snapshots. The partial transfer is kept for the next run.',
    cause === undefined ? {} : { cause },
  );

/** Reports a full disk or quota as `disk_full`. */
export const asStoreError = (error: unknown): unknown =>
  isErrno(error, 'ENOSPC', 'EDQUOT') ? storeIsFull(error) : error;

const LOOK_EVERY_MS = 1_000;

/** Aborts `ending` with `disk_full` as soon as the reserve is touched, until `stop` is called. */
export function watchSpace(root: string, ending: AbortController, reserve?: Reserve): { stop: () => void } {
  const timer = setInterval(() => {
    freeSpace(root, reserve)
      .then((free) => {
        if (free.bytes <= 0 || free.inodes <= 0) ending.abort(storeIsFull());
      })
      // errors of an unreadable store show when it is written to
      .catch(() => undefined);
  }, LOOK_EVERY_MS);
  return { stop: () => clearInterval(timer) };
}
