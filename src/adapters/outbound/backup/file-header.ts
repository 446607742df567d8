import type { ByteString } from './byte-string.ts';
import { TAR_BLOCK, tarHeader } from './tar-header.ts';

/** What most files need: a header, preceded by one with the time in nanoseconds. */
export const FILE_HEADER_BYTES = 3 * TAR_BLOCK;

export interface FileFacts {
  readonly path: ByteString;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly size: number;
  /** Nine digits behind the point. */
  readonly mtime: { readonly seconds: string; readonly nanoseconds: string };
}

const MAX_PATH = 97;
const MAX_ID = 0o7777777;
/** Eleven octal digits: a size in bytes, or a time in seconds (up to the year 2242). */
const MAX_OCTAL = 0o77777777777;
const PLAIN_SECONDS = /^\d{1,10}$/;

/**
 * Writes into `target` what `tarHeader` returns for a file, without intermediate objects, since there are many.
 * Returns the number of bytes; 0 for a file with a name, number or time that needs more.
 */
export function putFileHeader(target: Buffer, at: number, facts: FileFacts, exact: boolean): number {
  const { path, mtime } = facts;
  const isPlain =
    path.length <= MAX_PATH &&
    facts.size <= MAX_OCTAL &&
    PLAIN_SECONDS.test(mtime.seconds) &&
    Number(mtime.seconds) <= MAX_OCTAL;
  if (!isPlain || facts.uid > MAX_ID || facts.gid > MAX_ID) return 0;
  const hasTime = exact && mtime.nanoseconds !== '000000000';
  let end = at;
  if (hasTime) {
    const record = timeRecord(mtime);
    target.set(timeHeader(record.length), end);
    end += TAR_BLOCK;
    target.fill(0, end, end + TAR_BLOCK);
    target.write(record, end, 'latin1');
    end += TAR_BLOCK;
  }
  target.set(FILE_HEADER, end);
  let sum = FILE_SUM;
  target.write(path, end + 2, 'latin1');
  for (let index = end + 2; index < end + 2 + path.length; index += 1) sum += target[index] ?? 0;
  sum += putOctal(target, end + 100, 7, facts.mode);
  sum += putOctal(target, end + 108, 7, facts.uid);
  sum += putOctal(target, end + 116, 7, facts.gid);
  sum += putOctal(target, end + 124, 11, facts.size);
  sum += putOctal(target, end + 136, 11, Number(mtime.seconds));
  putOctal(target, end + 148, 6, sum);
  return end + TAR_BLOCK - at;
}

function timeRecord({ seconds, nanoseconds }: FileFacts['mtime']): string {
  const record = ` mtime=${seconds}.${nanoseconds}\n`;
  return `${record.length + 2}${record}`;
}

const headers = new Map<number, Buffer>();

/** It only contains the length of the record. */
function timeHeader(length: number): Buffer {
  const known = headers.get(length);
  if (known) return known;
  const facts = { path: '' as ByteString, type: 'file', mode: 0, uid: 0, gid: 0, mtimeNs: 1n } as const;
  const made = tarHeader(
    { ...facts, records: new Map([['x', Buffer.alloc(length - '00 x=\n'.length)]]) },
    false,
  );
  headers.set(length, made.subarray(0, TAR_BLOCK));
  return made.subarray(0, TAR_BLOCK);
}

/** The header of a file whose name and numbers are still to come; the digits of the sum count as spaces. */
const FILE_HEADER = tarHeader(
  { path: '' as ByteString, type: 'file', mode: 0, uid: 0, gid: 0, mtimeNs: 0n, size: 0 },
  false,
);
const ZERO = '0'.charCodeAt(0);
/** Without the digits of the numbers. */
const FILE_SUM = Number.parseInt(FILE_HEADER.toString('latin1', 148, 154), 8) - (3 * 7 + 2 * 11) * ZERO;

/** Returns the sum of its digits. */
function putOctal(target: Buffer, at: number, digits: number, value: number): number {
  let sum = 0;
  let rest = value;
  for (let index = at + digits - 1; index >= at; index -= 1) {
    const digit = ZERO + (rest % 8);
    rest = Math.floor(rest / 8);
    target[index] = digit;
    sum += digit;
  }
  return sum;
}
