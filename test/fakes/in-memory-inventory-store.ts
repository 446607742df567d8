import type { InventoryStore } from '../../src/application/ports/inventory-store.ts';
import type { Inventory } from '../../src/domain/inventory.ts';

export class InMemoryInventoryStore implements InventoryStore {
  readonly #inventories = new Map<number, Inventory>();

  async save(serverId: number, inventory: Inventory): Promise<void> {
    this.#inventories.set(serverId, structuredClone(inventory));
  }

  async find(serverId: number): Promise<Inventory | null> {
    return this.#inventories.get(serverId) ?? null;
  }

  async findMany(serverIds: readonly number[]): Promise<ReadonlyMap<number, Inventory>> {
    return new Map([...this.#inventories].filter(([id]) => serverIds.includes(id)));
  }
}
