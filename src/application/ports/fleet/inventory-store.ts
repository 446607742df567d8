import type { Inventory } from '../../../domain/fleet/inventory.ts';
import type { ServerFacts } from '../../../domain/fleet/server.ts';

/** The latest inventory of each server. */
export interface InventoryStore {
  /**
   * Also writes what the server's own record keeps of it, and makes its services what `servicesOf` says that they are now,
   * in the same transaction. A server that was removed meanwhile has neither.
   */
  save(serverId: number, inventory: Inventory, facts?: Partial<ServerFacts>): Promise<void>;
  find(serverId: number): Promise<Inventory | null>;
  /** Those of the given servers that have one. At most 100 ids. */
  findMany(serverIds: readonly number[]): Promise<ReadonlyMap<number, Inventory>>;
}
