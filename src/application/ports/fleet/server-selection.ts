import type { HostSelector } from '../../../domain/fleet/host-selector.ts';
import type { Server } from '../../../domain/fleet/server.ts';

/** As much of a server as it takes to decide whether a job can be started there. */
export type SelectedServer = Pick<Server, 'id' | 'name' | 'tags' | 'features'>;

export interface ServerSelection {
  /**
   * The servers that a selector means, of those that are there, by name, then id; at most `limit`. `within`: only these;
   * `null`: all. One read, however many they are.
   */
  select(
    selector: HostSelector,
    within: readonly number[] | null,
    limit: number,
  ): Promise<readonly SelectedServer[]>;
}
