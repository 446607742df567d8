import { count } from '../../../domain/base/count.ts';
import { DomainError, InvalidInput } from '../../../domain/base/errors.ts';
import { formatBytes } from '../../../domain/base/format-bytes.ts';

/** Throws `invalid_input` for a directory that cannot be, and `restore_target_not_empty` for the root unless `overwrite`. */
export function assertDirectory(directory: string, overwrite: boolean): void {
  const parts = directory.split('/');
  const isPlain = directory.startsWith('/') && !directory.includes('\0') && !parts.includes('..');
  if (!isPlain) {
    throw new InvalidInput([
      { path: '/directory', message: 'Enter an absolute directory without ".." parts.' },
    ]);
  }
  if (parts.every((part) => part === '' || part === '.') && !overwrite) {
    throw new DomainError(
      'restore_target_not_empty',
      'This would restore everything to its original location: allow overwriting, or choose a directory.',
    );
  }
}

const BLOCK_BYTES = 4_096;

/**
 * Throws `disk_full` if files would not fit into an empty directory. Replaced files are not counted: their current
 * size is known only afterwards.
 */
export function assertRoom(
  directory: string,
  freeBytes: number | null,
  need: { readonly bytes: number; readonly entries: number },
): void {
  const bytes = need.bytes + need.entries * BLOCK_BYTES;
  if (freeBytes === null || bytes <= freeBytes) return;
  throw new DomainError(
    'disk_full',
    `The disk of "${directory}" on the host has ${formatBytes(freeBytes)} free, and this restore needs ${formatBytes(bytes)}: free some space there, or restore a part of it. Nothing was written.`,
  );
}

/** How a restore ended, for its log. */
export const restoredText = (
  name: string,
  directory: string,
  { files, bytes }: { readonly files: number; readonly bytes: number },
): string =>
  `Restored snapshot ${name} to "${directory}": ${count(files, 'file')}, ${formatBytes(bytes)}, all match the manifest.`;
