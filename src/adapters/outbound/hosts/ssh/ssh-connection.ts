import type { Duplex } from 'node:stream';
import type { Client, ClientCallback, ClientChannel } from 'ssh2';
import type { ProcessExit } from '../../../../application/ports/fleet/remote-host.ts';
import { DomainError } from '../../../../domain/base/errors.ts';
import { commandLine, END_GROUPS_SCRIPT } from './command-line.ts';
import { nameOf, type Target, wordsOf } from './connect-errors.ts';

const END_MS = 1_000;
/** SSH_OPEN_ADMINISTRATIVELY_PROHIBITED (RFC 4254, 5.1). */
const PROHIBITED = 1;

/** Why a channel was not opened. In every case nothing of the request was carried out. */
export class ChannelNotOpened extends Error {
  /** `gone`: the connection is dead or will not answer. `refused`: the host refused, with its own message. */
  readonly kind: 'gone' | 'refused';
  /** The host's settings do not allow it. */
  readonly prohibited: boolean;

  constructor(kind: 'gone' | 'refused', words: string, prohibited = false) {
    super(words);
    this.name = 'ChannelNotOpened';
    this.kind = kind;
    this.prohibited = prohibited;
  }
}

/** A channel on which a command runs. */
export interface ExecChannel {
  readonly channel: ClientChannel;
  /** How the command ended, once the host has said so. */
  ended(): ProcessExit | null;
}

/**
 * A short command's end may come in the same packet as its start, before the caller that awaits the channel can
 * listen.
 */
function recordExit(channel: ClientChannel): ExecChannel {
  let ended: ProcessExit | null = null;
  // ssh2 reports a write that comes too late to the writer as well
  channel.on('error', () => undefined);
  channel.once('exit', (exitCode: number | null, signal?: string) => {
    ended = { exitCode, signal: signal ?? null };
  });
  return { channel, ended: () => ended };
}

/** One logged-in connection. It counts its commands; the pool decides who may use it. */
export class SshConnection {
  readonly name: string;
  /** Running and starting commands. */
  sessions = 0;
  /** Connections to other hosts that run through this one. */
  forwards = 0;
  /**
   * Aborted when the connection is closed; then `lost` is set. Not a promise: that would keep everything that any
   * waiting command held, for as long as the connection lives.
   */
  readonly gone: AbortSignal;
  readonly #closed: Promise<void>;
  readonly #client: Client;
  readonly #socket: Duplex;
  readonly #openTimeoutMs: number;
  readonly #ender: GroupEnder;
  #lastWords = 'the host closed it';
  #lost: DomainError | null = null;

