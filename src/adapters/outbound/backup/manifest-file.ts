import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { DomainError } from '../../../domain/base/errors.ts';
import { type ByteString, bytesOfText, compareWalkOrder } from './byte-string.ts';
import { LineFile } from './line-file.ts';
import { decodeEntry, encodeEntry, type ManifestEntry } from './manifest-entry.ts';
import { createFile, isErrno, openToRead } from './store-directory.ts';

const READ_BYTES = 256 * 1024;
/** Path and target may take 4,096 bytes each, and each byte six in JSON. */
const MAX_LINE_LENGTH = 64 * 1024;

/** Writes a manifest: a JSON line for each path, in walk order. */
export class ManifestWriter {
  readonly #hash = createHash('sha256');
  readonly #lines: LineFile;

  private constructor(file: FileHandle) {
    this.#lines = new LineFile(file, (chunk) => this.#hash.update(chunk));
  }

  static async create(path: string): Promise<ManifestWriter> {
    return new ManifestWriter(await createFile(path));
  }

  /**
   * Await what it returns before you add more. `sha256`: of a file, if its entry does not have it. An object spread for each
   * would leave a hidden class for each behind.
   */
  add(entry: ManifestEntry, sha256 = entry.sha256): void | Promise<void> {
    return this.addLine(bytesOfText(encodeEntry(entry, sha256)));
  }

  /** An entry as another manifest has it. */
  addLine(line: ByteString): void | Promise<void> {
    return this.#lines.add(line);
  }

  /** The SHA-256 of the whole file, hex. It is not flushed to disk: that is done when the snapshot is published. */
  async finish(): Promise<string> {
    await this.#lines.finish();
    return this.#hash.digest('hex');
  }

  /** Closes a file that is given up. */
  abandon(): Promise<void> {
    return this.#lines.abandon();
  }
}

/**
 * The entries of a manifest, one after another. Throws `snapshot_damaged` if it is missing, invalid, out of order, or
 * (at its end) does not have the expected SHA-256.
 */
export async function* readManifest(
  path: string,
  expectedSha256?: string,
): AsyncGenerator<ManifestEntry, void, undefined> {
  const file = await openToRead(path).catch((error: unknown) => {
    throw isErrno(error, 'ENOENT', 'ELOOP') ? damaged(path, 'is missing', error) : error;
  });
  const buffer = Buffer.allocUnsafe(READ_BYTES);
  const hash = createHash('sha256');
  let previous: ManifestEntry | undefined;
  let rest: Buffer = Buffer.alloc(0);
  try {
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, READ_BYTES, null);
      if (bytesRead === 0) break;
      const chunk = buffer.subarray(0, bytesRead);
      hash.update(chunk);
      const { lines, left } = splitLines(rest, chunk);
      rest = left;
      if (rest.length > MAX_LINE_LENGTH) throw damaged(path, 'has an unterminated line');
      for (const line of lines) {
        const entry = parse(path, line);
        if (previous && compareWalkOrder(previous.path, entry.path) >= 0) {
          throw damaged(path, 'is not in order');
        }
        previous = entry;
        yield entry;
      }
    }
    if (rest.length > 0) throw damaged(path, 'ends in the middle of a line');
    if (expectedSha256 !== undefined && hash.digest('hex') !== expectedSha256) {
      throw damaged(path, 'is not the one that was written with the snapshot');
    }
  } finally {
    await file.close();
  }
}

function splitLines(rest: Buffer, chunk: Buffer): { lines: string[]; left: Buffer } {
  const last = chunk.lastIndexOf(0x0a);
  if (last < 0) return { lines: [], left: Buffer.concat([rest, chunk]) };
  const text = Buffer.concat([rest, chunk.subarray(0, last)]).toString('utf8');
  return { lines: text.split('\n'), left: Buffer.from(chunk.subarray(last + 1)) };
}

function parse(path: string, line: string): ManifestEntry {
  try {
    return decodeEntry(line);
  } catch (error) {
    throw damaged(path, 'has an invalid line', error);
  }
}

const damaged = (path: string, how: string, cause?: unknown): DomainError =>
  new DomainError('snapshot_damaged', `The manifest "${path}" ${how}.`, cause === undefined ? {} : { cause });
