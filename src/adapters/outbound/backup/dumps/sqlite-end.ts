import type { DumpFormat } from './dump-format.ts';

const NOTHING: Buffer = Buffer.alloc(0);
const MAGIC = 'SQLite format 3\0';
const HEADER_BYTES = 100;

/** A database file, whose header has the size of a page and how many there are (https://sqlite.org/fileformat.html). */
export class SqliteEnd implements DumpFormat {
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
    if (this.#header.length < HEADER_BYTES || this.#header.toString('latin1', 0, MAGIC.length) !== MAGIC) {
      return 'it is not an SQLite database file';
    }
    const size = this.#header.readUInt16BE(16);
    const expected = (size === 1 ? 65_536 : size) * this.#header.readUInt32BE(28);
    return expected === this.#bytes ? null : `it has ${this.#bytes} bytes, and its header says ${expected}`;
  }
}
