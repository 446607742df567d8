import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, rename } from 'node:fs/promises';

/** Only the service can read the store: it holds files that only root could read on the hosts. */
export const PRIVATE_DIRECTORY = 0o700;
export const PRIVATE_FILE = 0o600;

export const isErrno = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && codes.includes(error.code);

export async function makeDirectory(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: PRIVATE_DIRECTORY });
}

/** Opens a file to read it; a symbolic link in its place is refused (ELOOP), a pipe does not block. */
export const openToRead = (path: string | Buffer): Promise<FileHandle> =>
  open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);

/** Makes a new file; whatever has the name already is refused (EEXIST). */
export const createFile = (path: string): Promise<FileHandle> =>
  open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, PRIVATE_FILE);

/** Renames, and makes sure that a power failure does not take the rename back. */
export async function renameDurably(from: string, to: string, parent: string): Promise<void> {
  await rename(from, to);
  const directory = await open(parent, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
