import type { Knex } from 'knex';
import type { Inventory } from '../../../../domain/fleet/inventory.ts';
import { identityOf, servicesOf } from '../../../../domain/fleet/service.ts';
import { SERVICE_COLUMNS, type ServiceRow, serviceColumns, toFoundService } from './tables/service-row.ts';

/** Rows a statement; SQLite takes 32,766 values in one, and a row has ten. */
const BATCH = 200;

/**
 * Makes a server's services what its inventory says. Those that were there before keep their rows and so their ids. The
 * caller holds the server's row, so that no other does the same meanwhile.
 */
export async function saveServices(trx: Knex, serverId: number, inventory: Inventory): Promise<void> {
  const before: ServiceRow[] = await trx('services').where({ server_id: serverId }).select(SERVICE_COLUMNS);
  const gone = new Map(before.map((row) => [identityOf(row), row.id]));
  const added: object[] = [];
  const kept: object[] = [];
  for (const service of servicesOf(inventory, before.map(toFoundService))) {
    const identity = identityOf(service);
    const id = gone.get(identity);
    const row = { server_id: serverId, ...serviceColumns(service) };
    if (id === undefined) added.push(row);
    else kept.push({ id, ...row });
    gone.delete(identity);
  }
  for (const ids of batches([...gone.values()])) await trx('services').whereIn('id', ids).delete();
  // Their ids are among the values, so that the conflict is with the same row whichever key a database looks at.
  for (const rows of batches(kept)) await trx('services').insert(rows).onConflict('id').merge();
  for (const rows of batches(added)) await trx('services').insert(rows);
}

function* batches<T>(list: readonly T[]): Generator<T[]> {
  for (let at = 0; at < list.length; at += BATCH) yield list.slice(at, at + BATCH);
}
