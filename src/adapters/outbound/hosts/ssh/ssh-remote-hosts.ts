import { createHash } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type {
  HostAccess,
  HostKey,
  RemoteHost,
  RemoteHosts,
  SshAccess,
} from '../../../../application/ports/fleet/remote-host.ts';
import { DomainError } from '../../../../domain/base/errors.ts';
import { nameOf, type Target } from './connect-errors.ts';
import { ConnectionPool } from './connection-pool.ts';
import { assertKeyReadable, logIn, openTcp, readHostKey } from './dial.ts';
import { IdleConnections } from './idle-connections.ts';
import { ChannelNotOpened, SshConnection } from './ssh-connection.ts';
import { SshHost } from './ssh-host.ts';
import { DEFAULT_SSH_OPTIONS, type SshOptions } from './ssh-options.ts';

type Purpose = 'commands' | 'bulk';

/** Hosts over SSH, with a pool of connections for each login and purpose. */
export class SshRemoteHosts implements RemoteHosts {
  readonly #options: SshOptions;
  readonly #pools = new Map<string, ConnectionPool>();
  readonly #idle: IdleConnections<SshConnection>;
  readonly #closing = new AbortController();

  constructor(options: Partial<SshOptions> = {}) {
    this.#options = { ...DEFAULT_SSH_OPTIONS, ...options };
    const { idleMs, idleConnections } = this.#options;
    this.#idle = new IdleConnections({ idleMs, most: idleConnections });
  }

  async connect(
    access: HostAccess,
    { signal, purpose = 'commands' }: { signal?: AbortSignal; purpose?: Purpose } = {},
  ): Promise<RemoteHost> {
    if (access.kind !== 'ssh') throw new TypeError(`"${access.serverName}" is not reached over SSH`);
    const pool = (): ConnectionPool => this.#pool(access, purpose);
    (await pool().acquire(signal)).release();
    return new SshHost(access, pool, this.#options.startTimeoutMs);
  }

  async scanHostKey(access: Omit<SshAccess, 'hostKey' | 'authentication'>): Promise<HostKey> {
    const { signal } = this.#closing;
    const socket = await this.#socketTo(access, access.jump, 'commands', signal);
    return readHostKey(access, socket, this.#options, signal);
  }

  async closeAll(): Promise<void> {
    this.#closing.abort(new DomainError('host_connection_lost', 'The service is closing its connections.'));
    await Promise.all(Array.from(this.#pools.values(), (pool) => pool.close()));
  }

  #pool(access: SshAccess, purpose: Purpose): ConnectionPool {
    this.#closing.signal.throwIfAborted();
    const key = poolKey(access, purpose);
    const known = this.#pools.get(key);
    if (known) return known;
    const limits = {
      // a large transfer has a connection to itself
      sessionsPerConnection: purpose === 'bulk' ? 1 : this.#options.sessionsPerConnection,
      connections: this.#options.connectionsPerHost,
    };
    const pool: ConnectionPool = new ConnectionPool(
      (signal) => this.#dial(access, purpose, signal),
      limits,
      this.#idle,
      () => {
        if (this.#pools.get(key) === pool) this.#pools.delete(key);
      },
    );
    this.#pools.set(key, pool);
    return pool;
  }

  async #dial(access: SshAccess, purpose: Purpose, signal: AbortSignal): Promise<SshConnection> {
    assertKeyReadable(access);
    const socket = await this.#socketTo(access, access.jump, purpose, signal);
    const client = await logIn(access, socket, this.#options, signal);
    return new SshConnection(client, socket, access, this.#options.connectTimeoutMs);
  }

  async #socketTo(
    target: Target,
    jump: SshAccess | null,
    purpose: Purpose,
    signal: AbortSignal,
  ): Promise<Duplex> {
    if (!jump) return openTcp(target, this.#options, signal);
    try {
      return await this.#pool(jump, purpose).forward(target, signal);
    } catch (error) {
      throw error instanceof ChannelNotOpened ? jumpRefused(target, jump, error) : error;
    }
  }
}

/** Everything that identifies a login, so that an edited server never uses an old connection. Holds no secret, and yet is never logged. */
const poolKey = (access: SshAccess, purpose: Purpose): string =>
  createHash('sha256')
    .update(JSON.stringify([purpose, access]))
    .digest('base64');

function jumpRefused(target: Target, jump: SshAccess, error: ChannelNotOpened): DomainError {
  const hint = error.prohibited
    ? ': set AllowTcpForwarding to yes in its sshd_config'
    : ': check the hostname and port as seen from there';
  const detail = `The jump server ${nameOf(jump)} did not connect to ${nameOf(target)} (${error.message})${hint}.`;
  return new DomainError('host_unreachable', detail);
}
