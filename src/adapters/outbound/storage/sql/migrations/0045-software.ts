import type { Knex } from 'knex';
import { addToTable, instant, makeTable, reference } from './columns.ts';

/** The release of each server's system with the end of its security updates, its packages, and CVEs; older replicas read none. */
export async function up(knex: Knex): Promise<void> {
  await addToTable(knex, 'servers', 'support_ends_at', (table) => {
    table.text('os_version');
    instant(table, 'support_ends_at');
    // Counts those that are not removed without reading their rows.
    table.index(['support_ends_at', 'removed_at']);
  });
  await makeTable(knex, 'package_versions', (table) => {
    table.bigIncrements('id');
    // Of all other columns: together they are longer than what MySQL can index.
    table.string('key_hash', 64).notNullable().unique();
    table.string('system', 80).notNullable();
    table.string('name', 200).notNullable();
    table.string('version', 200).notNullable();
    table.string('source', 200).notNullable();
    table.string('source_version', 200).notNullable();
    table.index(['system', 'source']);
    table.index(['system', 'name']);
  });
  await makeTable(knex, 'server_packages', (table) => {
    reference(table, 'server_id', 'servers').notNullable();
    reference(table, 'version_id', 'package_versions').notNullable();
    table.primary(['server_id', 'version_id']);
    table.index(['version_id', 'server_id']);
  });
  await makeTable(knex, 'server_package_lists', (table) => {
    reference(table, 'server_id', 'servers').notNullable().primary();
    // Of all its packages: equal lists are not written again.
    table.string('digest', 64).notNullable();
  });
  await makeTable(knex, 'vulnerabilities', (table) => {
    table.bigIncrements('id');
    table.string('advisory', 100).notNullable().index();
    table.string('cve', 32).notNullable().index();
    table.string('system', 80).notNullable();
    table.string('package', 200).notNullable();
    table.string('introduced', 200).notNullable();
    table.string('fixed', 200);
    table.index(['system', 'package']);
  });
}
