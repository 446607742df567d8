import type { Knex } from 'knex';
import { longText } from './columns.ts';

/** Where an operator said that compose projects lie: a JSON list of directories, null for none. */
export async function up(knex: Knex): Promise<void> {
  if (await knex.schema.hasColumn('servers', 'compose_dirs')) return;
  await knex.schema.alterTable('servers', (table) => void longText(table, 'compose_dirs'));
}
