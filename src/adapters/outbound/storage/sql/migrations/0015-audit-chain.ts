import type { Knex } from 'knex';
import { addToTable, instant, makeTable } from './columns.ts';

/** Entries of the audit log are signed by who writes them, and sealed in a chain later. Those of before get in unsigned. */
export async function up(knex: Knex): Promise<void> {
  await addToTable(knex, 'audit_entries', 'seq', (table) => {
    // The place in the chain; null until it is sealed.
    table.bigInteger('seq').unsigned().unique();
    table.string('signature', 64);
    table.string('previous', 64);
    table.string('mac', 64);
    // What it was done to, or to something on it; for filters.
    table.bigInteger('server_id').unsigned();
    table.index(['server_id', 'id']);
    table.index(['action', 'id']);
    table.index(['actor_name', 'id']);
    table.index(['at', 'id']);
  });
  await makeTable(knex, 'audit_chain', (table) => {
    table.integer('id').notNullable().primary();
    // Goes up with every seal: of two that seal at once one waits for the other.
    table.bigInteger('version').notNullable();
    table.bigInteger('seq').notNullable();
    table.string('mac', 64).notNullable();
    table.bigInteger('base_seq').notNullable();
    table.string('base_mac', 64).notNullable();
    table.bigInteger('unsigned_up_to').notNullable();
    instant(table, 'began_at').notNullable();
    table.string('seal', 64).notNullable();
  });
}
