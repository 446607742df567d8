import type { Knex } from 'knex';
import { addToTable, longText } from './columns.ts';

/** What is stopped while a source is backed up, as JSON; null: nothing. */
export const up = (knex: Knex): Promise<void> =>
  addToTable(knex, 'backup_sources', 'hooks', (table) => void longText(table, 'hooks'));
