import type { Inventory, PackageFacts } from '../../../domain/fleet/inventory.ts';
import type { HostQuestion } from './host-question.ts';
import type { RemoteHost } from './remote-host.ts';

/** Reads what a host is, in one round trip. Changes nothing there but caches that its package manager keeps for itself. */
export interface HostFacts {
  /** Throws as `RemoteHost.run`, and `host_unsupported` where the answer makes no sense (not a Linux host). */
  gather(host: RemoteHost, options: GatherOptions): Promise<Omit<Inventory, 'at'>>;
  /** The same for a command that asks for more. */
  question(options: Omit<GatherOptions, 'signal'>): HostQuestion<Omit<Inventory, 'at'>>;
}

export interface GatherOptions {
  readonly signal: AbortSignal;
  /** What was found last: where the host says that nothing has changed that its packages are listed by, it holds still. */
  readonly former?: PackageFacts | null;
  /** An update check follows: what that tells of packages itself is left out, as of a host that cannot tell. */
  readonly checkFollows?: boolean;
}
