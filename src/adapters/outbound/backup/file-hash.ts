import { createHash } from 'node:crypto';
import { close, constants, open, read } from 'node:fs';
import { promisify } from 'node:util';
import { DomainError } from '../../../domain/base/errors.ts';
import { isErrno } from './store-directory.ts';

const openFile = promisify(open);
const readFrom = promisify(read);
const closeFile = promisify(close);
const TO_READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const CHUNK_BYTES = 256 * 1024;
/** Buffers for this many files are kept for reuse. */
const MAX_SPARE = 8;

const spare: Buffer[] = [];

/**
 * SHA-256, hex, of a regular file in the store. It must have this many bytes, and be a file and not a symbolic link
 * when it is opened. `onBytes` gets every chunk's size. Throws `snapshot_damaged` if the file has changed.
 */
export async function hashFile(
  path: Buffer,
  size: number,
  onBytes?: (bytes: number) => void,
  signal?: AbortSignal,
): Promise<string> {
  const hash = createHash('sha256');
  const fd = await openFile(path, TO_READ).catch((error: unknown) => {
    throw isErrno(error, 'ELOOP', 'ENXIO') ? changed(path) : error;
  });
  const buffer = spare.pop() ?? Buffer.allocUnsafeSlow(CHUNK_BYTES);
  let seen = 0;
  try {
    while (seen < size) {
      signal?.throwIfAborted();
      const { bytesRead } = await readFrom(fd, buffer, 0, CHUNK_BYTES, null);
      if (bytesRead === 0) break;
      hash.update(buffer.subarray(0, bytesRead));
      seen += bytesRead;
      onBytes?.(bytesRead);
    }
  } finally {
    if (spare.length < MAX_SPARE) spare.push(buffer);
    await closeFile(fd);
  }
  if (seen !== size) throw changed(path);
  return hash.digest('hex');
}

const changed = (path: Buffer): DomainError =>
  new DomainError('snapshot_damaged', `"${path.toString()}" in the backup store changed while it was read.`);
