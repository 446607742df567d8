import type { ByteString } from './byte-string.ts';
import type { EntryType } from './manifest-entry.ts';

/** One path as its host tells of it: a claim, bounded and well-formed, and not more. */
export interface Surveyed {
  /** The full path on the host, without the leading slash. */
  readonly path: ByteString;
  readonly type: EntryType;
  /** Type, mode, owner, size, times and inode, in one line. Where two are equal, nothing has changed. */
  readonly key: string;
  readonly size: number;
  /** The device that it is on and its inode there: two names with the same are one file. */
  readonly place: string;
  /** How many names it has. */
  readonly links: number;
  /** Bytes that it takes on the host's disk; a file with holes takes less than its size. */
  readonly allocated: number;
  /** Of a symbolic link. */
  readonly target: ByteString | undefined;
}

/** What a key says. */
export interface SurveyedFacts {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly size: number;
  readonly mtimeNs: bigint;
}

const TYPES: Readonly<Record<string, EntryType>> = {
  f: 'file',
  d: 'directory',
  l: 'symlink',
  p: 'fifo',
  s: 'socket',
  b: 'block-device',
  c: 'character-device',
};
/** By the first digit of the raw mode in hex. */
const RAW_TYPES: Readonly<Record<string, string>> = {
  '1': 'p',
  '2': 'c',
  '4': 'd',
  '6': 'b',
  '8': 'f',
  a: 'l',
  c: 's',
};

const TIME = '-?\\d{1,12}(?:\\.\\d{1,10})?';
/** As `find -printf '%y %m %U %G %s %T@ %C@ %i %D %n %b'` prints it. */
const PRINTED = new RegExp(
  `^([fdlpsbc]) ([0-7]{1,4}) (\\d{1,10}) (\\d{1,10}) (\\d{1,16}) (${TIME}) (${TIME}) (\\d{1,20}) (\\d{1,20}) (\\d{1,10}) (\\d{1,16})$`,
);
const MAX_ID = 0xff_ff_ff_ff;
const MAX_NAME_BYTES = 4_096;

/** Without leading slash; `null` for what cannot be a path of a listing. The root is empty. */
export function relativePath(path: string): ByteString | null {
  if (path === '/') return '' as ByteString;
  if (!path.startsWith('/') || path.length > MAX_NAME_BYTES) return null;
  const relative = path.slice(1);
  const isPlain = relative.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
  return isPlain ? (relative as ByteString) : null;
}

/** `null` where the host told no such thing. */
export function surveyedOf(facts: string, path: string, target: string): Surveyed | null {
  const found = PRINTED.exec(facts);
  const relative = relativePath(path);
  if (!found || relative === null || target.length > MAX_NAME_BYTES) return null;
  const [, letter = '', mode, uid, gid, size, mtime, ctime, inode, device, links, blocks] = found;
  const type = TYPES[letter];
  if (!type || Number(uid) > MAX_ID || Number(gid) > MAX_ID || !Number.isSafeInteger(Number(size)))
    return null;
  if (type === 'symlink' && target === '') return null;
  return {
    path: relative,
    type,
    key: `${letter} ${mode} ${uid} ${gid} ${type === 'file' ? size : 0} ${exact(mtime)} ${exact(ctime)} ${inode}`,
    size: type === 'file' ? Number(size) : 0,
    place: `${device}:${inode}`,
    links: Number(links),
    allocated: Number(blocks) * 512,
    target: type === 'symlink' ? (target as ByteString) : undefined,
  };
}

/** The same from `stat -c '%f %u %g %s %Y %Z %i %d %h %b'`, which knows no parts of a second. */
export function printedFacts(line: string): string {
  const [raw = '', ...rest] = line.split(' ');
  const letter = RAW_TYPES[raw.padStart(4, '0')[0] ?? ''] ?? '?';
  return `${letter} ${(Number.parseInt(raw, 16) & 0o7777).toString(8)} ${rest.join(' ')}`;
}

/** Throws an `Error` for what is no key. */
export function factsOfKey(key: string): SurveyedFacts {
  const [, mode = '', uid, gid, size, mtime = ''] = key.split(' ');
  return {
    mode: Number.parseInt(mode, 8),
    uid: Number(uid),
    gid: Number(gid),
    size: Number(size),
    mtimeNs: nanoseconds(mtime),
  };
}

/** In seconds, cut. */
export const changedAtOf = (key: string): number => Number.parseInt(key.split(' ', 7)[6] ?? '', 10);

/** find prints ten digits behind the point, of which the last is always 0. */
const exact = (time = ''): string =>
  time.length > 10 && time.includes('.') ? time.replace(/(\.\d{9})\d$/, '$1') : time;

/** Also before 1970 the part behind the point counts upwards. */
function nanoseconds(time: string): bigint {
  const [seconds = '0', part = ''] = time.split('.');
  return BigInt(seconds) * 1_000_000_000n + BigInt(part.padEnd(9, '0').slice(0, 9));
}
