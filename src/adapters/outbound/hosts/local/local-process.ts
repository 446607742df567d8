import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough, pipeline, type Readable, type Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HostProcess, ProcessExit } from '../../../../application/ports/fleet/remote-host.ts';
import { DomainError } from '../../../../domain/base/errors.ts';

const GRACE_MS = 2_000;
const POLL_MS = 20;
/** Output of a dead group is in the pipes already; this is for reading it. */
const FLUSH_MS = 200;

/** Signals a whole process group. Throws what `process.kill` throws: ESRCH if the group is empty. */
export type SignalGroup = (groupId: number, signal: 'SIGTERM' | 'SIGKILL') => Promise<void> | void;

/** A local program in a separate session, so that it can be ended together with its children. */
export class LocalProcess implements HostProcess {
  readonly exit: Promise<ProcessExit>;
  readonly stdout: PassThrough;
  readonly stderr: PassThrough;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #groupId: number;
  readonly #signalGroup: SignalGroup;
  #isGone = false;
  #ending: Promise<void> | null = null;
  #lost: DomainError | null = null;

  private constructor(child: ChildProcessWithoutNullStreams, groupId: number, signalGroup: SignalGroup) {
    this.#child = child;
    this.#groupId = groupId;
    this.#signalGroup = signalGroup;
    this.stdout = keptUntilRead(child.stdout);
    this.stderr = keptUntilRead(child.stderr);
    this.exit = this.#watch([this.stdout, this.stderr]);
    // the caller may ignore an exit or a stream
    this.exit.catch(() => undefined);
    for (const stream of [child.stdin, this.stdout, this.stderr]) stream.on('error', () => undefined);
  }

  static async start(
    program: string,
    args: readonly string[],
    options: {
      readonly env: Record<string, string>;
      readonly cwd: string;
      readonly signalGroup: SignalGroup;
    },
  ): Promise<LocalProcess> {
    const { env, cwd, signalGroup } = options;
    const child = spawn(program, [...args], { env, cwd, detached: true, stdio: 'pipe' });
    if (child.pid === undefined) {
      const [error]: unknown[] = await once(child, 'error');
      const reason = error instanceof Error ? error.message : String(error);
      throw new DomainError(
        'host_command_failed',
        `"${program}" cannot be started on this machine: ${reason}.`,
      );
    }
    return new LocalProcess(child, child.pid, signalGroup);
  }

  get stdin(): Writable {
    return this.#child.stdin;
  }

  kill(): void {
    if (this.#ending) return;
    this.#ending = this.#end();
  }

  /** Ends it because the service stops: `exit` rejects with `host_connection_lost`. */
  async abandon(): Promise<void> {
    this.#lost = new DomainError('host_connection_lost', 'The service stopped while a command was running.');
    this.kill();
    await this.exit.catch(() => undefined);
  }

  async #watch(outputs: readonly PassThrough[]): Promise<ProcessExit> {
    const [exitCode, signal] = await new Promise<[number | null, string | null]>((resolve) => {
      this.#child.once('close', (code, name) => resolve([code, name]));
    });
    this.#isGone = true;
    await Promise.allSettled(outputs.map(untilRead));
    if (this.#lost) throw this.#lost;
    return { exitCode, signal };
  }

  async #end(): Promise<void> {
    // once it is gone, its id may be another's
    let left = !this.#isGone && (await this.#signal('SIGTERM'));
    for (let waited = 0; left && waited < GRACE_MS; waited += POLL_MS) {
      await sleep(POLL_MS);
      left = this.#groupIsThere();
    }
    if (left) await this.#signal('SIGKILL');
    // processes outside the group may hold the pipes forever, and what is left may have no reader
    const flushed = new AbortController();
    this.exit.catch(() => undefined).finally(() => flushed.abort());
    await sleep(FLUSH_MS, undefined, { signal: flushed.signal }).catch(() => undefined);
    this.#child.stdin.destroy();
    this.stdout.destroy();
    this.stderr.destroy();
  }

  /** False if the group is empty. */
  async #signal(signal: 'SIGTERM' | 'SIGKILL'): Promise<boolean> {
    try {
      await this.#signalGroup(this.#groupId, signal);
      return true;
    } catch {
      return this.#groupIsThere();
    }
  }

  #groupIsThere(): boolean {
    try {
      return process.kill(-this.#groupId, 0);
    } catch (error) {
      return error instanceof Error && 'code' in error && error.code === 'EPERM';
    }
  }
}

/** Node drops what has no reader yet when the program ends. */
function keptUntilRead(output: Readable): PassThrough {
  const kept = new PassThrough();
  // readers hear of a failure from the stream itself
  pipeline(output, kept, () => undefined);
  return kept;
}

/** An output without a byte needs no reader. */
async function untilRead(output: PassThrough): Promise<void> {
  await finished(output, { readable: false });
  await finished(output, { writable: false });
}
