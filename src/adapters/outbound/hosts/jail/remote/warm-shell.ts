import type { HostProcess, RemoteHost } from '../../../../../application/ports/fleet/remote-host.ts';
import { DomainError } from '../../../../../domain/base/errors.ts';
import { whenAborted } from '../../shell/when-aborted.ts';
import { OPERATIONS } from './operations.ts';

export interface Conversation {
  /** The lines of one call, as `OPERATIONS` reads them; the second is its mark. */
  readonly lines: readonly [string, string, ...string[]];
  /** The most that it may print on one stream, in bytes. */
  readonly most: number;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** It changes nothing, so that it may be asked again. */
  readonly repeatable: boolean;
}

export interface ShellOutput {
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

/** A shell on a host that runs one operation after another: starting one takes longer than most operations. */
export class WarmShell {
  readonly #process: HostProcess;
  readonly #serverName: string;
  #usable = true;
  /** Fails the running call. */
  #fail: (reason: unknown) => void = () => undefined;

  private constructor(process: HostProcess, serverName: string) {
    this.#process = process;
    this.#serverName = serverName;
    const over = (): void => {
      this.#usable = false;
    };
    process.exit
      .then(
        () => this.#fail(this.#ended()),
        (error: unknown) => this.#fail(error),
      )
      .finally(over);
    // a write to an exited shell shows in its exit
    for (const stream of [process.stdin, process.stdout, process.stderr]) stream.on('error', over);
  }

  static async start(host: RemoteHost, serverName: string, signal?: AbortSignal): Promise<WarmShell> {
    signal?.throwIfAborted();
    const starting = new AbortController();
    const forget = whenAborted(signal, () => starting.abort(signal?.reason));
    try {
      return new WarmShell(await host.open({ script: OPERATIONS }, { signal: starting.signal }), serverName);
    } finally {
      forget();
    }
  }

  /** False once it has ended, or may be out of step. */
  get usable(): boolean {
    return this.#usable;
  }

  /**
   * One call at a time. Throws `host_connection_lost`, `host_timeout`, or the signal's reason; then the operation may
   * have been done, and the shell is ended.
   */
  async ask({ lines, most, timeoutMs, signal }: Conversation): Promise<ShellOutput> {
    signal?.throwIfAborted();
    const failure = new Promise<never>((_resolve, reject) => {
      this.#fail = reject;
    });
    if (!this.#usable) this.#fail(this.#ended());
    const timer = setTimeout(() => this.#fail(this.#late(timeoutMs)), timeoutMs);
    const forget = whenAborted(signal, () => this.#fail(signal?.reason));
    const { stdin, stdout, stderr, exit } = this.#process;
    const end = Buffer.from(`\n${lines[1]} over\n`);
    try {
      const said = Promise.all([until(stdout, end, most), until(stderr, end, most)]);
      stdin.write(lines.map(asLine).join(''));
      const [out, err] = await Promise.race([said, failure]);
      return { stdout: out, stderr: err };
    } catch (error) {
      this.#usable = false;
      this.#process.kill();
      // an abort shows that all has ended
      if (signal?.aborted) await exit.catch(() => undefined);
      throw error;
    } finally {
      clearTimeout(timer);
      forget();
      this.#fail = () => undefined;
    }
  }

  end(): void {
    this.#usable = false;
    this.#process.stdin.end();
    this.#process.stdout.resume();
    this.#process.stderr.resume();
  }

  #late(ms: number): DomainError {
    return new DomainError(
      'host_timeout',
      `An operation on "${this.#serverName}" did not end within ${ms / 1000} s; it was ended.`,
    );
  }

  #ended(): DomainError {
    return new DomainError('host_connection_lost', `The shell on "${this.#serverName}" was ended.`);
  }
}

function asLine(value: string): string {
  if (/[\0\n]/.test(value)) throw new TypeError('a value of a call is one line');
  return `${value}\n`;
}

/** What a stream contains before this end mark. */
function until(stream: HostProcess['stdout'], end: Buffer, most: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let tail: Buffer = Buffer.alloc(0);
    const settle = (settled: () => void): void => {
      stream.off('data', take);
      stream.off('error', reject);
      // dropped, and its end noticed, while there is no call
      stream.resume();
      settled();
    };
    const take = (chunk: Buffer): void => {
      chunks.push(chunk);
      size += chunk.length;
      tail = chunk.length >= end.length ? chunk : Buffer.concat([tail, chunk]).subarray(-end.length);
      if (tail.subarray(-end.length).equals(end)) {
        settle(() => resolve(Buffer.concat(chunks).subarray(0, -end.length)));
      } else if (size > most + end.length) {
        settle(() => reject(new DomainError('host_command_failed', 'The host printed more than requested.')));
      }
    };
    stream.on('data', take);
    stream.once('error', reject);
  });
}
