import type { HostState } from '../../../domain/fleet/host-state.ts';
import type { InstalledPackage } from '../../../domain/fleet/installed-package.ts';
import type { ReportedFix } from '../../../domain/fleet/vulnerability.ts';
import type { RemoteHost } from './remote-host.ts';

/** A reading without containers, which the inventory has, the packages with their sources, and fixes; `null` if not known. */
export type HostReading = Omit<HostState, 'container'> & {
  readonly installed: readonly InstalledPackage[] | null;
  /** Of security problems, by the package manager's own lists. */
  readonly fixes: readonly ReportedFix[] | null;
};

/** Reads what is compared between two times, in one round trip. Changes nothing on the host. */
export interface HostStates {
  /** All kinds but containers, which the inventory has. Throws as `RemoteHost.run`; what a host cannot say is `null`. */
  read(host: RemoteHost, signal: AbortSignal): Promise<HostReading>;
}
