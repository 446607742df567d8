import type { Knex } from 'knex';
import { instant, longText, makeTable, reference } from './columns.ts';

/** Templates of compose projects, and what was deployed from them. */
export async function up(knex: Knex): Promise<void> {
  await makeTable(knex, 'templates', (table) => {
    table.bigIncrements('id');
    table.string('name', 63).notNullable().unique();
    table.text('description').notNullable();
    table.integer('version').notNullable();
    longText(table, 'variables').notNullable();
    longText(table, 'files').notNullable();
    // For lists, which do not read the two above.
    table.integer('variable_count').notNullable();
    table.integer('file_count').notNullable();
    table.string('created_by', 255).notNullable();
    instant(table, 'created_at').notNullable();
    instant(table, 'updated_at').notNullable();
  });
  await makeTable(knex, 'template_orders', (table) => {
    table.bigIncrements('id');
    reference(table, 'server_id', 'servers').notNullable();
    longText(table, 'names').notNullable();
    longText(table, 'sealed_values').notNullable();
    instant(table, 'created_at').notNullable().index();
  });
  await makeTable(knex, 'template_deployments', (table) => {
    table.bigIncrements('id');
    reference(table, 'server_id', 'servers').notNullable();
    table.string('directory', 500).notNullable();
    table.string('project', 255).notNullable();
    // Not a reference: it stays when the template goes.
    table.string('template_name', 63).notNullable().index();
    table.integer('template_version').notNullable();
    // Those that are no secrets.
    longText(table, 'given').notNullable();
    longText(table, 'secret_names').notNullable();
    longText(table, 'sealed_secrets').notNullable();
    longText(table, 'files').notNullable();
    table.bigInteger('job_id').unsigned().notNullable();
    instant(table, 'deployed_at').notNullable();
    table.unique(['server_id', 'directory']);
  });
}
