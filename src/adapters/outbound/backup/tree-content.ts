import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { RemoteHost } from '../../../application/ports/fleet/remote-host.ts';
import type { ByteString } from './byte-string.ts';
import type { Planned } from './comparison.ts';
import { ContentSum } from './host-fetch.ts';
import type { Surveyed } from './surveyed.ts';
import type { DataPiece, ReadMember, TarReader } from './tar-reader.ts';
import { memberOf, type TreeWriter } from './tree-writer.ts';

const ZEROS = Buffer.alloc(64 * 1024);

export interface Written {
  readonly sha256: string;
  /** Of the file. */
  readonly size: number;
  /** Received from the host. */
  readonly literal: number;
}

/** Passes a member's content on to the store, and hashes it on its way. */
export async function writeMember(
  writer: TreeWriter,
  { entry }: Planned,
  member: ReadMember,
  reader: TarReader,
  { signal, onBytes }: { readonly signal: AbortSignal; readonly onBytes: (bytes: number) => void },
): Promise<Written> {
  const sum = new ContentSum();
  let literal = 0;
  const pass = async (): Promise<number> => {
    const piece = await reader.content();
    if (piece.length === 0) return 0;
    literal += piece.length;
    onBytes(literal);
    sum.update(piece);
    const pending = writer.write(piece);
    if (pending) await pending;
    return piece.length;
  };
  const { pieces, size, records } = member;
  const base = memberOf(entry, 'file');
  if (!pieces) {
    await writer.header({ ...base, size, records: known(writer, records) });
    for (let left = size; left > 0; ) left -= await pass();
    await writer.padding(size);
    return { sha256: sum.digest(), size, literal };
  }
  const map = writer.isExact ? mapOf(pieces) : null;
  const stored = map ? map.length + pieces.reduce((all, { length }) => all + length, 0) : size;
  const holes = map ? holeRecords(entry.path, size) : [];
  await writer.header({ ...base, size: stored, records: new Map([...known(writer, records), ...holes]) });
  if (map) await writer.write(map);
  const fill = map ? undefined : (zeros: Buffer): void | Promise<void> => writer.write(zeros);
  let at = 0;
  for (const { offset, length } of pieces) {
    await sum.hole(offset - at, signal, fill);
    for (let left = length; left > 0; ) left -= await passUpTo(reader, left, pass);
    at = offset + length;
  }
  await sum.hole(size - at, signal, fill);
  await writer.padding(stored);
  return { sha256: sum.digest(), size, literal };
}

/** The sparse map gives the size, so a piece may end in the middle of what was read. */
async function passUpTo(reader: TarReader, left: number, pass: () => Promise<number>): Promise<number> {
  reader.limit(left);
  return pass();
}

/** Only a tar that knows them gets them. */
const known = (writer: TreeWriter, records: ReadonlyMap<string, Buffer>): ReadonlyMap<string, Buffer> =>
  writer.isExact ? records : new Map();

function mapOf(pieces: readonly DataPiece[]): Buffer {
  const text = [pieces.length, ...pieces.flatMap(({ offset, length }) => [offset, length])].join('\n');
  const map = Buffer.from(`${text}\n`);
  return Buffer.concat([map, Buffer.alloc((512 - (map.length % 512)) % 512)]);
}

function holeRecords(path: ByteString, size: number): Array<readonly [string, Buffer]> {
  return [
    ['GNU.sparse.major', Buffer.from('1')],
    ['GNU.sparse.minor', Buffer.from('0')],
    ['GNU.sparse.name', Buffer.from(`./${path}`, 'latin1')],
    ['GNU.sparse.realsize', Buffer.from(String(size))],
  ];
}

/** Writes a file from bytes already received, and the rest of the stream. */
export async function writeFrom(
  writer: TreeWriter,
  entry: Surveyed,
  here: { readonly place: Buffer; readonly bytes: number },
  size: number,
  options: { readonly records?: ReadonlyMap<string, Buffer>; readonly rest?: AsyncIterable<Buffer> },
): Promise<Written & { readonly isShort: boolean }> {
  const hash = createHash('sha256');
  await writer.header({
    ...memberOf(entry, 'file'),
    size,
    records: known(writer, options.records ?? new Map()),
  });
  let left = size;
  let literal = 0;
  const pass = async (chunk: Buffer, isLiteral: boolean): Promise<void> => {
    const piece = chunk.subarray(0, left);
    left -= piece.length;
    if (isLiteral) literal += piece.length;
    hash.update(piece);
    await writer.write(piece);
  };
  if (here.bytes > 0) {
    const stream = createReadStream(here.place, { end: here.bytes - 1, highWaterMark: 256 * 1024 });
    for await (const chunk of stream as AsyncIterable<Buffer>) await pass(chunk, false);
  }
  for await (const chunk of options.rest ?? []) await pass(chunk, true);
  // a file that has shrunk meanwhile, or cannot be read
  const short = left;
  for (let at = 0; at < short; at += ZEROS.length) await pass(ZEROS, false);
  await writer.padding(size);
  return { sha256: hash.digest('hex'), size, literal, isShort: short > 0 };
}

/** Major and minor numbers of devices, which no listing has; in order, `null` if the host does not report them. */
export async function deviceNumbers(
  host: RemoteHost,
  paths: readonly ByteString[],
  signal: AbortSignal,
): Promise<readonly ({ readonly major: number; readonly minor: number } | null)[]> {
  const script = `exec xargs -0 sh -c 'for path do stat -c "%t %T" -- "$path" 2>/dev/null || echo -; done' drover`;
  const stdin = Buffer.from(paths.map((path) => `/${path}\0`).join(''), 'latin1');
  const { stdout } = await host.run(
    { script, stdin, asRoot: true },
    { signal, timeoutMs: 120_000, maxOutputBytes: 4_000_000 },
  );
  const lines = stdout.toString('latin1').split('\n');
  return paths.map((_, index) => {
    const found = /^([0-9a-f]{1,8}) ([0-9a-f]{1,8})$/.exec(lines[index] ?? '');
    return found
      ? { major: Number.parseInt(found[1] ?? '', 16), minor: Number.parseInt(found[2] ?? '', 16) }
      : null;
  });
}
