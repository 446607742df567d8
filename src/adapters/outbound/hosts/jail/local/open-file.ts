import { createHash } from 'node:crypto';
import { read, type Stats } from 'node:fs';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import type { JailPath } from '../../../../../domain/files/jail-path.ts';
import { asHashed } from '../as-hashed.ts';
import { linkOnTheWay, notAFile, severalNames, tooLarge } from '../refusals.ts';
import type { Descriptor } from './descriptor.ts';
import { assertNotKeptOut, type KeptOut } from './kept-out.ts';

const readAt = promisify(read);
const CHUNK_BYTES = 256 * 1024;

/** Throws where something is not a regular file with one name. */
export function assertPlainFile(stats: Stats, path: JailPath): void {
  if (stats.isSymbolicLink()) throw linkOnTheWay(path);
  if (stats.isDirectory()) throw notAFile(path, 'a directory');
  if (!stats.isFile()) throw notAFile(path, 'a FIFO, a socket or a device');
  if (stats.nlink > 1) throw severalNames(path);
}

/** Opens a regular file for reading; it stays open between check and use. */
export function openFile(place: Descriptor, name: string, path: JailPath, kept: KeptOut): Descriptor {
  const entry = place.entry(name);
  try {
    assertNotKeptOut(kept, entry, path);
    assertPlainFile(entry.stat(), path);
    return entry.readable();
  } finally {
    entry.close();
  }
}

export async function readRange(
  file: Descriptor,
  { offset, length }: { readonly offset: number; readonly length: number },
): Promise<{ readonly bytes: Uint8Array; readonly size: number }> {
  const { size } = file.stat();
  const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(length, size - offset)));
  let filled = 0;
  while (filled < bytes.length) {
    const { bytesRead } = await readAt(file.fd, bytes, filled, bytes.length - filled, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return { bytes: bytes.subarray(0, filled), size };
}

/** The hash of the first `size` bytes. */
export async function hashFile(file: Descriptor, size: number, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  const chunk = Buffer.allocUnsafe(Math.min(size, CHUNK_BYTES));
  for (let at = 0; at < size; ) {
    signal?.throwIfAborted();
    const { bytesRead } = await readAt(file.fd, chunk, 0, Math.min(chunk.length, size - at), at);
    if (bytesRead === 0) break;
    hash.update(chunk.subarray(0, bytesRead));
    at += bytesRead;
  }
  return hash.digest('hex');
}

/** Takes the file over: it is closed with the stream, or before an error. */
export async function hashedStream(
  file: Descriptor,
  path: JailPath,
  most: number,
  signal?: AbortSignal,
): Promise<{ readonly size: number; readonly sha256: string; readonly content: Readable }> {
  try {
    const { size } = file.stat();
    if (size > most) throw tooLarge(path, most);
    const sha256 = await hashFile(file, size, signal);
    const source = contentOf(file, size);
    return { size, sha256, content: asHashed(source, { size, sha256 }, path, signal) };
  } catch (error) {
    file.close();
    throw error;
  }
}

/** The first `size` bytes; closes the file at the end, even if it is never read. */
export function contentOf(file: Descriptor, size: number): Readable {
  let at = 0;
  let reading: Promise<void> = Promise.resolve();
  return new Readable({
    highWaterMark: CHUNK_BYTES,
    read() {
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size - at));
      reading = readAt(file.fd, chunk, 0, chunk.length, at).then(
        ({ bytesRead }) => {
          at += bytesRead;
          this.push(bytesRead === 0 ? null : chunk.subarray(0, bytesRead));
        },
        (error: unknown) => void this.destroy(error instanceof Error ? error : new Error(String(error))),
      );
    },
    destroy(error, done) {
      // a descriptor that is closed while it is read from may be another's by then
      const close = (): void => {
        file.close();
        done(error);
      };
      // oxlint-disable-next-line promise/no-promise-in-callback -- there is no other way to wait here
      reading.then(close, close);
    },
  });
}
