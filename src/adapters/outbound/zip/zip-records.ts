import type { Instant } from '../../../domain/base/instant.ts';

interface ZipHead {
  readonly name: Buffer;
  readonly kind: 'file' | 'dir' | 'link';
  readonly mode: number;
  readonly modifiedAt: Instant;
  /** The offset of its local header. */
  readonly offset: number;
}

interface ZipSums {
  readonly crc: number;
  /** Before and after packing, in bytes. */
  readonly size: number;
  readonly packed: number;
}

export type ZipRecord = ZipHead & ZipSums;

/** 4.4.3: data after deflate. 4.4.2: made on Unix, whose permissions are in the upper half of the external attributes. */
const NEEDS = 20;
const MADE_BY_UNIX = (3 << 8) | NEEDS;
/** 4.4.4: sums come after the data, names are UTF-8. */
const FLAGS = (1 << 3) | (1 << 11);
const DEFLATED = 8;
/** From sys/stat.h. */
const TYPES = { file: 0o100_000, dir: 0o040_000, link: 0o120_000 } as const;
const DOS_DIRECTORY = 0x10;

export function localHeader({ name, modifiedAt }: ZipHead): Buffer {
  const head = Buffer.alloc(30);
  head.writeUInt32LE(0x04034b50, 0);
  head.writeUInt16LE(NEEDS, 4);
  writeCommon(head, 6, modifiedAt);
  head.writeUInt16LE(name.length, 26);
  return Buffer.concat([head, name]);
}

export function dataDescriptor({ crc, size, packed }: ZipSums): Buffer {
  const sums = Buffer.alloc(16);
  sums.writeUInt32LE(0x08074b50, 0);
  sums.writeUInt32LE(crc, 4);
  sums.writeUInt32LE(packed, 8);
  sums.writeUInt32LE(size, 12);
  return sums;
}

export function centralRecord({
  name,
  kind,
  mode,
  modifiedAt,
  offset,
  crc,
  size,
  packed,
}: ZipRecord): Buffer {
  const head = Buffer.alloc(46);
  head.writeUInt32LE(0x02014b50, 0);
  head.writeUInt16LE(MADE_BY_UNIX, 4);
  head.writeUInt16LE(NEEDS, 6);
  writeCommon(head, 8, modifiedAt);
  head.writeUInt32LE(crc, 16);
  head.writeUInt32LE(packed, 20);
  head.writeUInt32LE(size, 24);
  head.writeUInt16LE(name.length, 28);
  const attributes = (TYPES[kind] | mode) * 0x10000 + (kind === 'dir' ? DOS_DIRECTORY : 0);
  head.writeUInt32LE(attributes, 38);
  head.writeUInt32LE(offset, 42);
  return Buffer.concat([head, name]);
}

export function endRecord({
  count,
  begin,
  size,
}: {
  readonly count: number;
  readonly begin: number;
  readonly size: number;
}): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(begin, 16);
  return end;
}

/** Flags, method and time, which both headers have in a row. */
function writeCommon(head: Buffer, at: number, modifiedAt: Instant): void {
  const { date, time } = dosTime(modifiedAt);
  head.writeUInt16LE(FLAGS, at);
  head.writeUInt16LE(DEFLATED, at + 2);
  head.writeUInt16LE(time, at + 4);
  head.writeUInt16LE(date, at + 6);
}

/** In UTC, from 1980 to 2107, even seconds. */
function dosTime(at: Instant): { readonly date: number; readonly time: number } {
  const when = new Date(Math.min(Math.max(at, Date.UTC(1980, 0, 1)), Date.UTC(2107, 11, 31)));
  return {
    date: ((when.getUTCFullYear() - 1980) << 9) | ((when.getUTCMonth() + 1) << 5) | when.getUTCDate(),
    time: (when.getUTCHours() << 11) | (when.getUTCMinutes() << 5) | (when.getUTCSeconds() >> 1),
  };
}
