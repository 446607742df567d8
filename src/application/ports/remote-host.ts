import type { Readable, Writable } from 'node:stream';

/**
 * What to run on a host: a constant script of ours (POSIX sh) and the values that it works on. Values reach the
 * script as "$1", "$2", … or on its standard input; they are never part of its text, so nothing in them can run.
 */
export interface HostCommand {
  readonly script: string;
  /** Positional arguments. A NUL byte is refused with `invalid_input`. */
  readonly args?: readonly string[];
  readonly stdin?: string | Uint8Array;
  /** Run through `sudo -n` where the server says so (`become: 'sudo'`); no effect for a server with `become: 'none'`. */
  readonly asRoot?: boolean;
}

export interface RunOptions {
  /** After this many milliseconds the command is ended and `host_timeout` thrown. Default 60,000. */
  readonly timeoutMs?: number;
  /** Ends the command when aborted; the signal's reason is thrown. */
  readonly signal?: AbortSignal;
  /** Output kept per stream, in bytes; what comes after is read and dropped. Default 1 MiB. */
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

/** A command under way, its three streams open. Back-pressure holds on all of them. */
export interface HostProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Settles once the command has ended and its output is read; rejects with `host_connection_lost` if the connection goes first. */
  readonly exit: Promise<ProcessExit>;
  /** Ends the command as well as the transport can; safe to call at any time and more than once. */
  kill(): void;
}

/**
 * A host that commands run on. Errors are `DomainError`s: `host_unreachable`, `host_auth_failed`, `host_key_unknown`,
 * `host_key_mismatch`, `host_connection_lost`, `host_timeout`. A command that ends with a non-zero code is a result.
 * Commands run with `LC_ALL=C` and may run side by side.
 */
export interface RemoteHost {
  /** Runs a command to its end and returns what it printed. `stdin` of the command is closed after its content. */
  run(command: HostCommand, options?: RunOptions): Promise<CommandResult>;
  /** Starts a command and hands out its streams. `command.stdin`, where given, is written first; the stream stays open. */
  open(command: HostCommand, options?: Pick<RunOptions, 'signal'>): Promise<HostProcess>;
  /** Gives the host back: pooled connections are kept for a while. Safe to call more than once. */
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
  connect(access: HostAccess, options?: { signal?: AbortSignal; purpose?: 'commands' | 'bulk' }): Promise<RemoteHost>;
  /** The key that a host presents now, without logging in (through `access.jump` if there is one). */
  scanHostKey(access: Omit<SshAccess, 'hostKey' | 'authentication'>): Promise<HostKey>;
  /** Ends every connection. */
  closeAll(): Promise<void>;
}
