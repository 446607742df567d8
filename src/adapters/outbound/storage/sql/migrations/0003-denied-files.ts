import type { Knex } from 'knex';
import { longText } from './columns.ts';

/** What an operator denies to the file tools of a server: a JSON list of patterns, null for none. */
export async function up(knex: Knex): Promise<void> {
  if (await knex.schema.hasColumn('servers', 'jail_deny')) return;
  await knex.schema.alterTable('servers', (table) => void longText(table, 'jail_deny'));
}
