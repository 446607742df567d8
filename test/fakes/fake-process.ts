import { once } from 'node:events';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { whenAborted } from '../../src/adapters/outbound/hosts/shell/when-aborted.ts';
import type { HostCommand, HostProcess, ProcessExit } from '../../src/application/ports/fleet/remote-host.ts';
import { DomainError } from '../../src/domain/base/errors.ts';

/** A handler's input: the command, its three streams from the inside, and the end. */
export interface FakeCall {
  readonly script: string;
  readonly args: readonly string[];
  readonly asRoot: boolean;
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Aborted when the command is killed or its connection cut. */
  readonly signal: AbortSignal;
  /** Breaks the connection under this command. */
  cut(): void;
}

/** Text is printed to stdout, a number is the exit code. */
export type FakeReply =
  | void
  | string
  | Uint8Array
  | number
  | {
      readonly stdout?: string | Uint8Array;
      readonly stderr?: string | Uint8Array;
      readonly exitCode?: number | null;
      readonly signal?: string | null;
    };

export type FakeHandler = (call: FakeCall) => FakeReply | Promise<FakeReply>;

/** A running command whose inside is a function. */
export class FakeProcess implements HostProcess {
  readonly stdin = new PassThrough();
  readonly stdout = new PassThrough();
  readonly stderr = new PassThrough();
  readonly exit: Promise<ProcessExit>;
  #resolve: (exit: ProcessExit) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;
  readonly #ending = new AbortController();
  readonly #serverName: string;
  readonly #command: HostCommand;
  readonly #handler: FakeHandler;

  constructor(serverName: string, command: HostCommand, handler: FakeHandler) {
    this.#serverName = serverName;
    this.#command = command;
    this.#handler = handler;
    this.exit = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // the caller may ignore a stream or an exit
    this.exit.catch(() => undefined);
    for (const stream of [this.stdin, this.stdout, this.stderr]) stream.on('error', () => undefined);
  }

  start(stdin: Buffer, signal: AbortSignal | undefined): void {
    if (stdin.length > 0) this.stdin.write(stdin);
    this.exit.finally(whenAborted(signal, () => this.kill())).catch(() => undefined);
    if (!signal?.aborted) void this.#run();
  }

  kill(): void {
    if (this.#ending.signal.aborted) return;
    this.#ending.abort();
    this.stdin.destroy();
    this.stdout.end();
    this.stderr.end();
    this.#resolve({ exitCode: null, signal: 'SIGTERM' });
  }

  cut(): void {
    if (this.#ending.signal.aborted) return;
    this.#ending.abort();
    const lost = new DomainError('host_connection_lost', `The connection to "${this.#serverName}" was lost.`);
    this.#reject(lost);
    for (const stream of [this.stdin, this.stdout, this.stderr]) stream.destroy(lost);
  }

  async #run(): Promise<void> {
    const { script, args = [], asRoot = false } = this.#command;
    const call: FakeCall = {
      script,
      args,
      asRoot,
      stdin: this.stdin,
      stdout: this.stdout,
      stderr: this.stderr,
      signal: this.#ending.signal,
      cut: () => this.cut(),
    };
    try {
      const reply = await this.#handler(call);
      if (!this.#ending.signal.aborted) await this.#finish(reply);
    } catch (error) {
      if (this.#ending.signal.aborted) return;
      this.#reject(error);
      this.stdout.destroy();
      this.stderr.destroy();
    }
  }

  async #finish(reply: FakeReply): Promise<void> {
    const answer = typeof reply === 'object' && !(reply instanceof Uint8Array) ? reply : {};
    const printed = typeof reply === 'string' || reply instanceof Uint8Array ? reply : answer.stdout;
    this.stdout.end(printed ?? '');
    this.stderr.end(answer.stderr ?? '');
    await Promise.all([this.#readToEnd(this.stdout), this.#readToEnd(this.stderr)]);
    this.stdin.destroy();
    const exitCode = typeof reply === 'number' ? reply : answer.signal ? null : (answer.exitCode ?? 0);
    this.#resolve({ exitCode, signal: answer.signal ?? null });
  }

  async #readToEnd(stream: PassThrough): Promise<void> {
    if (!stream.readableEnded)
      await once(stream, 'end', { signal: this.#ending.signal }).catch(() => undefined);
  }
}
