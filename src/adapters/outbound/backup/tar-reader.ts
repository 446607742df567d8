import type { ByteString } from './byte-string.ts';
import {
  assertSum,
  attributesIn,
  broken,
  decimal,
  nameIn,
  numberAt,
  paxNumber,
  paxRecords,
  textAt,
  textOf,
} from './tar-fields.ts';
import { TAR_BLOCK } from './tar-header.ts';

/** Long names, pax headers and maps of holes are held in memory. */
const MAX_HEADER_BYTES = 1024 * 1024;
const MAX_HOLES = 100_000;
/** In front of a member: a host must come to the point. */
const MAX_HEADERS = 16;
/** An archive ends with some twenty empty blocks. */
const MAX_EMPTY_BLOCKS = 10_000;

/** A piece of a file with holes: `length` bytes of content at `offset`. */
export interface DataPiece {
  readonly offset: number;
  readonly length: number;
}

export interface ReadMember {
  readonly name: ByteString;
  readonly isFile: boolean;
  readonly isDirectory: boolean;
  /** Bytes of the file, holes included. */
  readonly size: number;
  /** The positions of its content, for a file with holes. */
  readonly pieces: readonly DataPiece[] | null;
  /** Records of its pax header for the writer; values are bytes. */
  readonly records: ReadonlyMap<string, Buffer>;
}

/**
 * Reads a tar stream from a host, which may send anything: every number is bounded, and anything but a member of the
 * formats that GNU tar, busybox and bsdtar write ends the reading. Names and values stay bytes, which no library in
 * the registry supports. Throws `backup_failed`.
 */
export class TarReader {
  readonly #chunks: AsyncIterator<Buffer>;
  /** Received and unread data, from `#at` on. */
  #window: Buffer = Buffer.alloc(0);
  #at = 0;
  /** Bytes of the member that have not been read. */
  #left = 0;
  #padding = 0;
  #limit = Number.POSITIVE_INFINITY;

