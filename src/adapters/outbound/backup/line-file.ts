import type { FileHandle } from 'node:fs/promises';
import { type ByteString, bytesOfBuffer } from './byte-string.ts';
import { openToRead } from './store-directory.ts';

/** Longer than any line: one of a manifest has at most 64 KiB. */
const CHUNK_BYTES = 256 * 1024;

/** Appends lines to a file. They go into one buffer at once: many strings that wait outlive what collects them cheaply. */
export class LineFile {
  readonly #file: FileHandle;
  readonly #onChunk: (chunk: Buffer) => void;
  readonly #chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  #bytes = 0;

  /** `onChunk` gets what is about to be written. */
  constructor(file: FileHandle, onChunk: (chunk: Buffer) => void = () => undefined) {
    this.#file = file;
    this.#onChunk = onChunk;
  }

  /** Await what it returns before you add more. */
  add(line: ByteString): void | Promise<void> {
    if (this.#bytes + line.length >= CHUNK_BYTES) return this.#flush().then(() => this.#put(line));
    this.#put(line);
  }

  /** Does not flush the file to disk. `start`: what replaces the bytes that the file starts with. */
  async finish(start?: Buffer): Promise<void> {
    await this.#flush();
    if (start) await this.#file.write(start, 0, start.length, 0);
    await this.#file.close();
  }

  /** Closes a file that is given up. */
  async abandon(): Promise<void> {
    await this.#file.close().catch(() => undefined);
  }

  #put(line: ByteString): void {
    this.#bytes += this.#chunk.write(line, this.#bytes, 'latin1');
    this.#chunk[this.#bytes] = LINE_FEED;
    this.#bytes += 1;
  }

  async #flush(): Promise<void> {
    const chunk = this.#chunk.subarray(0, this.#bytes);
    this.#bytes = 0;
    this.#onChunk(chunk);
    await this.#file.appendFile(chunk);
  }
}

const LINE_FEED = 0x0a;

/** A file's bytes. Each chunk is valid until the next: a buffer for each would cost more than to read it. */
export async function* chunksOf(path: string): AsyncGenerator<Buffer, undefined, undefined> {
  const file = await openToRead(path);
  const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  try {
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, null);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

/** The lines of a file, many at a time. What follows the last line feed is left out. */
export async function* linesOf(path: string): AsyncGenerator<ByteString[], undefined, undefined> {
  let rest = '';
  for await (const chunk of chunksOf(path)) {
    const lines = `${rest}${bytesOfBuffer(chunk)}`.split('\n') as ByteString[];
    rest = lines.pop() ?? '';
    yield lines;
  }
}
