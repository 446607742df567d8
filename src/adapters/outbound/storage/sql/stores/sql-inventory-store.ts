import type { Knex } from 'knex';
import type { InventoryStore } from '../../../../../application/ports/fleet/inventory-store.ts';
import type { Inventory } from '../../../../../domain/fleet/inventory.ts';
import type { ServerFacts } from '../../../../../domain/fleet/server.ts';
import type { Database } from '../database.ts';
import { saveServices } from '../service-writer.ts';
import { hostText } from '../tables/host-text.ts';
import { StoredInventory } from '../tables/inventory-row.ts';
import { fromJson } from '../tables/json.ts';
import { factsColumns } from '../tables/server-facts-row.ts';

export class SqlInventoryStore implements InventoryStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async save(serverId: number, inventory: Inventory, facts: Partial<ServerFacts> = {}): Promise<void> {
    const learnt = factsColumns(facts);
    const row = { server_id: serverId, at: inventory.at, inventory: JSON.stringify(inventory) };
    await this.#database.transaction(async (trx) => {
      // The server's row first: two saves for one server meet here, and so do a save and the server's removal.
      const isThere = await takeServer(trx, serverId, learnt);
      // The table's only key is the conflict's target, so that MySQL, which ignores the target, does the same.
      await trx('server_inventories').insert(row).onConflict('server_id').merge();
      if (isThere) await saveServices(trx, serverId, inventory);
    });
  }

  async find(serverId: number): Promise<Inventory | null> {
    const found = await this.findMany([serverId]);
    return found.get(serverId) ?? null;
  }

  async findMany(serverIds: readonly number[]): Promise<ReadonlyMap<number, Inventory>> {
    const { knex } = this.#database;
    const rows = await this.#database.rowsOf<{ server_id: number; inventory: string }>(
      knex('server_inventories').whereIn('server_id', serverIds).select('server_id', 'inventory'),
    );
    return new Map(rows.map((row) => [row.server_id, fromJson(StoredInventory, hostText(row.inventory))]));
  }
}

/** Locks the server's row, and writes what was learnt into it; false where the server is not there or was removed. */
async function takeServer(trx: Knex, id: number, learnt: object): Promise<boolean> {
  if (Object.keys(learnt).length === 0) {
    const server = await trx('servers').where({ id }).forUpdate().first('removed_at');
    return server?.removed_at === null;
  }
  return (await trx('servers').where({ id }).whereNull('removed_at').update(learnt)) > 0;
}
