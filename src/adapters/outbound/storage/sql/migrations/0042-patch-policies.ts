import type { Knex } from 'knex';
import { instant, longText, makeTable } from './columns.ts';

/** What updates may change on which servers. */
export async function up(knex: Knex): Promise<void> {
  await makeTable(knex, 'patch_policies', (table) => {
    table.bigIncrements('id');
    table.string('name', 255).notNullable().unique();
    longText(table, 'selector').notNullable();
    // JSON of `PolicyRules`.
    longText(table, 'rules').notNullable();
    table.string('created_by', 255).notNullable();
    instant(table, 'created_at').notNullable();
  });
}
