import { writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

/** Lines wait this long at most, in milliseconds, or until this many characters have gathered. */
const MAX_WAIT_MS = 200;
const FULL = 16_384;

/** The maximum of unread characters and bytes; later lines are dropped, and counted. */
const MAX_KEPT = 1_048_576;

/** At the very end a slow reader is given this long. */
const LAST_TRIES = 50;
const LAST_PAUSE_MS = 20;

const NOTHING = Buffer.alloc(0);

/**
 * Buffers log lines and writes many together: a write for each line costs as much as answering a request. Writes are
 * synchronous, so that flushed lines are out, whatever happens to the process.
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

  /**
   * Writes all buffered lines, as far as they are accepted; the rest waits. Never throws: there is nowhere to report
   * it.
   */
  flush(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    const bytes = Buffer.concat([this.#rest, Buffer.from(this.#lines + this.#noteOfLost())]);
    this.#lines = '';
    this.#rest = bytes.subarray(this.#put(bytes));
    if (this.#rest.length > 0) this.#later();
  }

  /** The final `flush`. */
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
      // A full pipe is usually read later. But its reader may be dead, or the disk full: that must not accumulate.
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
