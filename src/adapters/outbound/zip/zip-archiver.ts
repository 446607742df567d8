import { Readable } from 'node:stream';
import { crc32, createDeflateRaw } from 'node:zlib';
import {
  type ArchiveEntry,
  type Archiver,
  MAX_ARCHIVED_BYTES,
  MAX_ARCHIVED_ENTRIES,
} from '../../../application/ports/files/archiver.ts';
import { centralRecord, dataDescriptor, endRecord, localHeader, type ZipRecord } from './zip-records.ts';

/**
 * ZIP as of APPNOTE 6.3.10, each entry deflated as a stream, with its sizes after it. Links are links (as Info-ZIP
 * stores them), permissions those of Unix. ZIP64 only if needed.
 */
export class ZipArchiver implements Archiver {
  zip(entries: AsyncIterable<ArchiveEntry>): Readable {
    return Readable.from(archive(entries), { objectMode: false });
  }
}

async function* archive(entries: AsyncIterable<ArchiveEntry>): AsyncGenerator<Buffer> {
  const records: ZipRecord[] = [];
  let offset = 0;
  const counted = (piece: Buffer): Buffer => {
    offset += piece.length;
    return piece;
  };
  for await (const { path, kind, mode, modifiedAt, content } of entries) {
    if (records.length === MAX_ARCHIVED_ENTRIES) throw new RangeError('too many entries for one archive');
    const name = Buffer.from(kind === 'dir' ? `${path}/` : path);
    const head = { name, kind, mode, modifiedAt, offset };
    yield counted(localHeader(head));
    const sums = { crc: 0, size: 0, packed: 0 };
    for await (const piece of deflated(content, sums)) yield counted(piece);
    yield counted(dataDescriptor(sums));
    if (offset > MAX_ARCHIVED_BYTES * 2) throw new RangeError('too much for one archive');
    records.push({ ...head, ...sums });
  }
  const begin = offset;
  for (const record of records) yield counted(centralRecord(record));
  yield endRecord({ count: records.length, begin, size: offset - begin });
}

/** Fills in the sums as it goes. */
async function* deflated(
  content: AsyncIterable<Uint8Array>,
  sums: { crc: number; size: number; packed: number },
): AsyncGenerator<Buffer> {
  async function* summed(): AsyncGenerator<Uint8Array> {
    for await (const piece of content) {
      sums.crc = crc32(piece, sums.crc);
      sums.size += piece.length;
      yield piece;
    }
  }
  const source = Readable.from(summed(), { objectMode: false });
  const deflate = createDeflateRaw();
  source.once('error', (error) => deflate.destroy(error));
  source.pipe(deflate);
  try {
    for await (const piece of deflate as AsyncIterable<Buffer>) {
      sums.packed += piece.length;
      yield piece;
    }
  } finally {
    source.destroy();
    deflate.destroy();
  }
}
