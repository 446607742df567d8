import { createReadStream, createWriteStream } from 'node:fs';
import { link, open, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { createGunzip, createGzip } from 'node:zlib';
import type { Encrypter } from 'age-encryption';
import { DomainError, isDomainError } from '../../../../domain/base/errors.ts';
import { closedBy, type Key, type Lock, openedBy } from './lock.ts';

/** The package uses the browsers' stream type; Node's differs in types alone. */
type AgeStream = Parameters<Encrypter['encrypt']>[0];

/**
 * Writes JSON values into a new file: a line each, packed by gzip, encrypted as age has it. The file appears under its name
 * once it is whole and on the disk; one that is there is not replaced (`file_exists`).
 */
export async function writeArchive(
  path: string,
  lock: Lock,
  values: AsyncIterable<unknown>,
  work?: number,
): Promise<void> {
  const encrypter = closedBy(lock, work);
  const draft = `${resolve(path)}.${process.pid}.part`;
  try {
    const packed = createGzip();
    const filling = pipeline(Readable.from(toLines(values)), packed);
    const encrypted = await encrypter.encrypt(Readable.toWeb(packed) as unknown as AgeStream);
    const file = createWriteStream(draft, { mode: 0o600, flags: 'wx' });
    await Promise.all([filling, pipeline(Readable.fromWeb(encrypted as ReadableStream), file)]);
    await synced(draft);
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      throw new DomainError('file_exists', `${path} already exists; a backup never replaces a file.`);
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * The values as a stream. Throws `backup_unreadable`: if the key does not fit, at the first value; if the file is
 * truncated or changed, at that place at the latest, and never after its end.
 */
export async function* readArchive(path: string, key: Key): AsyncGenerator {
  const source = createReadStream(path);
  try {
    const opened = await openedBy(key)
      .decrypt(Readable.toWeb(source) as unknown as AgeStream)
      .catch((error: unknown) => {
        throw unopened(path, key, error);
      });
    const packed = Readable.fromWeb(opened as ReadableStream);
    const plain = packed.pipe(createGunzip());
    packed.once('error', (error) => plain.destroy(error));
    yield* fromLines(plain);
  } catch (error) {
    throw isDomainError(error) ? error : damaged(path, error);
  } finally {
    source.destroy();
  }
}

function unopened(path: string, key: Key, error: unknown): DomainError {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return new DomainError('file_not_found', `There is no file ${path}.`);
  if (code !== undefined) return new DomainError('backup_unreadable', `${path} cannot be read (${code}).`);
  if (!/no identity matched|passphrase/i.test(String(error))) return damaged(path, error);
  const what = key.kind === 'passphrase' ? 'The passphrase' : 'The key';
  return new DomainError('backup_unreadable', `${what} is wrong for ${path}.`, { cause: error });
}

const damaged = (path: string, cause: unknown): DomainError =>
  new DomainError(
    'backup_unreadable',
    `${path} is damaged, truncated, or not a backup of Drover. Do not trust its content.`,
    { cause },
  );

async function synced(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A row with a result of 16 MB is well below. */
const MAX_LINE_LENGTH = 64 * 1024 * 1024;
const CHUNK = 64 * 1024;

/** JSON values, one per line, in chunks. */
async function* toLines(values: AsyncIterable<unknown>): AsyncGenerator<Buffer> {
  let text = '';
  for await (const value of values) {
    text += `${JSON.stringify(value)}\n`;
    if (text.length < CHUNK) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text !== '') yield Buffer.from(text);
}

/** The values again. Throws if a line is invalid JSON, too long, or truncated. */
async function* fromLines(pieces: AsyncIterable<Uint8Array>): AsyncGenerator {
  let rest: Buffer[] = [];
  let length = 0;
  for await (const piece of pieces) {
    let from = 0;
    for (let end = piece.indexOf(10); end >= 0; end = piece.indexOf(10, from)) {
      yield JSON.parse(Buffer.concat([...rest, piece.subarray(from, end)]).toString('utf8'));
      rest = [];
      length = 0;
      from = end + 1;
    }
    const left = piece.subarray(from);
    length += left.length;
    if (length > MAX_LINE_LENGTH) throw new RangeError('a line is too long');
    if (left.length > 0) rest.push(Buffer.from(left));
  }
  if (length > 0) throw new SyntaxError('the last line is cut');
}
