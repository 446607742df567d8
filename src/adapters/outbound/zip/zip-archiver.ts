import { Readable } from 'node:stream';
import { crc32, createDeflateRaw } from 'node:zlib';
import { Zip, type ZipInputFile } from 'fflate';
import {
  type ArchiveEntry,
  type Archiver,
  MAX_ARCHIVED_BYTES,
  MAX_ARCHIVED_ENTRIES,
} from '../../../application/ports/files/archiver.ts';
import type { Instant } from '../../../domain/base/instant.ts';

/** As APPNOTE 6.3.10 numbers them: 4.4.2 and 4.4.5. */
const [UNIX, DEFLATED] = [3, 8];
/** From sys/stat.h. */
const TYPES = { file: 0o100_000, dir: 0o040_000, link: 0o120_000 } as const;
const DOS_DIRECTORY = 0x10;
/** What the format can express. */
const [EARLIEST, LATEST] = [Date.UTC(1980, 0, 1), Date.UTC(2099, 11, 31)];

/**
 * ZIP, each entry deflated by Node's own zlib as a stream, with its sizes after it. Links are links (as Info-ZIP stores
 * them), permissions those of Unix, times in UTC.
 */
export class ZipArchiver implements Archiver {
  zip(entries: AsyncIterable<ArchiveEntry>): Readable {
    return Readable.from(archive(entries), { objectMode: false });
  }
}

async function* archive(entries: AsyncIterable<ArchiveEntry>): AsyncGenerator<Uint8Array> {
  let [count, size] = [0, 0];
  let ready: Uint8Array[] = [];
  const zip = new Zip((error, piece) => {
    if (error) throw error;
    ready.push(piece);
    size += piece.length;
  });
  const taken = (): Uint8Array[] => {
    const pieces = ready;
    ready = [];
    return pieces;
  };
  for await (const entry of entries) {
    if (count === MAX_ARCHIVED_ENTRIES) throw new RangeError('too many entries for one archive');
    count += 1;
    const file = fileOf(entry);
    zip.add(file);
    for await (const piece of deflated(entry.content, file)) {
      file.ondata?.(null, piece, false);
      yield* taken();
    }
    file.ondata?.(null, new Uint8Array(), true);
    yield* taken();
    if (size > MAX_ARCHIVED_BYTES * 2) throw new RangeError('too much for one archive');
  }
  zip.end();
  yield* taken();
}

/** Size and checksum come with the content. */
const fileOf = ({ path, kind, mode, modifiedAt }: ArchiveEntry): ZipInputFile => ({
  filename: kind === 'dir' ? `${path}/` : path,
  os: UNIX,
  attrs: (TYPES[kind] | mode) * 0x10000 + (kind === 'dir' ? DOS_DIRECTORY : 0),
  compression: DEFLATED,
  mtime: timeOf(modifiedAt),
  size: 0,
  crc: 0,
});

/** The library writes local times. */
function timeOf(at: Instant): Date {
  const time = new Date(Math.min(Math.max(at, EARLIEST), LATEST));
  return new Date(
    time.getUTCFullYear(),
    time.getUTCMonth(),
    time.getUTCDate(),
    time.getUTCHours(),
    time.getUTCMinutes(),
    time.getUTCSeconds(),
  );
}

/** Fills in size and checksum as it goes. */
async function* deflated(
  content: AsyncIterable<Uint8Array>,
  file: Pick<ZipInputFile, 'crc' | 'size'>,
): AsyncGenerator<Buffer<ArrayBuffer>> {
  async function* summed(): AsyncGenerator<Uint8Array> {
    for await (const piece of content) {
      file.crc = crc32(piece, file.crc);
      file.size += piece.length;
      yield piece;
    }
  }
  const source = Readable.from(summed(), { objectMode: false });
  const deflate = createDeflateRaw();
  source.once('error', (error) => deflate.destroy(error));
  source.pipe(deflate);
  try {
    yield* deflate as AsyncIterable<Buffer<ArrayBuffer>>;
  } finally {
    source.destroy();
    deflate.destroy();
  }
}
