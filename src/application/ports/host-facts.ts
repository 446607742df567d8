import type { Inventory } from '../../domain/inventory.ts';
import type { RemoteHost } from './remote-host.ts';

/** Reads what a host is, in one round trip. Changes nothing there but caches that its package manager keeps for itself. */
export interface HostFacts {
  /** Throws as `RemoteHost.run`, and `host_unsupported` where the answer makes no sense (not a Linux host). */
  gather(host: RemoteHost, options: { signal: AbortSignal }): Promise<Omit<Inventory, 'at'>>;
}
