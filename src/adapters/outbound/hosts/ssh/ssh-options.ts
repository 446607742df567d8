/** Times are milliseconds. */
export interface SshOptions {
  /** For the TCP connection, and for a connection to open a channel. */
  readonly connectTimeoutMs: number;
  /** From the TCP connection to the end of the login. */
  readonly handshakeTimeoutMs: number;
  /** From the request to run a command until it runs: the login shell and its start-up files. */
  readonly startTimeoutMs: number;
  /** An unused connection is closed after this long. */
  readonly idleMs: number;
  /** Unused connections to all hosts together; each takes about 35 KiB and a file descriptor. */
  readonly idleConnections: number;
  readonly keepaliveIntervalMs: number;
  /** A connection that leaves this many keepalives in a row unanswered is lost. */
  readonly keepaliveCount: number;
  /**
   * Concurrent commands per connection. sshd allows 10 sessions by default (MaxSessions); two are reserved for ending
   * commands.
   */
  readonly sessionsPerConnection: number;
  /** Connections to one host; commands wait when all are full. */
  readonly connectionsPerHost: number;
}

export const DEFAULT_SSH_OPTIONS: SshOptions = {
  connectTimeoutMs: 10_000,
  handshakeTimeoutMs: 20_000,
  startTimeoutMs: 30_000,
  idleMs: 60_000,
  idleConnections: 1_000,
  keepaliveIntervalMs: 15_000,
  keepaliveCount: 3,
  sessionsPerConnection: 8,
  connectionsPerHost: 4,
};