  constructor(client: Client, socket: Duplex, target: Target, openTimeoutMs: number) {
    this.name = nameOf(target);
    this.#ender = new GroupEnder((line) => this.exec(line));
    this.#client = client;
    this.#socket = socket;
    this.#openTimeoutMs = openTimeoutMs;
    client.on('error', (error) => {
      this.#lastWords = wordsOf(error);
    });
    this.#closed = new Promise((resolve) => {
      client.once('close', () => {
        this.#lost = new DomainError(
          'host_connection_lost',
          `The connection to ${this.name} was lost: ${this.#lastWords}.`,
        );
        resolve();
      });
    });
    const gone = new AbortController();
    this.gone = gone.signal;
    // ssh2's remaining channel events come first
    void this.#closed.then(() => gone.abort());
  }

  /** Set once the connection is closed. */
  get lost(): DomainError | null {
    return this.#lost;
  }

  get idle(): boolean {
    return this.sessions === 0 && this.forwards === 0;
  }

  /**
   * Asks the host to run a command line. Throws `ChannelNotOpened` if it certainly did not run, else
   * `host_connection_lost` or `host_unsupported`.
   */
  exec(line: string): Promise<ExecChannel> {
    return this.#open((done) => this.#client.exec(line, done), recordExit);
  }

  /** Connects from this host to another. Throws as `exec`. */
  async forward({ hostname, port }: { hostname: string; port: number }): Promise<Duplex> {
    const channel = await this.#open(
      (done) => this.#client.forwardOut('127.0.0.1', 0, hostname, port, done),
      (opened) => opened,
    );
    this.forwards += 1;
    channel.once('close', () => {
      this.forwards -= 1;
    });
    return channel;
  }

  /** Ends a process group there; settles when that is done. */
  endGroup(group: string, options: { readonly sudo: boolean }): Promise<void> {
    return this.#ender.end(group, options);
  }

  /** Closes the connection in good order, and by force when the host does not follow. */
  async end(reason = 'the service closed it'): Promise<void> {
    this.#lastWords = reason;
    this.#client.end();
    const force = setTimeout(() => this.#socket.destroy(), END_MS);
    await this.#closed;
    clearTimeout(force);
  }

  /** `take` sees the channel before anything can happen on it. */
  #open<Taken>(
    request: (done: ClientCallback) => void,
    take: (channel: ClientChannel) => Taken,
  ): Promise<Taken> {
    return new Promise((resolve, reject) => {
      let settled = false;
      const late = setTimeout(() => {
        settled = true;
        reject(this.#onSilence());
      }, this.#openTimeoutMs);
      const done: ClientCallback = (error, channel) => {
        clearTimeout(late);
        if (error) reject(this.#notOpened(error));
        else if (settled) channel.close();
        else resolve(take(channel));
      };
      try {
        request(done);
      } catch (error) {
        clearTimeout(late);
        reject(new ChannelNotOpened('gone', wordsOf(error)));
      }
    });
  }

  #onSilence(): Error {
    const words = `${this.name} did not open a channel within ${this.#openTimeoutMs / 1000} s`;
    // a connection that carries something else is left to its keepalive, and the request may still be carried out
    if (this.sessions + this.forwards > 1) return new DomainError('host_connection_lost', `${words}.`);
    this.#lastWords = words;
    this.#socket.destroy();
    return new ChannelNotOpened('gone', words);
  }

  #notOpened(error: Error): Error {
    if ('reason' in error) {
      return new ChannelNotOpened('refused', wordsOf(error), error.reason === PROHIBITED);
    }
    // ssh2 fails with these words once the request has been sent
    if (!/unable to exec|channel is not open/i.test(error.message)) {
      return new ChannelNotOpened('gone', wordsOf(error));
    }
    if (this.#lost) return this.#lost;
    return new DomainError(
      'host_unsupported',
      `${this.name} does not run commands: its SSH server refused one.`,
    );
  }
}

interface Batch {
  readonly groups: string[];
  readonly done: Promise<void>;
}

/**
 * Ends process groups on a host, by a command beside those that are to end. One such command runs at a time on a
 * connection, so that ending many does not run into the host's limit of sessions.
 */
class GroupEnder {
  readonly #exec: (line: string) => Promise<{ channel: ClientChannel }>;
  readonly #next = new Map<boolean, Batch>();
  #last: Promise<void> = Promise.resolve();

  constructor(exec: (line: string) => Promise<{ channel: ClientChannel }>) {
    this.#exec = exec;
  }

  /** Settles when the group has been sent its signals, or this could not be done. Never rejects. */
  end(group: string, options: { readonly sudo: boolean }): Promise<void> {
    const batch = this.#next.get(options.sudo) ?? this.#newBatch(options.sudo);
    batch.groups.push(group);
    return batch.done;
  }

  #newBatch(sudo: boolean): Batch {
    const groups: string[] = [];
    const done = this.#last.then(() => {
      this.#next.delete(sudo);
      return this.#run(groups, sudo).catch(() => undefined);
    });
    this.#last = done;
    const batch = { groups, done };
    this.#next.set(sudo, batch);
    return batch;
  }

  async #run(groups: readonly string[], sudo: boolean): Promise<void> {
    const { channel } = await this.#exec(commandLine({ script: END_GROUPS_SCRIPT, args: groups }, { sudo }));
    await new Promise((resolve) => {
      channel.once('close', resolve);
      channel.resume();
      channel.stderr.resume();
      channel.end();
    });
  }
}
