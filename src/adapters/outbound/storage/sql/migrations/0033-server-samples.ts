import type { Knex } from 'knex';
import { addToTable, instant, longText, makeTable, reference } from './columns.ts';

/** What inventories measured over time, one row per hour and one per day; when a disk will be full; and notes. */
export async function up(knex: Knex): Promise<void> {
  await makeTable(knex, 'server_samples', (table) => {
    reference(table, 'server_id', 'servers').notNullable();
    // `hour` or `day`, and the beginning of it.
    table.string('step', 8).notNullable();
    instant(table, 'step_at').notNullable();
    instant(table, 'at').notNullable();
    table.double('cpu_load').notNullable();
    table.bigInteger('memory_total_bytes').notNullable();
    table.bigInteger('memory_used_bytes').notNullable();
    // JSON: mount, used and total bytes of each.
    table.text('disks').notNullable();
    table.integer('os_updates');
    table.integer('security_updates');
    table.integer('containers');
    table.primary(['server_id', 'step', 'step_at']);
    // Old rows are deleted by their age.
    table.index(['step', 'step_at']);
  });
  await addToTable(knex, 'servers', 'disk_full_at', (table) => {
    instant(table, 'disk_full_at').index();
    table.string('disk_full_mount', 255);
    longText(table, 'notes');
  });
}
