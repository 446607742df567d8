import type { Page, PageRequest } from '../../../domain/base/page.ts';
import type { Service, ServiceState } from '../../../domain/fleet/service.ts';

export interface ServiceFilter {
  readonly serverId?: number;
  /** Only services of these servers; `null` or absent: all. */
  readonly serverIds?: readonly number[] | null;
  readonly state?: ServiceState;
  /**
   * Matches label, compose project and container, and the server's name, host name and tags: anywhere, whatever the case.
   * `%` and `_` mean themselves.
   */
  readonly q?: string;
}

/** Services of the servers that are there, as `InventoryStore.save` leaves them. */
export interface ServiceStore {
  /** Worst state first, then by server and label. */
  list(filter: ServiceFilter, page: PageRequest): Promise<Page<Service>>;
}
