import { writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

/** Lines wait this long at most, in milliseconds, and no longer than until so many characters have gathered. */
const MAX_WAIT_MS = 200;
const FULL = 16_384;

/** Of what nobody reads so many characters and bytes are kept; later lines are lost, and counted. */
const MAX_KEPT = 1_048_576;

/** At the very end a slow reader is given this long. */
const LAST_TRIES = 50;
const LAST_PAUSE_MS = 20;

const NOTHING = Buffer.alloc(0);

/**
 * Gathers log lines and writes many at once: a write for each line costs as much as answering a request. Writes are
 * synchronous, so that what was flushed is out, whatever becomes of the process.
 */
export class LineBuffer implements DestinationStream {
  readonly #fd: number;
  #lines = '';
  /** Bytes that were not taken yet. */
  #rest: Buffer = NOTHING;
  #lost = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(fd: number) {
    this.#fd = fd;
  }

  write(line: string): void {
    if (this.#lines.length + this.#rest.length > MAX_KEPT) {
      this.#lost += 1;
      return;
    }
    this.#lines += line;
    if (this.#lines.length >= FULL) this.flush();
    else this.#later();
  }

  /** Writes all that waits, as far as it is taken; the rest waits on. Never throws: there is nowhere to tell it. */
  flush(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    const bytes = Buffer.concat([this.#rest, Buffer.from(this.#lines + this.#noteOfLost())]);
    this.#lines = '';
    this.#rest = bytes.subarray(this.#put(bytes));
    if (this.#rest.length > 0) this.#later();
  }

  /** `flush` where there is no later. */
  flushAtEnd(): void {
    this.flush();
    for (let tries = 0; this.#rest.length > 0 && tries < LAST_TRIES; tries += 1) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LAST_PAUSE_MS);
      this.flush();
    }
  }

  #later(): void {
    this.#timer ??= setTimeout(() => this.flush(), MAX_WAIT_MS).unref();
  }

  /** How many bytes are done with. */
  #put(bytes: Buffer): number {
    let written = 0;
    try {
      while (written < bytes.length) written += writeSync(this.#fd, bytes, written);
    } catch (error) {
      // A full pipe is emptied sometime. But its reader may be gone, or the disk full: that must not pile up.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return bytes.length;
    }
    return written;
  }

  #noteOfLost(): string {
    if (this.#lost === 0) return '';
    const note = {
      level: 'warn',
      time: new Date().toISOString(),
      lines: this.#lost,
      message: 'log lines were lost',
    };
    this.#lost = 0;
    return `${JSON.stringify(note)}\n`;
  }
}
