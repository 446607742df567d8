import type { Knex } from 'knex';
import { addToTable } from './columns.ts';

/** How often a source compares the contents of its files; a replica of an earlier version knows only never. */
export const up = (knex: Knex): Promise<void> =>
  addToTable(knex, 'backup_sources', 'compare_content_every', (table) => {
    table.integer('compare_content_every').notNullable().defaultTo(0);
  });
