import type { ByteString } from './byte-string.ts';
import type { EntryType } from './manifest-entry.ts';

/**
 * One path as its host reports it: an unverified claim, but bounded and well-formed. There are many: fields are
 * parsed on demand.
 */
export class Surveyed {
  /** The full path on the host, without the leading slash. */
  readonly path: ByteString;
  /** For a symbolic link. */
  readonly target: ByteString | undefined;
  readonly type: EntryType;
  readonly #facts: string;

  /** `facts`: in one line, as `find` prints them. */
  constructor(path: ByteString, facts: string, target: ByteString | undefined) {
    this.path = path;
    this.target = target;
    this.type = TYPES[facts[0] ?? ''] as EntryType;
    this.#facts = facts;
  }

  /** Type, mode, owner, size, times and inode. Where two are equal, nothing has changed. */
  get key(): string {
    return this.#facts.slice(0, keyLength(this.#facts));
  }

  get size(): number {
    return this.type === 'file' ? Number(this.#field(SIZE)) : 0;
  }

  /** The device that it is on and its inode there: two names with the same are one file. */
  get place(): string {
    return `${this.#field(DEVICE)}:${this.#field(INODE)}`;
  }

  /** Whether it has more than one name. */
  get hasOtherNames(): boolean {
    const end = this.#facts.lastIndexOf(' ');
    return this.#facts[end - 1] !== '1' || this.#facts[end - 2] !== ' ';
  }

  /** Bytes that it takes on the host's disk; a file with holes takes less than its size. */
  get allocated(): number {
    return Number(this.#field(BLOCKS)) * 512;
  }

  get facts(): SurveyedFacts {
    return new SurveyedFacts(this.#facts);
  }

  /** In seconds, cut. */
  get changedAt(): number {
    return Number.parseInt(this.#field(CHANGED), 10);
  }

  /** `null` if the host reports whole seconds only. */
  get ctimeNs(): bigint | null {
    const text = this.#field(CHANGED);
    return text.includes('.') ? nanosecondsOf(printedTime(text)) : null;
  }

  hasKey(key: string): boolean {
    return this.#facts.startsWith(key) && key.length === keyLength(this.#facts);
  }

  /** Whether nothing at all is otherwise. */
  isToldBy(facts: string): boolean {
    return this.#facts === facts;
  }

  #field(index: number): string {
    const from = placeIn(this.#facts, index);
    const to = this.#facts.indexOf(' ', from);
    return this.#facts.slice(from, to < 0 ? undefined : to);
  }
}

const SIZE = 4;
const CHANGED = 6;
const INODE = 7;
const DEVICE = 8;
const BLOCKS = 10;

/** Three fields follow the key: from the end it is nearer. */
function keyLength(facts: string): number {
  let at = facts.lastIndexOf(' ');
  at = facts.lastIndexOf(' ', at - 1);
  return facts.lastIndexOf(' ', at - 1);
}

function placeIn(facts: string, index: number): number {
  let at = 0;
  for (let count = 0; count < index; count += 1) at = facts.indexOf(' ', at) + 1;
  return at;
}

/** The parts of a key. */
export class SurveyedFacts {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly size: number;
  readonly mtime: PrintedTime;

  constructor(key: string) {
    const [, mode = '', uid, gid, size, mtime = ''] = key.split(' ', 6);
    this.mode = Number.parseInt(mode, 8);
    this.uid = Number(uid);
    this.gid = Number(gid);
    this.size = Number(size);
    this.mtime = printedTime(mtime);
  }

  get mtimeNs(): bigint {
    return nanosecondsOf(this.mtime);
  }
}

/** Seconds with nine digits behind the point; before 1970 these count upwards too. */
interface PrintedTime {
  readonly seconds: string;
  readonly nanoseconds: string;
}

function printedTime(text: string): PrintedTime {
  const point = text.indexOf('.');
  const part = point < 0 ? '' : text.slice(point + 1, point + 10);
  return {
    seconds: point < 0 ? text : text.slice(0, point),
    nanoseconds: part.length === 9 ? part : part.padEnd(9, '0'),
  };
}

const nanosecondsOf = ({ seconds, nanoseconds }: PrintedTime): bigint =>
  BigInt(seconds) * 1_000_000_000n + BigInt(nanoseconds);

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
  `^[fdlpsbc] [0-7]{1,4} \\d{1,10} \\d{1,10} \\d{1,16} ${TIME} ${TIME} \\d{1,20} \\d{1,20} \\d{1,10} \\d{1,16}$`,
);
/** Owners and sizes with this number of digits may be too large. */
const LARGE = /^. \d+ (?:\d{10}|\d+ \d{10}|\d+ \d+ \d{16}) /;
const MAX_ID = 0xff_ff_ff_ff;
const MAX_NAME_BYTES = 4_096;

/** A part that is empty, "." or "..". */
const NOT_PLAIN = /\/(?:\.{0,2}\/|\.{0,2}$)/;

/** Without leading slash; `null` for an invalid path. The root is empty. */
export function relativePath(path: string): ByteString | null {
  if (path === '/') return '' as ByteString;
  if (!path.startsWith('/') || path.length > MAX_NAME_BYTES) return null;
  const relative = path.slice(1);
  return NOT_PLAIN.test(path) ? null : (relative as ByteString);
}

/** `null` if the host did not report it. */
export function surveyedOf(facts: string, path: string, target: string): Surveyed | null {
  const relative = relativePath(path);
  if (!PRINTED.test(facts) || relative === null || target.length > MAX_NAME_BYTES) return null;
  if (LARGE.test(facts)) {
    const { uid, gid, size } = new SurveyedFacts(facts);
    if (uid > MAX_ID || gid > MAX_ID || !Number.isSafeInteger(size)) return null;
  }
  const isLink = facts.startsWith('l');
  if (isLink && target === '') return null;
  return new Surveyed(relative, facts, isLink ? (target as ByteString) : undefined);
}

/** The same from `stat -c '%f %u %g %s %Y %Z %i %d %h %b'`, which has no fractions of a second. */
export function printedFacts(line: string): string {
  const [raw = '', ...rest] = line.split(' ');
  const letter = RAW_TYPES[raw.padStart(4, '0')[0] ?? ''] ?? '?';
  return `${letter} ${(Number.parseInt(raw, 16) & 0o7777).toString(8)} ${rest.join(' ')}`;
}
