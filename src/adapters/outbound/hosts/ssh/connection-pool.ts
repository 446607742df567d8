import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { DomainError } from '../../../../domain/base/errors.ts';
import { whenAborted } from '../shell/when-aborted.ts';
import type { IdleConnections } from './idle-connections.ts';
import { ChannelNotOpened, type ExecChannel, type SshConnection } from './ssh-connection.ts';
import { unlessAborted } from './waiting.ts';

export interface PoolLimits {
  readonly sessionsPerConnection: number;
  readonly connections: number;
}

/** A place on a connection for one command. */
export interface Lease {
  readonly connection: SshConnection;
  /** Safe to call more than once. */
  release(): void;
}

interface Waiter {
  readonly resolve: (lease: Lease) => void;
  readonly reject: (error: unknown) => void;
}

/** After one more connection could not be made, commands share those that are there for this long. */
const DIAL_AGAIN_MS = 5_000;

interface State {
  /** Accepts no more commands, and ends with its last one. */
  retired: boolean;
}

/**
 * The connections to one host with one login. Commands share a connection up to a limit, then the next is opened;
 * when all are full, commands wait in order.
 */
export class ConnectionPool {
  readonly #dial: (signal: AbortSignal) => Promise<SshConnection>;
  readonly #limits: PoolLimits;
  readonly #idle: IdleConnections<SshConnection>;
  readonly #sessionLimit: SessionLimit;
  readonly #onEmpty: () => void;
  readonly #connections = new Map<SshConnection, State>();
  readonly #waiting = new Set<Waiter>();
  readonly #closing = new AbortController();
  #dialing = 0;
  #dialAgainAt = 0;

  constructor(
    dial: (signal: AbortSignal) => Promise<SshConnection>,
    limits: PoolLimits,
    idle: IdleConnections<SshConnection>,
    onEmpty: () => void,
  ) {
    this.#dial = dial;
    this.#limits = limits;
    this.#idle = idle;
    this.#onEmpty = onEmpty;
    this.#sessionLimit = new SessionLimit(limits.sessionsPerConnection);
  }

