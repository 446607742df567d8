import { DomainError } from '../../../domain/base/errors.ts';
import { type ByteString, bytesOfBuffer } from './byte-string.ts';
import { TAR_BLOCK } from './tar-header.ts';

// The fields of tar headers and pax records, as GNU tar, busybox and bsdtar write them.

export const broken = (why: string): DomainError =>
  new DomainError('backup_failed', `The host sent an invalid archive: ${why}.`);

export function assertSum(block: Buffer): void {
  let sum = 0;
  for (let at = 0; at < TAR_BLOCK; at += 1) sum += block[at] ?? 0;
  // the sum itself counts as spaces
  for (let at = 148; at < 156; at += 1) sum += SPACE - (block[at] ?? 0);
  if (numberAt(block, 148, 8) !== sum) throw broken('a header is damaged');
}

export function numberAt(block: Buffer, offset: number, length: number): number {
  const end = offset + length;
  let value = 0;
  if ((block[offset] ?? 0) & 0x80) {
    if (block[offset] !== 0x80) throw broken('a number is negative');
    value = Number(BigInt(`0x${block.toString('hex', offset + 1, end)}`));
  } else {
    let at = offset;
    while (at < end && block[at] === SPACE) at += 1;
    for (; at < end && ((block[at] ?? 0) & 0xf8) === DIGIT; at += 1)
      value = value * 8 + ((block[at] ?? 0) & 7);
    for (; at < end; at += 1) if (block[at] !== SPACE && block[at] !== 0) throw broken('a number is invalid');
  }
  if (!Number.isSafeInteger(value)) throw broken('a number is too large');
  return value;
}

const SPACE = 0x20;
/** Octal digits are the same but for their last three bits. */
const DIGIT = 0x30;

export function decimal(text: string): number {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(value)) throw broken('a number is invalid');
  return value;
}

export const paxNumber = (pax: ReadonlyMap<string, Buffer>, key: string): number | undefined => {
  const value = pax.get(key);
  return value === undefined ? undefined : decimal(value.toString('latin1'));
};

export const textOf = (bytes: Buffer | undefined): ByteString | undefined =>
  bytes === undefined ? undefined : bytesOfBuffer(bytes);

export function textAt(block: Buffer, offset: number, length: number): ByteString {
  const end = block.indexOf(0, offset);
  return block.toString(
    'latin1',
    offset,
    end < 0 || end > offset + length ? offset + length : end,
  ) as ByteString;
}

/** The prefix is one of POSIX; GNU's own format has other things there. */
export function nameIn(block: Buffer): ByteString {
  const name = textAt(block, 0, 100);
  const isPosix = block[345] !== 0 && block.toString('latin1', 257, 263) === 'ustar\0';
  const prefix = isPosix ? textAt(block, 345, 155) : '';
  return (prefix === '' ? name : `${prefix}/${name}`) as ByteString;
}

export function paxRecords(content: Buffer): Map<string, Buffer> {
  const records = new Map<string, Buffer>();
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(0x20, at);
    const length = decimal(content.toString('latin1', at, Math.max(at, Math.min(space, at + 10))));
    const equals = content.indexOf(0x3d, space);
    const end = at + length;
    if (length < 5 || end > content.length || equals < 0 || equals >= end || content[end - 1] !== 0x0a) {
      throw broken('a pax header is invalid');
    }
    records.set(content.toString('latin1', space + 1, equals), content.subarray(equals + 1, end - 1));
    at = end;
  }
  return records;
}

/** Those that mean the same on another machine: ACLs, users' own attributes, and the capabilities of programs. */
const KEPT = /^SCHILY\.(?:acl\.(?:access|default)|xattr\.(?:user\.[^=\n]{1,250}|security\.capability))$/;

export function attributesIn(pax: ReadonlyMap<string, Buffer>): ReadonlyMap<string, Buffer> {
  return new Map([...pax].filter(([key]) => KEPT.test(key)).map(([key, value]) => [key, Buffer.from(value)]));
}
