import type { Inventory } from '../../domain/inventory.ts';

/** The latest inventory of each server. */
export interface InventoryStore {
  /**
   * Also makes the server's services what `servicesOf` says that they are now, in the same transaction. A server that was
   * removed meanwhile has none.
   */
  save(serverId: number, inventory: Inventory): Promise<void>;
  find(serverId: number): Promise<Inventory | null>;
  /** Those of the given servers that have one. At most 100 ids. */
  findMany(serverIds: readonly number[]): Promise<ReadonlyMap<number, Inventory>>;
}
