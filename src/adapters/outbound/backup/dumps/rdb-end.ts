import { Crc64 } from './crc64.ts';
import type { DumpFormat } from './dump-format.ts';

const NOTHING: Buffer = Buffer.alloc(0);
const MAGIC = /^(?:REDIS|VALKEY)\d{3,4}/;
/** After data that a server sends while it creates it, it repeats a mark of this size. */
const MARK_BYTES = 40;
const CHECKSUM_BYTES = 8;
const HELD_BYTES = MARK_BYTES + CHECKSUM_BYTES;
const END_OF_FILE = 0xff;

/** A file of Redis: it ends with a code and a checksum of all before, which is 0 if the server is set to make none. */
export class RdbEnd implements DumpFormat {
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
    const told = checksum.readBigUInt64LE();
    return told === 0n || told === this.#crc.value;
  }
}
