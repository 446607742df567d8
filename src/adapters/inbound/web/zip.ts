import { crc32 } from 'node:zlib';

interface ZipEntry {
  /** ASCII, with slashes between. */
  readonly path: string;
  readonly content: string;
}

/** 1980-01-01: there is no earlier day in a zip, and the same files are to make the same bytes. */
const DAY = 0x21;
const VERSION = 20;
const [LOCAL, CENTRAL, END] = [0x04034b50, 0x02014b50, 0x06054b50];

/** Small files as an archive, not compressed. https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT */
export function zip(entries: readonly ZipEntry[]): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { path, content } of entries) {
    const [name, bytes] = [Buffer.from(path), Buffer.from(content)];
    const sum = crc32(bytes);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(LOCAL, 0);
    local.writeUInt16LE(VERSION, 4);
    describe(local, 6, { sum, bytes, name });
    locals.push(local, name, bytes);
    const central = Buffer.alloc(46);
    central.writeUInt32LE(CENTRAL, 0);
    central.writeUInt16LE(VERSION, 4);
    central.writeUInt16LE(VERSION, 6);
    describe(central, 8, { sum, bytes, name });
    central.writeUInt32LE(offset, 42);
    directory.push(central, name);
    offset += local.length + name.length + bytes.length;
  }
  const index = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(END, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(index.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, index, end]);
}

/** Common fields of both headers of a file: flags, method, time, date, checksum, sizes and the length of the name. */
function describe(
  header: Buffer,
  at: number,
  { sum, bytes, name }: { readonly sum: number; readonly bytes: Buffer; readonly name: Buffer },
): void {
  header.writeUInt16LE(DAY, at + 6);
  header.writeUInt32LE(sum, at + 8);
  header.writeUInt32LE(bytes.length, at + 12);
  header.writeUInt32LE(bytes.length, at + 16);
  header.writeUInt16LE(name.length, at + 20);
}
