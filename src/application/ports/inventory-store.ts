import type { Inventory } from '../../domain/inventory.ts';

/** The latest inventory of each server. */
export interface InventoryStore {
  save(serverId: number, inventory: Inventory): Promise<void>;
  find(serverId: number): Promise<Inventory | null>;
  /** Those of the given servers that have one. At most 100 ids. */
  findMany(serverIds: readonly number[]): Promise<ReadonlyMap<number, Inventory>>;
}
