import type { RemoteHost } from '../fleet/remote-host.ts';

/** Work for a host that must continue when no one follows it. */
export interface DetachedCommand {
  /** Lower-case letters, digits and "-", 64 at most; the same id is never started twice on a host, see `forget`. */
  readonly id: string;
  /**
   * A constant POSIX sh script; it runs without standard input, its output is the run's log. What it writes to the
   * file `$DROVER_RUN/result` is the run's result.
   */
  readonly script: string;
  /** Positional arguments of the script. */
  readonly args?: readonly string[];
}

/**
 * The state of a run: `running`; `ended` with its exit code; `died` (its process is dead without an exit code:
 * killed); `interrupted` (the host rebooted during the run); `not_started` (requested, but certainly never started
 * and never will); `unknown` (the host does not know this run).
 */
export type RunState =
  | { readonly kind: 'running' }
  | { readonly kind: 'ended'; readonly exitCode: number }
  | { readonly kind: 'died' }
  | { readonly kind: 'interrupted' }
  | { readonly kind: 'not_started' }
  | { readonly kind: 'unknown' };

/** A stretch of a run's log, in bytes. */
export interface RunPart {
  readonly content: Uint8Array;
  /** The offset of the next read. */
  readonly next: number;
  /** Anything but `running` comes only with the last bytes of the log: nothing follows. */
  readonly state: RunState;
}

/**
 * Runs that continue on the host without the connection, the service or the worker. The run's directory on the host
 * has the state: any connection can follow it by its id. All commands run as root if the server is configured so.
 * Throws as `RemoteHost.run`.
 */
export interface DetachedRuns {
  /** Starts it, or does nothing if a run of this id was started before. Safe to repeat after a lost connection. */
  start(host: RemoteHost, command: DetachedCommand): Promise<void>;
  /**
   * Reads the log from a byte offset, at most 64 KiB. Waits up to `waitMs` on the host while there is nothing new and
   * the run goes on.
   */
  read(
    host: RemoteHost,
    id: string,
    offset: number,
    options: { waitMs: number; signal: AbortSignal },
  ): Promise<RunPart>;
  /** The run's result, UTF-8, at most 1 MiB; empty if there is none. */
  result(host: RemoteHost, id: string): Promise<string>;
  /**
   * Asks the run to stop, through the file `$DROVER_RUN/stop`: a script that checks for it decides whether it still
   * can. Does nothing if nothing runs.
   */
  askToStop(host: RemoteHost, id: string): Promise<void>;
  /**
   * Renews the run's lease, through the file `$DROVER_RUN/lease`: a script that checks for it removes it. Does
   * nothing if nothing runs.
   */
  renew(host: RemoteHost, id: string): Promise<void>;
  /** Sends TERM to all processes of the run. False if no process is left. */
  terminate(host: RemoteHost, id: string): Promise<boolean>;
  /**
   * Removes the run's files from the host, except for a mark that prevents a start of the same id for another week:
   * such a request may still be on its way. Refuses with `host_command_failed` while the run is active.
   */
  forget(host: RemoteHost, id: string): Promise<void>;
}
