import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { DomainError } from '../../../domain/base/errors.ts';
import { type ByteString, bytesOfText, compareWalkOrder } from './byte-string.ts';
import { decodeEntry, encodeEntry, type ManifestEntry } from './manifest-entry.ts';
import { createFile, isErrno, openToRead } from './store-directory.ts';

const WRITE_BYTES = 256 * 1024;
const READ_BYTES = 256 * 1024;
/** Path and target may take 4,096 bytes each, and each byte six in JSON. */
const MAX_LINE_LENGTH = 64 * 1024;

/** Writes a manifest: a JSON line for each path, in walk order. */
export class ManifestWriter {
  readonly #file: FileHandle;
  readonly #hash = createHash('sha256');
  #lines: ByteString[] = [];
  #bytes = 0;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  static async create(path: string): Promise<ManifestWriter> {
    return new ManifestWriter(await createFile(path));
  }

  add(entry: ManifestEntry): void | Promise<void> {
    return this.addLine(bytesOfText(encodeEntry(entry)));
  }

  /** An entry as another manifest has it. */
  addLine(line: ByteString): void | Promise<void> {
    this.#lines.push(line);
    this.#bytes += line.length + 1;
    if (this.#bytes >= WRITE_BYTES) return this.#flush();
  }

  /** The SHA-256 of the whole file, hex. It is not flushed to disk: that is done when the snapshot is published. */
  async finish(): Promise<string> {
    await this.#flush();
    await this.#file.close();
    return this.#hash.digest('hex');
  }

  /** Closes a file that is given up. */
  async abandon(): Promise<void> {
    await this.#file.close().catch(() => undefined);
  }

  async #flush(): Promise<void> {
    this.#lines.push('' as ByteString);
    const chunk = Buffer.from(this.#lines.join('\n'), 'latin1');
    this.#lines = [];
    this.#bytes = 0;
    this.#hash.update(chunk);
    await this.#file.appendFile(chunk);
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
      if (rest.length > MAX_LINE_LENGTH) throw damaged(path, 'has a line without end');
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
    throw damaged(path, 'has a line that is no entry', error);
  }
}

const damaged = (path: string, how: string, cause?: unknown): DomainError =>
  new DomainError('snapshot_damaged', `The manifest "${path}" ${how}.`, cause === undefined ? {} : { cause });
