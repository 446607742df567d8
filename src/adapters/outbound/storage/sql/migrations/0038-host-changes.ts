import type { Knex } from 'knex';
import { instant, longText, makeTable, reference } from './columns.ts';

/** The latest state of each host, and what differed between two readings; an older replica reads none. */
export async function up(knex: Knex): Promise<void> {
  await makeTable(knex, 'host_states', (table) => {
    reference(table, 'server_id', 'servers').notNullable().primary();
    instant(table, 'at').notNullable();
    // JSON by kind and name, compressed (gzip) and in base64.
    longText(table, 'state').notNullable();
  });
  await makeTable(knex, 'host_changes', (table) => {
    table.bigIncrements('id');
    reference(table, 'server_id', 'servers').notNullable();
    table.string('kind', 16).notNullable();
    table.text('name').notNullable();
    table.text('value_before');
    table.text('value_after');
    // The readings between which it changed.
    instant(table, 'since').notNullable();
    instant(table, 'at').notNullable();
    table.index(['server_id', 'at']);
    table.index(['at']);
  });
}
