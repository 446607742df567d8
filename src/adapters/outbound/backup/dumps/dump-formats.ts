import type { DumpKind } from '../../../../domain/backups/dump.ts';
import { ArchiveEnd } from './archive-end.ts';
import type { DumpFormat } from './dump-format.ts';

/** The polynomial of Redis (crc64.c, "Jones"), reflected: 0xad93d23594c935a9 with its bits in reverse. */
const POLYNOMIAL = 0x95ac9329ac4bc9b5n;

/** In halves: arithmetic on numbers is fifty times as fast as on bigints. */
const HIGH = new Uint32Array(256);
const LOW = new Uint32Array(256);
for (let byte = 0; byte < 256; byte += 1) {
  let value = BigInt(byte);
  for (let bit = 0; bit < 8; bit += 1) value = (value >> 1n) ^ (value & 1n ? POLYNOMIAL : 0n);
  HIGH[byte] = Number(value >> 32n);
  LOW[byte] = Number(value & 0xffff_ffffn);
}

/** The checksum at the end of a file of Redis. */
export class Crc64 {
  #high = 0;
  #low = 0;

  update(bytes: Uint8Array): void {
    let high = this.#high;
    let low = this.#low;
    for (let at = 0; at < bytes.length; at += 1) {
      const index = (low ^ (bytes[at] as number)) & 0xff;
      low = ((low >>> 8) | (high << 24)) ^ (LOW[index] as number);
      high = (high >>> 8) ^ (HIGH[index] as number);
    }
    this.#high = high;
    this.#low = low;
  }

  get value(): bigint {
    return (BigInt(this.#high >>> 0) << 32n) | BigInt(this.#low >>> 0);
  }
}

const NOTHING: Buffer = Buffer.alloc(0);
const MAGIC = /^(?:REDIS|VALKEY)\d{3,4}/;
/** After data that a server sends while it creates it, it repeats a mark of this size. */
const MARK_BYTES = 40;
const CHECKSUM_BYTES = 8;
const HELD_BYTES = MARK_BYTES + CHECKSUM_BYTES;
const END_OF_FILE = 0xff;

/** A file of Redis: it ends with a code and a checksum of all before, which is 0 if the server is set to make none. */
class RdbEnd implements DumpFormat {
  readonly #crc = new Crc64();
  #head = NOTHING;
  #held = NOTHING;
  #last = 0;

  pass(chunk: Buffer): Buffer {
    if (this.#head.length < 10)
      this.#head = Buffer.concat([this.#head, chunk.subarray(0, 10)]).subarray(0, 10);
    const all = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    const cut = Math.max(0, all.length - HELD_BYTES);
    this.#held = Buffer.from(all.subarray(cut));
    return this.#sum(all.subarray(0, cut));
  }

  end(): { readonly rest: Buffer; readonly fault: string | null } {
    const held = this.#held;
    if (!MAGIC.test(this.#head.toString('latin1')))
      return { rest: held, fault: 'it is not a Redis dump file' };
    // starting with the mark: the checksum continues if there is none
    const isMarked = /^[0-9a-f]{40}$/.test(held.toString('latin1', CHECKSUM_BYTES));
    if (isMarked && this.#isEnd(held.subarray(0, CHECKSUM_BYTES))) {
      return { rest: held.subarray(0, CHECKSUM_BYTES), fault: null };
    }
    const cut = Math.max(0, held.length - CHECKSUM_BYTES);
    this.#sum(held.subarray(0, cut));
    const isWhole = this.#isEnd(held.subarray(cut));
    return { rest: held, fault: isWhole ? null : 'its end or its checksum is missing' };
  }

  #sum(bytes: Buffer): Buffer {
    this.#crc.update(bytes);
    this.#last = bytes.at(-1) ?? this.#last;
    return bytes;
  }

  #isEnd(checksum: Buffer): boolean {
    if (checksum.length !== CHECKSUM_BYTES || this.#last !== END_OF_FILE) return false;
    const stored = checksum.readBigUInt64LE();
    return stored === 0n || stored === this.#crc.value;
  }
}

const SQLITE_MAGIC = 'SQLite format 3\0';
const HEADER_BYTES = 100;

/** A database file, whose header has the size of a page and how many there are (https://sqlite.org/fileformat.html). */
class SqliteEnd implements DumpFormat {
  #header = NOTHING;
  #bytes = 0;

  pass(chunk: Buffer): Buffer {
    if (this.#header.length < HEADER_BYTES) {
      this.#header = Buffer.concat([this.#header, chunk.subarray(0, HEADER_BYTES - this.#header.length)]);
    }
    this.#bytes += chunk.length;
    return chunk;
  }

  end(): { readonly rest: Buffer; readonly fault: string | null } {
    return { rest: NOTHING, fault: this.#fault() };
  }

  #fault(): string | null {
    if (
      this.#header.length < HEADER_BYTES ||
      this.#header.toString('latin1', 0, SQLITE_MAGIC.length) !== SQLITE_MAGIC
    ) {
      return 'it is not an SQLite database file';
    }
    const size = this.#header.readUInt16BE(16);
    const expected = (size === 1 ? 65_536 : size) * this.#header.readUInt32BE(28);
    return expected === this.#bytes ? null : `it has ${this.#bytes} bytes, and its header says ${expected}`;
  }
}

/** The last comment is shorter. */
const TAIL_BYTES = 1_024;

/** A dump of SQL statements, whose last comment marks the end. Only comments may follow it. */
class TextEnd implements DumpFormat {
  readonly #complete: RegExp;
  #tail = NOTHING;

  constructor(complete: RegExp) {
    this.#complete = complete;
  }

  pass(chunk: Buffer): Buffer {
    this.#tail = chunk.length >= TAIL_BYTES ? chunk.subarray(-TAIL_BYTES) : this.#joined(chunk);
    return chunk;
  }

  end(): { readonly rest: Buffer; readonly fault: string | null } {
    const lines = this.#tail.toString('latin1').split('\n');
    const at = lines.findLastIndex((line) => this.#complete.test(line));
    const isWhole = lines.at(-1) === '' && at >= 0 && lines.slice(at + 1).every(isRemark);
    return {
      rest: NOTHING,
      fault: isWhole ? null : 'its last line, which says that it is complete, is missing',
    };
  }

  #joined(chunk: Buffer): Buffer {
    return Buffer.concat([this.#tail, chunk]).subarray(-TAIL_BYTES);
  }
}

/** Newer versions of pg_dump end with `\unrestrict` and a token. */
const isRemark = (line: string): boolean =>
  line === '' || line === '--' || /^\\unrestrict [A-Za-z0-9]+$/.test(line);

const postgresEnd = (): DumpFormat => new TextEnd(/^-- PostgreSQL database (?:cluster )?dump complete$/);
const mysqlEnd = (): DumpFormat => new TextEnd(/^-- Dump completed(?: on [\d :-]{8,30})?$/);

const FORMATS: Readonly<Record<DumpKind, () => DumpFormat>> = {
  postgres: postgresEnd,
  mysql: mysqlEnd,
  sqlite: () => new SqliteEnd(),
  redis: () => new RdbEnd(),
  mongodb: () => new ArchiveEnd(),
};

export const formatOf = (kind: DumpKind): DumpFormat => FORMATS[kind]();