  constructor(stream: AsyncIterable<Buffer>) {
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  /**
   * The next member, if it is a plain file whose header has already arrived; else `null`, and `next` has to be
   * called.
   */
  ready(): ReadMember | null {
    const from = this.#at + this.#padding;
    const isHere = this.#left === 0 && from + TAR_BLOCK <= this.#window.length;
    if (!isHere || this.#window[from + 156] !== FILE) return null;
    this.#at = from;
    this.#padding = 0;
    const block = this.#take(TAR_BLOCK);
    assertSum(block);
    this.#begin(numberAt(block, 124, 12));
    return {
      name: nameIn(block),
      isFile: true,
      isDirectory: false,
      size: this.#left,
      pieces: null,
      records: NONE,
    };
  }

  /** The member's whole content, if it has arrived and none of it was read; else `null`. */
  whole(): Buffer | null {
    if (this.#at + this.#left > this.#window.length) return null;
    const content = this.#take(this.#left);
    this.#left = 0;
    return content;
  }

  /** The next member, skipping the rest of the previous one; `null` at the end of the stream. */
  async next(): Promise<ReadMember | null> {
    while (this.#left > 0) await this.content();
    await this.#skip(this.#padding);
    this.#padding = 0;
    let longName: ByteString | undefined;
    let pax: Map<string, Buffer> = new Map();
    let headers = 0;
    let emptyBlocks = 0;
    for (;;) {
      if (!(await this.#fill(TAR_BLOCK))) {
        if (this.#at === this.#window.length) return null;
        throw broken('it is truncated in a header');
      }
      const block = this.#take(TAR_BLOCK);
      // several archives may follow each other
      if (block.every((byte) => byte === 0)) {
        emptyBlocks += 1;
        if (emptyBlocks > MAX_EMPTY_BLOCKS) throw broken('its end is missing');
        continue;
      }
      assertSum(block);
      const flag = String.fromCharCode(block[156] ?? 0);
      const size = numberAt(block, 124, 12);
      if (flag === 'L' || flag === 'K' || flag === 'x' || flag === 'g') {
        headers += 1;
        if (headers > MAX_HEADERS) throw broken('it has too many headers');
        const content = await this.#whole(size);
        if (flag === 'L') longName = textAt(content, 0, content.length);
        if (flag === 'x') pax = paxRecords(content);
        continue;
      }
      return this.#member(block, flag, size, longName, pax);
    }
  }

  /** The next piece has at most this number of bytes. */
  limit(bytes: number): void {
    this.#limit = bytes;
  }

  /** A piece of the member's content; empty at its end. */
  async content(): Promise<Buffer> {
    if (this.#left === 0) return Buffer.alloc(0);
    if (!(await this.#fill(1))) throw broken('it is truncated in a file');
    const piece = this.#take(Math.min(this.#window.length - this.#at, this.#left, this.#limit));
    this.#limit = Number.POSITIVE_INFINITY;
    this.#left -= piece.length;
    return piece;
  }

  async #member(
    block: Buffer,
    flag: string,
    stored: number,
    longName: ByteString | undefined,
    pax: Map<string, Buffer>,
  ): Promise<ReadMember> {
    const isFile = flag === '0' || flag === '\0' || flag === '7';
    const paxSize = paxNumber(pax, 'size');
    const size = isFile ? (paxSize ?? stored) : 0;
    this.#begin(size);
    const isSparse = pax.get('GNU.sparse.major')?.toString() === '1';
    const name = textOf(isSparse ? pax.get('GNU.sparse.name') : pax.get('path')) ?? longName ?? nameIn(block);
    const base = { name, isFile, isDirectory: flag === '5', records: attributesIn(pax) };
    if (!isSparse) return { ...base, size, pieces: null };
    const real = paxNumber(pax, 'GNU.sparse.realsize');
    if (real === undefined || !isFile) throw broken('a sparse file has no size');
    return { ...base, size: real, pieces: await this.#map(real) };
  }

  /** The map of a file with holes is in front of its content: decimal numbers, a line each, filled up to a block. */
  async #map(real: number): Promise<readonly DataPiece[]> {
    const blocks: Buffer[] = [];
    let lines: string[] = [];
    let wanted = 1;
    while (lines.length <= wanted) {
      if (this.#left < TAR_BLOCK || blocks.length * TAR_BLOCK > 24 * MAX_HOLES)
        throw broken('a sparse map is not terminated');
      if (!(await this.#fill(TAR_BLOCK))) throw broken('it is truncated in a sparse map');
      blocks.push(this.#take(TAR_BLOCK));
      this.#left -= TAR_BLOCK;
      lines = Buffer.concat(blocks).toString('latin1').split('\n');
      if (lines.length > 1) wanted = 2 * decimal(lines[0] ?? '') + 1;
      if (wanted > 2 * MAX_HOLES) throw broken('a sparse file has too many holes');
    }
    const pieces: DataPiece[] = [];
    let end = 0;
    let sum = 0;
    for (let at = 1; at < wanted; at += 2) {
      const piece = { offset: decimal(lines[at] ?? ''), length: decimal(lines[at + 1] ?? '') };
      if (piece.offset < end) throw broken('a sparse map is not in order');
      end = piece.offset + piece.length;
      sum += piece.length;
      pieces.push(piece);
    }
    if (end > real || sum !== this.#left) throw broken('a sparse map does not match its file');
    return pieces;
  }

  async #whole(size: number): Promise<Buffer> {
    if (size > MAX_HEADER_BYTES) throw broken('a name or header is too long');
    const padded = size + ((TAR_BLOCK - (size % TAR_BLOCK)) % TAR_BLOCK);
    if (!(await this.#fill(padded))) throw broken('it is truncated in a header');
    return this.#take(padded).subarray(0, size);
  }

  async #skip(bytes: number): Promise<void> {
    if (bytes === 0) return;
    if (!(await this.#fill(bytes))) throw broken('it is truncated after a file');
    this.#take(bytes);
  }

  #begin(size: number): void {
    this.#left = size;
    this.#padding = (TAR_BLOCK - (size % TAR_BLOCK)) % TAR_BLOCK;
  }

  /** Whether this number of bytes is there. */
  async #fill(bytes: number): Promise<boolean> {
    if (this.#window.length - this.#at >= bytes) return true;
    const held = [this.#window.subarray(this.#at)];
    let length = this.#window.length - this.#at;
    let isOver = false;
    while (length < bytes && !isOver) {
      const { done, value } = await this.#chunks.next();
      if (done) isOver = true;
      else {
        held.push(value);
        length += value.length;
      }
    }
    this.#window = held.length === 2 && held[0]?.length === 0 ? (held[1] as Buffer) : Buffer.concat(held);
    this.#at = 0;
    return !isOver;
  }

  #take(bytes: number): Buffer {
    this.#at += bytes;
    return this.#window.subarray(this.#at - bytes, this.#at);
  }
}

const FILE = '0'.charCodeAt(0);
const NONE: ReadonlyMap<string, Buffer> = new Map();
