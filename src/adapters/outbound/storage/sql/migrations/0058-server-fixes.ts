import type { Knex } from 'knex';
import { makeTable, reference } from './columns.ts';

/** CVEs of installed versions, by each server's own package manager; older replicas neither read nor write them. */
export async function up(knex: Knex): Promise<void> {
  await makeTable(knex, 'server_fixes', (table) => {
    table.bigIncrements('id');
    reference(table, 'server_id', 'servers').notNullable().index();
    table.string('cve', 32).notNullable().index();
    table.string('advisory', 100).notNullable();
    table.string('system', 80).notNullable();
    table.string('package', 200).notNullable();
    table.string('version', 200).notNullable();
    table.string('fixed', 200).notNullable();
  });
}
