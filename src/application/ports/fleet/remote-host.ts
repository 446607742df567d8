import type { Readable, Writable } from 'node:stream';

/**
 * A command for a host: a constant script (POSIX sh) and its values. Values reach the script as "$1", "$2", … or on
 * its standard input; they are never part of its text, so nothing in them can run.
 */
export interface HostCommand {
  readonly script: string;
  /**
   * Positional arguments: text, passed as UTF-8. Values that cannot be passed unchanged (a NUL, a lone surrogate) and
   * more than about 100,000 bytes of script and arguments are refused with `invalid_input`; bytes that are not UTF-8,
   * large data and secrets (arguments appear in the host's process list) belong on standard input.
   */
  readonly args?: readonly string[];
  readonly stdin?: string | Uint8Array;
  /**
   * Run through `sudo -n` if the server is configured so (`become: 'sudo'`) and the login is not root. Throws
   * `host_command_failed` that says what to change on the host if sudo refuses.
   */
  readonly asRoot?: boolean;
}

export interface RunOptions {
  /**
   * After this many milliseconds, waiting for a free connection included, the command is ended and `host_timeout`
   * thrown. Default 60,000.
   */
  readonly timeoutMs?: number;
  /** Ends the command when aborted; the signal's reason is thrown once it has ended, or some seconds later. */
  readonly signal?: AbortSignal;
  /** Captured output per stream, in bytes; the rest is read and dropped. Default 1 MiB. */
  readonly maxOutputBytes?: number;
}

export interface CommandResult {
  /** The exit code; `null` when a signal ended the command. */
  readonly exitCode: number | null;
  /** The name of the signal that ended the command, such as `SIGTERM`. */
  readonly signal: string | null;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  /** True when a stream was longer than `maxOutputBytes`. */
  readonly truncated: boolean;
}

export interface ProcessExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** A running command with its three streams. All of them have back-pressure. */
export interface HostProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /**
   * Settles once the command has ended and its output is read (both streams: they share a window); rejects with
   * `host_connection_lost` if the connection goes first, and then output that is not complete ends in that error too.
   */
  readonly exit: Promise<ProcessExit>;
  /**
   * Ends the command and its process group: TERM, two seconds later KILL. `exit` settles soon after, whatever the
   * host does. Processes in another session (setsid) keep running. Safe to call at any time and more than once.
   */
  kill(): void;
}

/**
 * A host to run commands on. Errors are `DomainError`s: `host_unreachable`, `host_auth_failed`, `host_key_unknown`,
 * `host_key_mismatch`, `host_connection_lost`, `host_timeout`; `host_unsupported` if the login shell runs nothing. A
 * command that ends with a non-zero code is a result. Commands may run in parallel, with `LC_ALL=C`, the sbin
 * directories in PATH, in the login's home directory, and without the service's environment. Any login shell works
 * (bash, dash, busybox, zsh, csh, fish); `sh` must be POSIX. Output of start-up files is removed.
 */
export interface RemoteHost {
  /** Runs a command to its end and returns its output. The command's `stdin` is closed after its content. */
  run(command: HostCommand, options?: RunOptions): Promise<CommandResult>;
  /**
   * Starts a command and hands out its streams once it runs. `command.stdin`, where given, is written first; the stream
   * stays open. The signal ends the command at any time.
   */
  open(command: HostCommand, options?: Pick<RunOptions, 'signal'>): Promise<HostProcess>;
  /**
   * Closes the host: running commands continue, pooled connections are kept for a while. Safe to call more than once.
   */
  release(): void;
}

/** A host's public key as presented in the SSH handshake. */
export interface HostKey {
  /** Algorithm, such as `ssh-ed25519`. */
  readonly algorithm: string;
  /** The key blob, base64, as in a known_hosts line. */
  readonly blob: string;
  /** `SHA256:` and the unpadded base64 digest, as OpenSSH prints it. */
  readonly fingerprint: string;
}

export type HostAuthentication =
  | { readonly kind: 'key'; readonly privateKey: string }
  | { readonly kind: 'agent'; readonly socket: string };

export type Become = 'none' | 'sudo';

export interface SshAccess {
  readonly kind: 'ssh';
  readonly serverId: number;
  readonly serverName: string;
  readonly hostname: string;
  readonly port: number;
  readonly username: string;
  readonly authentication: HostAuthentication;
  /** The confirmed host key; `null` (never confirmed) refuses every connection with `host_key_unknown`. */
  readonly hostKey: HostKey | null;
  readonly become: Become;
  /** Connect through this host first. */
  readonly jump: SshAccess | null;
}

export interface LocalAccess {
  readonly kind: 'local';
  readonly serverId: number;
  readonly serverName: string;
  readonly become: Become;
}

export type HostAccess = SshAccess | LocalAccess;

/** Opens hosts. Connections are pooled by everything that identifies them, so an edited server never uses an old one. */
export interface RemoteHosts {
  /** Connects, or takes a pooled connection. Throws as `RemoteHost` does. `purpose: 'bulk'` keeps large transfers off the connection that short commands share. */
  connect(
    access: HostAccess,
    options?: { signal?: AbortSignal; purpose?: 'commands' | 'bulk' },
  ): Promise<RemoteHost>;
  /** The key that a host presents now, without logging in (through `access.jump` if there is one). */
  scanHostKey(access: Omit<SshAccess, 'hostKey' | 'authentication'>): Promise<HostKey>;
  /** Closes every connection; running commands end with `host_connection_lost`. */
  closeAll(): Promise<void>;
}