  /** A place on a connection, now or when one is free. Throws connection errors, or the signal's reason. */
  async acquire(signal?: AbortSignal): Promise<Lease> {
    signal?.throwIfAborted();
    this.#closing.signal.throwIfAborted();
    const { promise, waiter } = newWaiter();
    this.#waiting.add(waiter);
    this.#serve();
    try {
      return await unlessAborted(promise, signal);
    } catch (error) {
      if (!this.#waiting.delete(waiter)) promise.then((lease) => lease.release()).catch(() => undefined);
      throw error;
    }
  }

  /** Runs a command line, on another connection if the first is dead. The lease is the caller's. */
  async exec(line: string, signal?: AbortSignal): Promise<{ opened: ExecChannel; lease: Lease }> {
    const tryAgain = this.#sessionLimit.newPatience();
    return this.#onConnection((connection) => connection.exec(line), tryAgain, signal);
  }

  /** A connection from this host to another. Throws `ChannelNotOpened` if this host refuses. */
  async forward(to: { hostname: string; port: number }, signal: AbortSignal): Promise<Duplex> {
    const { opened: channel, lease } = await this.#onConnection(
      (connection) => connection.forward(to),
      async () => false,
      signal,
    );
    lease.release();
    channel.once('close', () => this.#rest(lease.connection));
    return channel;
  }

  /** Retires a connection; its running commands may end. */
  retire(connection: SshConnection): void {
    const state = this.#connections.get(connection);
    if (state) state.retired = true;
    this.#rest(connection);
  }

  async close(): Promise<void> {
    const reason = new DomainError('host_connection_lost', 'The service is closing its connections.');
    this.#closing.abort(reason);
    for (const waiter of this.#waiting) waiter.reject(reason);
    this.#waiting.clear();
    await Promise.all(Array.from(this.#connections.keys(), (connection) => connection.end()));
  }

  async #onConnection<Opened>(
    open: (connection: SshConnection) => Promise<Opened>,
    tryAgain: (crowd: number) => Promise<boolean>,
    signal: AbortSignal | undefined,
  ): Promise<{ opened: Opened; lease: Lease }> {
    for (let attempt = 1; ; ) {
      const lease = await this.acquire(signal);
      // with this one; a host that refuses it allows fewer
      const crowd = lease.connection.sessions;
      try {
        return { opened: await open(lease.connection), lease };
      } catch (error) {
        lease.release();
        if (!(error instanceof ChannelNotOpened)) throw error;
        if (error.kind === 'refused') {
          if (!(await tryAgain(crowd))) throw error;
          continue;
        }
        this.#distrustIdle(lease.connection);
        if (attempt === 2) throw lease.connection.lost ?? lostWithout(lease.connection, error);
        attempt += 1;
      }
    }
  }

  /** If one connection is dead, unused ones are too. */
  #distrustIdle(dead: SshConnection): void {
    this.retire(dead);
    for (const connection of this.#connections.keys()) if (connection.idle) this.retire(connection);
  }

  #serve(): void {
    for (const waiter of this.#waiting) {
      const connection = this.#withRoom();
      if (!connection) break;
      this.#waiting.delete(waiter);
      waiter.resolve(this.#lease(connection));
    }
    const wanted = Math.ceil(this.#waiting.size / this.#sessionLimit.value);
    while (this.#dialing < wanted && this.#mayDial()) this.#open();
  }

  #withRoom(): SshConnection | undefined {
    for (const [connection, { retired }] of this.#connections) {
      if (!retired && !connection.lost && connection.sessions < this.#sessionLimit.value) return connection;
    }
    return undefined;
  }

  #mayDial(): boolean {
    if (this.#closing.signal.aborted || this.#inUse + this.#dialing >= this.#limits.connections) return false;
    return this.#inUse === 0 || performance.now() >= this.#dialAgainAt;
  }

  get #inUse(): number {
    return Array.from(this.#connections.values()).filter(({ retired }) => !retired).length;
  }

  #open(): void {
    this.#dialing += 1;
    this.#dial(this.#closing.signal)
      .finally(() => {
        this.#dialing -= 1;
      })
      .then(
        (connection) => this.#add(connection),
        (error: unknown) => this.#dialFailed(error),
      )
      .catch((error: unknown) => this.#dialFailed(error));
  }

  #add(connection: SshConnection): void {
    this.#connections.set(connection, { retired: false });
    whenAborted(connection.gone, () => {
      this.#idle.use(connection);
      this.#connections.delete(connection);
      this.#serve();
      this.#reportEmpty();
    });
    this.#rest(connection);
  }

  #dialFailed(error: unknown): void {
    this.#dialAgainAt = performance.now() + DIAL_AGAIN_MS;
    if (this.#inUse > 0) {
      setTimeout(() => this.#serve(), DIAL_AGAIN_MS).unref();
    } else if (this.#dialing === 0) {
      for (const waiter of this.#waiting) waiter.reject(error);
      this.#waiting.clear();
    }
    this.#reportEmpty();
  }

  #lease(connection: SshConnection): Lease {
    connection.sessions += 1;
    this.#idle.use(connection);
    let held = true;
    const release = (): void => {
      if (!held) return;
      held = false;
      connection.sessions -= 1;
      this.#rest(connection);
    };
    return { connection, release };
  }

  /** A connection carries less than before: gives the room to who waits, or starts to count its idle time. */
  #rest(connection: SshConnection): void {
    this.#serve();
    const state = this.#connections.get(connection);
    if (!state || !connection.idle || connection.lost) return;
    if (state.retired) {
      this.#idle.use(connection);
      void connection.end();
    } else this.#idle.keep(connection, () => this.retire(connection));
  }

  #reportEmpty(): void {
    if (this.#connections.size === 0 && this.#dialing === 0 && this.#waiting.size === 0) this.#onEmpty();
  }
}

const lostWithout = (connection: SshConnection, error: Error): DomainError =>
  new DomainError('host_connection_lost', `${connection.name} did not open a channel: ${error.message}.`);

function newWaiter(): { promise: Promise<Lease>; waiter: Waiter } {
  let waiter: Waiter = { resolve: () => undefined, reject: () => undefined };
  const promise = new Promise<Lease>((resolve, reject) => {
    waiter = { resolve, reject };
  });
  return { promise, waiter };
}

/** For one command; each of them teaches the limit. */
const MAX_REFUSALS = 20;
const MAX_REFUSALS_ALONE = 5;
const FREEING_MS = 10;

/** How many commands a host runs concurrently on one connection: the assumed limit, and less once it has refused. */
class SessionLimit {
  #value: number;

  constructor(value: number) {
    this.#value = value;
  }

  get value(): number {
    return this.#value;
  }

  /**
   * Judges the refusals of one command. `crowd` counts the sessions on the connection that refused it, including its
   * own; true: try again, where there is room then.
   */
  newPatience(): (crowd: number) => Promise<boolean> {
    let refusals = 0;
    let alone = 0;
    return async (crowd) => {
      refusals += 1;
      if (crowd > 1) {
        this.#value = Math.min(this.#value, crowd - 1);
        return refusals <= MAX_REFUSALS;
      }
      // sshd frees a session some time after it has closed its channel, and counts it until then
      alone += 1;
      await sleep(FREEING_MS * 2 ** alone);
      return alone <= MAX_REFUSALS_ALONE;
    };
  }
}
