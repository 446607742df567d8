import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { HostProcess, ProcessExit } from '../../../../application/ports/fleet/remote-host.ts';
import { DomainError } from '../../../../domain/base/errors.ts';
import { whenAborted } from '../shell/when-aborted.ts';
import { CommandOutput, commandInput } from './channel-streams.ts';
import type { ExecChannel } from './ssh-connection.ts';
import { settlesWithin } from './waiting.ts';

/** A command that is to end gets this long to start before its channel is closed instead. */
const START_MS = 1_000;
/** For TERM, the grace before KILL, and the answer of the host. */
const END_MS = 5_000;
/** The output of an ended command may still be on its way. */
const FLUSH_MS = 200;
const CLOSE_MS = 1_000;

/** What a process needs of its connection. */
export interface ProcessCarrier {
  /** For errors: `"web1" (10.0.0.1:22)`. */
  readonly name: string;
  /** Aborted when the connection is closed; then `lost` is set. */
  readonly gone: AbortSignal;
  lost(): DomainError | null;
  /** Ends a process group; settles when that is done. */
  endGroup(group: string): Promise<void>;
  /** The host no longer responds: close the connection, if nothing else uses it. */
  distrust(): void;
}

/** A command on its own channel. */
export class SshProcess implements HostProcess {
  readonly stdin: Writable;
  readonly stdout: CommandOutput;
  readonly stderr: CommandOutput;
  readonly exit: Promise<ProcessExit>;
  /** Settles when the command runs; rejects when its channel is closed before. */
  readonly started: Promise<void>;
  /** Settles, never rejects, when the channel no longer exists. */
  readonly gone: Promise<void>;
  readonly #opened: ExecChannel;
  readonly #carrier: ProcessCarrier;
  #isGone = false;
  #ending: Promise<void> | null = null;
  #giveUp: (error: DomainError) => void = () => undefined;

  constructor(opened: ExecChannel, carrier: ProcessCarrier) {
    const { channel } = opened;
    this.#opened = opened;
    this.#carrier = carrier;
    // not even an exit code means that all output has come: sshd sends the code when the command ends
    const missing = (): Error | null => carrier.lost();
    const abandoned = (): void => this.kill();
    this.stdin = commandInput(channel);
    this.stdout = new CommandOutput(channel, missing, abandoned);
    this.stderr = new CommandOutput(channel.stderr, missing, abandoned);
    this.started = Promise.all([this.stdout.mark, this.stderr.mark]).then(() => undefined);
    const closed = new Promise<void>((resolve, reject) => {
      // the connection carries others yet: it is to keep nothing of a command that has ended
      const forget = whenAborted(carrier.gone, () =>
        reject(carrier.lost() ?? new Error('the connection is gone')),
      );
      channel.once('close', () => {
        forget();
        resolve();
      });
      this.#giveUp = reject;
    });
    this.gone = closed
      .catch(() => undefined)
      .then(() => {
        this.#isGone = true;
      });
    this.exit = this.#watch(closed);
    this.started.catch(() => undefined);
    this.exit.catch(() => undefined);
  }

  /** Set if the connection was lost before the command ended. */
  get lost(): DomainError | null {
    return this.#carrier.lost();
  }

  kill(): void {
    if (this.#ending) return;
    this.#ending = this.#isGone ? this.#dropUnread() : this.#end();
  }

  async #watch(closed: Promise<void>): Promise<ProcessExit> {
    try {
      await closed;
    } catch (error) {
      this.#isGone = true;
      const lost = error instanceof Error ? error : new Error(String(error));
      for (const stream of [this.stdin, this.stdout, this.stderr]) stream.destroy(lost);
      throw error;
    }
    await Promise.allSettled([finished(this.stdout), finished(this.stderr)]);
    const ended = this.#opened.ended();
    if (ended) return ended;
    if (this.#ending) return { exitCode: null, signal: 'SIGTERM' };
    const detail = `${this.#carrier.name} closed a command's channel without saying how the command ended.`;
    throw this.#carrier.lost() ?? new DomainError('host_connection_lost', detail);
  }

  async #end(): Promise<void> {
    if (await settlesWithin(this.started, START_MS)) {
      const ended = this.stdout.mark.then((group) => this.#carrier.endGroup(group));
      await settlesWithin(Promise.race([ended, this.gone]), END_MS);
    }
    await settlesWithin(this.gone, FLUSH_MS);
    // processes outside the group may hold the channel open forever, without a reader
    this.stdout.destroy();
    this.stderr.destroy();
    this.#closeChannel();
    if (await settlesWithin(this.gone, CLOSE_MS)) return;
    const detail = `${this.#carrier.name} does not answer while a command is being ended; it may still be running there.`;
    this.#giveUp(new DomainError('host_connection_lost', detail));
    this.#carrier.distrust();
  }

  /** What is left may have no reader. */
  async #dropUnread(): Promise<void> {
    await settlesWithin(this.exit, FLUSH_MS);
    this.stdout.destroy();
    this.stderr.destroy();
  }

  #closeChannel(): void {
    try {
      this.#opened.channel.close();
    } catch {
      // the connection went first, and the channel with it
    }
  }
}
