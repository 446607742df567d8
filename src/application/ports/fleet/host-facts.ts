import type { Inventory, PackageFacts } from '../../../domain/fleet/inventory.ts';
import type { HostQuestion } from './host-question.ts';
import type { RemoteHost } from './remote-host.ts';

/** Reads a host's facts, in one round trip. Changes nothing there except its package manager's own caches. */
export interface HostFacts {
  /** Throws as `RemoteHost.run`, and `host_unsupported` if the answer is invalid (not a Linux host). */
  gather(host: RemoteHost, options: GatherOptions): Promise<Omit<Inventory, 'at'>>;
  /** The same for a command that asks for more. */
  question(options: Omit<GatherOptions, 'signal'>): HostQuestion<Omit<Inventory, 'at'>>;
}

export interface GatherOptions {
  readonly signal: AbortSignal;
  /** The previous facts: reused if the host reports that nothing has changed that affects its packages. */
  readonly former?: PackageFacts | null;
  /** An update check follows: skip what that reports about packages, as for a host that cannot report it. */
  readonly checkFollows?: boolean;
}
