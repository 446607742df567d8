import { DEEPEST_TREE, type Tree, type TreeEntry } from '../../../../../application/ports/files/jail-fs.ts';
import type { EntryFacts, EntryKind } from '../../../../../domain/files/directory-entry.ts';
import { wholeNumber } from '../../shell/host-text.ts';
import { nonsense, type OpenHelper } from './helper.ts';
import type { Subject } from './outcome.ts';

/** The longest path with its prefix. */
const MAX_RECORD = 8_192;

/** Reads the output of `TREE`, up to this many entries. */
export async function readTree(opened: OpenHelper, most: number, about: Subject): Promise<Tree> {
  const reading = new TreeReading(about);
  let rest = Buffer.alloc(0);
  for await (const chunk of opened.process.stdout as AsyncIterable<Buffer>) {
    rest = Buffer.concat([rest, chunk]);
    let begin = 0;
    for (let end = rest.indexOf(0); end >= 0; end = rest.indexOf(0, begin)) {
      reading.take(rest.subarray(begin, end));
      begin = end + 1;
      if (reading.ended) return reading.tree;
      if (reading.entries.size >= most) return { ...reading.tree, partial: true };
    }
    rest = rest.subarray(begin);
    if (rest.length > MAX_RECORD) throw nonsense(about);
  }
  throw nonsense(about);
}

/** By path, so that a link's target finds its entry. */
class TreeReading {
  readonly entries = new Map<string, TreeEntry>();
  ended = false;
  readonly #about: Subject;
  #partial = false;
  #above: readonly Buffer[] = [];
  /** A link whose target comes next. */
  #link: string | null = null;

  constructor(about: Subject) {
    this.#about = about;
  }

  get tree(): Tree {
    return { entries: inOrder([...this.entries.values()]), partial: this.#partial };
  }

  take(record: Buffer): void {
    if (this.#link !== null) {
      this.#point(this.#link, record);
      return;
    }
    const value = record.subarray(1).toString('latin1');
    switch (String.fromCharCode(record[0] ?? 0)) {
      case 'D':
        this.#above = value.split('/').filter(Boolean).map(bytesOf);
        if (this.#above.length > DEEPEST_TREE) this.#partial = true;
        return;
      case 'E':
        this.#add(value);
        return;
      case 'L':
        this.#link = this.#key(nameIn(value));
        return;
      case 'P':
        this.#partial = true;
        return;
      case 'Z':
        this.ended = true;
        return;
      default:
        throw nonsense(this.#about);
    }
  }

  #add(value: string): void {
    const [mode, size, seconds, ...name] = value.split(' ');
    const facts = readRaw([mode, size, seconds]);
    if (facts === null) throw nonsense(this.#about);
    const own = nameIn(name.join(' '));
    const names = [...this.#above, bytesOf(own)];
    this.entries.set(this.#key(own), { names, ...facts, mode: rawMode(mode), target: null });
  }

  #point(key: string, record: Buffer): void {
    this.#link = null;
    const entry = this.entries.get(key);
    // the shell's command substitution takes line ends away; the dot and the one before it are ours
    const target = record.subarray(0, Math.max(0, record.length - 2));
    if (entry && target.length > 0) this.entries.set(key, { ...entry, target });
  }

  #key(name: string): string {
    return [...this.#above.map((each) => each.toString('latin1')), name].join('/');
  }
}

const bytesOf = (name: string): Buffer => Buffer.from(name, 'latin1');
const nameIn = (path: string): string => path.replace(/^\.\//, '');

/** The host lists a directory's entries before it enters any of them. */
const inOrder = (entries: readonly TreeEntry[]): readonly TreeEntry[] =>
  entries.toSorted((one, other) => compareNames(one.names, other.names));

function compareNames(one: readonly Uint8Array[], other: readonly Uint8Array[]): number {
  for (let i = 0; i < Math.min(one.length, other.length); i += 1) {
    const order = Buffer.compare(one[i] ?? Buffer.alloc(0), other[i] ?? Buffer.alloc(0));
    if (order !== 0) return order;
  }
  return one.length - other.length;
}

/** stat's `%f %s %.3Y` of an entry; `null` for anything else. */
export function readRaw([mode, bytes, seconds]: readonly (string | undefined)[]): EntryFacts | null {
  const size = wholeNumber(bytes);
  if (size === null || !/^[0-9a-f]{4}$/.test(mode ?? '') || !/^-?\d{1,12}(\.\d{1,9})?$/.test(seconds ?? '')) {
    return null;
  }
  return { kind: KINDS[mode?.[0] ?? ''] ?? 'other', size, modifiedAt: Math.trunc(Number(seconds) * 1000) };
}

/** By the first digit of a raw mode in hex (inode(7)). */
const KINDS: Readonly<Record<string, EntryKind>> = { '4': 'dir', '8': 'file', a: 'link' };

/** The permissions in a raw mode in hex, with set-id and sticky bits. */
export const rawMode = (mode: string | undefined): number => Number.parseInt(mode ?? '', 16) & 0o7777;
