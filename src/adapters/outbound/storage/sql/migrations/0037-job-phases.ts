import type { Knex } from 'knex';
import { addToTable, longText } from './columns.ts';

/** The steps of a job as JSON; an older replica writes none. */
export const up = (knex: Knex): Promise<void> =>
  addToTable(knex, 'jobs', 'phases', (table) => void longText(table, 'phases'));
