import type { Knex } from 'knex';
import { type DatabaseItem, toPortable } from '../portable/items.ts';

/** All tables with their rows, which come from the server as they are taken: only a few of them are in memory. */
export async function* mysqlItems(trx: Knex.Transaction): AsyncGenerator<DatabaseItem> {
  for (const table of await mysqlTables(trx)) {
    const columns = Object.keys(await trx(table).columnInfo());
    yield { kind: 'table', table, columns };
    const rows = trx(table).select(columns).stream() as AsyncIterable<Readonly<Record<string, unknown>>>;
    for await (const row of rows)
      yield { kind: 'row', values: columns.map((column) => toPortable(row[column])) };
  }
}

export async function mysqlTables(knex: Knex): Promise<readonly string[]> {
  const [rows] = (await knex.raw(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE() AND table_type = 'BASE TABLE' ORDER BY table_name",
  )) as [{ name: string }[]];
  return rows.map(({ name }) => name);
}
