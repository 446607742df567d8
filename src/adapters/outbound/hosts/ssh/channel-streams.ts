import { Readable, Writable } from 'node:stream';
import type { ClientChannel } from 'ssh2';
import { START_MARK } from './command-line.ts';

/** How much noise before the mark is kept: enough to contain a mark, and to explain why none came. Bytes. */
const NOISE_BYTES = 4_096;
const BUFFER_BYTES = 256 * 1024;

/**
 * One output stream of a command: the part after the mark. ssh2 ends its stream in the same way for an ended command
 * and a lost connection; this one fails if output may be missing.
 */
export class CommandOutput extends Readable {
  /** The process group in the mark; rejects with what came instead. */
  readonly mark: Promise<string>;
  readonly #source: Readable;
  readonly #missing: () => Error | null;
  readonly #abandoned: () => void;
  #ended = false;
  #noise: Buffer | null = Buffer.alloc(0);
  #resolveMark: (group: string) => void = () => undefined;
  #rejectMark: (error: Error) => void = () => undefined;

  /** `missing`: why output may be missing at the end; `abandoned`: the reader has left, as by breaking out of a loop. */
  constructor(source: Readable, missing: () => Error | null, abandoned: () => void) {
    super({ highWaterMark: BUFFER_BYTES });
    this.#source = source;
    this.#missing = missing;
    this.#abandoned = abandoned;
    this.mark = new Promise((resolve, reject) => {
      this.#resolveMark = resolve;
      this.#rejectMark = reject;
    });
    this.mark.catch(() => undefined);
    // reported by the command's exit, if the stream is ignored
    this.on('error', () => undefined);
    source.on('data', (chunk: Buffer) => this.#take(chunk));
    source.once('end', () => this.#end());
  }

  /** The output instead of the mark. */
  get noise(): string {
    return this.#noise?.toString('utf8') ?? '';
  }

  override _read(): void {
    this.#source.resume();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    // the rest is dropped: ssh2 reports the end of a command only when its output is read
    this.#source.resume();
    if (!this.#ended) this.#abandoned();
    done(error);
  }

  #take(chunk: Buffer): void {
    if (this.destroyed) return;
    const output = this.#noise ? this.#afterMark(Buffer.concat([this.#noise, chunk])) : chunk;
    if (output.length > 0 && !this.push(output)) this.#source.pause();
  }

  #afterMark(printed: Buffer): Buffer {
    // in latin1 a character is a byte, so places in the text are places in the buffer
    const match = START_MARK.exec(printed.toString('latin1'));
    if (!match) {
      this.#noise = printed.subarray(-NOISE_BYTES);
      return Buffer.alloc(0);
    }
    this.#noise = null;
    this.#resolveMark(match.groups?.['group'] ?? '');
    return printed.subarray(match.index + match[0].length);
  }

  #end(): void {
    this.#ended = true;
    this.#rejectMark(new Error('the output ended before the mark'));
    const missing = this.#missing();
    if (missing) this.destroy(missing);
    else this.push(null);
  }
}

/** A command's standard input. ssh2's own stream throws, or never calls back, once the channel is closed. */
export function commandInput(channel: ClientChannel): Writable {
  let closed = false;
  const input = new Writable({
    highWaterMark: BUFFER_BYTES,
    write: (chunk: Buffer, _encoding, done) => {
      if (closed) return done(new Error('the command no longer reads its input'));
      try {
        channel.write(chunk, done);
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)));
      }
    },
    final: (done) => {
      if (closed) return done();
      channel.end(done);
    },
  });
  input.on('error', () => undefined);
  channel.once('close', () => {
    closed = true;
    input.destroy();
  });
  return input;
}
