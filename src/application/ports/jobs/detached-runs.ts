import type { RemoteHost } from '../fleet/remote-host.ts';

/** Work for a host that must not end because somebody stops watching it. */
export interface DetachedCommand {
  /** Lower-case letters, digits and "-", 64 at most; the same id is never started twice on a host, see `forget`. */
  readonly id: string;
  /**
   * A constant POSIX sh script of ours; it runs without standard input, its output is the run's log. What it writes to
   * the file `$DROVER_RUN/result` is the run's result.
   */
  readonly script: string;
  /** Positional arguments of the script. */
  readonly args?: readonly string[];
}

/**
 * What is known of a run:
 * `running`; `ended` with its exit code; `died` (its process is gone and left no exit code: killed);
 * `interrupted` (the host was started anew in between); `not_started` (it was asked for, but certainly never began and
 * never will); `unknown` (the host knows no such run).
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
  /** Anything but `running` is told with the last bytes of the log only: nothing comes after. */
  readonly state: RunState;
}

/**
 * Runs that go on on the host when the connection, the service or the worker goes away. The run's directory on the host
 * is the truth: whoever knows the id can follow it, from any connection. All commands run as root where the server
 * says so. Throws as `RemoteHost.run`.
 */
export interface DetachedRuns {
  /** Starts it, or does nothing where a run of this id was started before. Safe to repeat after a lost connection. */
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
  /** The run's result, UTF-8, at most 1 MiB; empty where it left none. */
  result(host: RemoteHost, id: string): Promise<string>;
  /**
   * Tells the run that somebody wants it to end, by the file `$DROVER_RUN/stop`: a script that looks for it decides itself
   * whether it still can. Does nothing where nothing runs.
   */
  askToStop(host: RemoteHost, id: string): Promise<void>;
  /**
   * Tells the run that somebody still needs it, by the file `$DROVER_RUN/lease`: a script that looks for it removes it.
   * Does nothing where nothing runs.
   */
  renew(host: RemoteHost, id: string): Promise<void>;
  /** Sends TERM to all processes of the run. False where there is nothing left to end. */
  terminate(host: RemoteHost, id: string): Promise<boolean>;
  /**
   * Removes what the run left on the host, but for a mark that keeps a start of the same id out for another week: one may
   * have been sent long before. Refuses with `host_command_failed` while the run goes on.
   */
  forget(host: RemoteHost, id: string): Promise<void>;
}
