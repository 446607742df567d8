import type { OsFamily, PendingUpdate } from '../../domain/inventory.ts';
import type { RemoteHost } from './remote-host.ts';

export interface UpdateCheck {
  readonly updates: readonly PendingUpdate[];
  readonly rebootPending: boolean;
  /** What to tell in the job's log besides: sources that failed, warnings. */
  readonly notes: readonly string[];
}

export interface CheckOptions {
  readonly signal: AbortSignal;
  /** Each line that the package manager prints. */
  readonly onLine: (line: string) => void;
}

/** A host's package manager. One implementation a family. */
export interface PackageManager {
  readonly family: OsFamily;
  /**
   * Refreshes the host's package lists and tells what an upgrade would change; changes nothing else. Waits for another
   * package manager's lock up to five minutes. Throws as `RemoteHost.open` and `run`, and `host_command_failed` where
   * no list can be refreshed or no upgrade worked out, `host_tool_missing` where the package manager is not there,
   * `host_timeout`, and the signal's reason.
   */
  check(host: RemoteHost, options: CheckOptions): Promise<UpdateCheck>;
}

/** The package managers there are, by family. */
export interface PackageManagers {
  readonly families: readonly OsFamily[];
  find(family: OsFamily): PackageManager | null;
}
