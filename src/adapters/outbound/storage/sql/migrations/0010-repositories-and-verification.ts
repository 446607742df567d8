import type { Knex } from 'knex';
import { instant, longText, makeTable } from './columns.ts';

/** Where restic keeps snapshots, which engine makes those of a source, and how verifying snapshots ended. */
export async function up(knex: Knex): Promise<void> {
  await makeTable(knex, 'backup_repositories', (table) => {
    table.bigIncrements('id');
    table.string('name', 63).notNullable();
    // The name while it is there, null once it is removed: names are unique among those that are there.
    table.string('name_key', 63).unique();
    table.string('kind', 16).notNullable();
    table.text('url').notNullable();
    // Password and login as JSON, sealed; empty once it is removed.
    longText(table, 'sealed_secrets').notNullable();
    instant(table, 'initialised_at');
    instant(table, 'created_at').notNullable();
    instant(table, 'removed_at');
  });
  await addColumns(knex, 'backup_sources', {
    // Without a value from older replicas it is rsync, the only engine that they know.
    engine: (table) => table.string('engine', 16).notNullable().defaultTo('rsync'),
    repository_id: (table) => table.bigInteger('repository_id').unsigned(),
  });
  await addColumns(knex, 'snapshots', {
    checked_at: (table) => instant(table, 'checked_at'),
    check_outcome: (table) => table.string('check_outcome', 16),
    check_files: (table) => table.bigInteger('check_files'),
    check_bytes: (table) => table.bigInteger('check_bytes'),
    check_detail: (table) => longText(table, 'check_detail'),
  });
  await addColumns(knex, 'servers', { last_verified_at: (table) => instant(table, 'last_verified_at') });
}

type Columns = { readonly [name: string]: (table: Knex.CreateTableBuilder) => Knex.ColumnBuilder };

async function addColumns(knex: Knex, name: string, columns: Columns): Promise<void> {
  for (const [column, define] of Object.entries(columns)) {
    if (await knex.schema.hasColumn(name, column)) continue;
    await knex.schema.alterTable(name, (table) => void define(table));
  }
}
