import type { Knex } from 'knex';
import { addToTable } from './columns.ts';

/** Why a job was requested; an older replica writes none. */
export const up = (knex: Knex): Promise<void> =>
  addToTable(knex, 'jobs', 'reason', (table) => void table.string('reason', 500));
