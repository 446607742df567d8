import type { Database } from '../database.ts';
import { mysqlItems } from '../mysql/mysql-service-data.ts';
import { readOneMoment } from '../mysql/session.ts';
import { sqliteItems } from '../sqlite/sqlite-items.ts';
import { type DatabaseItem, isCarried } from './items.ts';

/** Hands on everything that is in the database, as it is at one moment. */
export async function exportDatabase(
  database: Database,
  write: (items: AsyncIterable<DatabaseItem>) => Promise<void>,
): Promise<void> {
  if (database.file !== null) await write(carried(sqliteItems(database.file)));
  else await readOneMoment(database.knex, (trx) => write(carried(mysqlItems(trx))));
}

async function* carried(items: AsyncIterable<DatabaseItem>): AsyncGenerator<DatabaseItem> {
  let taken = false;
  for await (const item of items) {
    if (item.kind === 'table') taken = isCarried(item.table);
    if (taken) yield item;
  }
}
