import type { HostState } from '../../../domain/fleet/host-state.ts';
import type { RemoteHost } from './remote-host.ts';

/** Reads what is compared between two times, in one round trip. Changes nothing on the host. */
export interface HostStates {
  /** All kinds but containers, which the inventory has. Throws as `RemoteHost.run`; what a host cannot say is `null`. */
  read(host: RemoteHost, signal: AbortSignal): Promise<Omit<HostState, 'container'>>;
}
