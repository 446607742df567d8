import type { Knex } from 'knex';
import { addToTable, longText } from './columns.ts';

/** The calls with a token, in all and by hour, as JSON; an older replica counts none. */
export const up = (knex: Knex): Promise<void> =>
  addToTable(knex, 'api_tokens', 'calls', (table) => void longText(table, 'calls'));
