import type { InventoryStore } from '../../application/ports/inventory-store.ts';
import type { Inventory } from '../../domain/inventory.ts';
import type { Database } from './database.ts';
import { StoredInventory } from './rows/inventory-row.ts';
import { fromJson } from './rows/json.ts';
import { saveServices } from './service-writer.ts';

export class SqlInventoryStore implements InventoryStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async save(serverId: number, inventory: Inventory): Promise<void> {
    const row = { server_id: serverId, at: inventory.at, inventory: JSON.stringify(inventory) };
    await this.#database.transaction(async (trx) => {
      // The server's row first: two saves for one server meet here, and so do a save and the server's removal.
      const server = await trx('servers').where({ id: serverId }).forUpdate().first('removed_at');
      // The table's only key is the conflict's target, so that MySQL, which ignores the target, does the same.
      await trx('server_inventories').insert(row).onConflict('server_id').merge();
      if (server?.removed_at === null) await saveServices(trx, serverId, inventory);
    });
  }

  async find(serverId: number): Promise<Inventory | null> {
    const found = await this.findMany([serverId]);
    return found.get(serverId) ?? null;
  }

  async findMany(serverIds: readonly number[]): Promise<ReadonlyMap<number, Inventory>> {
    const rows: { server_id: number; inventory: string }[] = await this.#database
      .knex('server_inventories')
      .whereIn('server_id', serverIds)
      .select('server_id', 'inventory');
    return new Map(rows.map((row) => [row.server_id, fromJson(StoredInventory, row.inventory)]));
  }
}
