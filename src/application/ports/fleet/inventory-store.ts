import type { Inventory } from '../../../domain/fleet/inventory.ts';
import type { ServerFacts } from '../../../domain/fleet/server.ts';

/** The latest inventory of each server. */
export interface InventoryStore {
  /**
   * Also updates the server's own record, and sets its services to what `servicesOf` returns, in the same
   * transaction. A server that was removed in the meantime gets neither.
   */
  save(serverId: number, inventory: Inventory, facts?: Partial<ServerFacts>): Promise<void>;
  find(serverId: number): Promise<Inventory | null>;
  /** Those of the given servers that have one. At most 100 ids. */
  findMany(serverIds: readonly number[]): Promise<ReadonlyMap<number, Inventory>>;
}
