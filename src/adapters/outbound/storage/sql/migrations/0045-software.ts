import type { Knex } from 'knex';
import { addToTable, instant } from './columns.ts';

/** The release of each server's system, and the end of its security updates; older replicas ask for neither. */
export async function up(knex: Knex): Promise<void> {
  await addToTable(knex, 'servers', 'support_ends_at', (table) => {
    table.text('os_version');
    instant(table, 'support_ends_at');
    // Counts those that are not removed without reading their rows.
    table.index(['support_ends_at', 'removed_at']);
  });
}
