import type { DumpFormat } from './dump-format.ts';

const NOTHING: Buffer = Buffer.alloc(0);
const MAGIC = 0x8199e26d;
const TERMINATOR = 0xffff_ffff;
/** A MongoDB document has 16 MiB at most, and its tools allow some overhead. */
const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024 + 16 * 1024;
const MIN_DOCUMENT_BYTES = 5;
/** The part of a header that is kept: two names of at most 255 bytes each, a flag and a checksum. */
const MAX_HEADER_BYTES = 4_096;
const MAX_NAMESPACES = 100_000;

/**
 * An archive of mongodump: a number, then blocks of BSON documents, each with a terminator; the first block describes
 * the rest. Every later block starts with a header that names its collection, and the last block of each collection
 * is marked (https://github.com/mongodb/mongo-tools/tree/master/common/archive).
 */
export class ArchiveEnd implements DumpFormat {
  readonly #open = new Set<string>();
  #held = NOTHING;
  #skip = 0;
  #isStarted = false;
  /** The next document is a header. */
  #isHeader = false;
  #isBetween = false;
  #fault: string | null = null;

  pass(chunk: Buffer): Buffer {
    let rest = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = NOTHING;
    while (this.#fault === null && rest.length > 0) {
      const used = this.#step(rest);
      if (used === 0) {
        this.#held = Buffer.from(rest);
        break;
      }
      rest = rest.subarray(used);
    }
    return chunk;
  }

  end(): { readonly rest: Buffer; readonly fault: string | null } {
    const isCut = !this.#isStarted || !this.#isBetween || this.#held.length > 0 || this.#skip > 0;
    const [unfinished] = this.#open;
    const fault = isCut
      ? 'it is truncated'
      : unfinished === undefined
        ? null
        : 'a collection in it is incomplete';
    return { rest: NOTHING, fault: this.#fault ?? fault };
  }

  /** Returns how many bytes it has used; 0 if it needs more. */
  #step(bytes: Buffer): number {
    if (this.#skip > 0) {
      const used = Math.min(this.#skip, bytes.length);
      this.#skip -= used;
      return used;
    }
    if (bytes.length < 4) return 0;
    const word = bytes.readUInt32LE();
    if (!this.#isStarted) return this.#start(word);
    if (word === TERMINATOR) return this.#endBlock();
    if (word < MIN_DOCUMENT_BYTES || word > MAX_DOCUMENT_BYTES) return this.#refuse();
    this.#isBetween = false;
    if (!this.#isHeader) {
      this.#skip = word;
      return this.#step(bytes);
    }
    if (word > MAX_HEADER_BYTES) return this.#refuse();
    if (bytes.length < word) return 0;
    this.#header(bytes.subarray(0, word));
    return word;
  }

  #start(word: number): number {
    if (word !== MAGIC) return this.#refuse();
    this.#isStarted = true;
    return 4;
  }

  #endBlock(): number {
    if (this.#isHeader) return this.#refuse();
    this.#isHeader = true;
    this.#isBetween = true;
    return 4;
  }

  #header(document: Buffer): void {
    this.#isHeader = false;
    const fields = textsOf(document);
    const database = fields?.get('db');
    const collection = fields?.get('collection');
    if (typeof database !== 'string' || typeof collection !== 'string') return void this.#refuse();
    const namespace = JSON.stringify([database, collection]);
    if (fields?.get('EOF') === true) this.#open.delete(namespace);
    else this.#open.add(namespace);
    if (this.#open.size > MAX_NAMESPACES) this.#refuse();
  }

  #refuse(): number {
    this.#fault = 'it is not a mongodump archive';
    return 0;
  }
}

const STRING = 2;
const BOOLEAN = 8;
const INT_32 = 16;
const INT_64 = 18;

/** The texts and flags of a flat BSON document; `null` if it is invalid. Headers have no other kinds of values. */
function textsOf(document: Buffer): ReadonlyMap<string, string | boolean> | null {
  const fields = new Map<string, string | boolean>();
  const end = document.length - 1;
  let at = 4;
  while (at < end) {
    const type = document[at];
    const nameEnd = document.indexOf(0, at + 1);
    if (nameEnd < 0 || nameEnd >= end) return null;
    const name = document.toString('latin1', at + 1, nameEnd);
    at = nameEnd + 1;
    if (type === STRING) {
      if (at + 4 > end) return null;
      const length = document.readInt32LE(at);
      if (length < 1 || at + 4 + length > end) return null;
      fields.set(name, document.toString('latin1', at + 4, at + 3 + length));
      at += 4 + length;
    } else if (type === BOOLEAN) {
      fields.set(name, document[at] === 1);
      at += 1;
    } else if (type === INT_64) at += 8;
    else if (type === INT_32) at += 4;
    else return null;
  }
  return at === end && document[end] === 0 ? fields : null;
}
