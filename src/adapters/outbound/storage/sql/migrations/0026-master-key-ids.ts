import type { Knex } from 'knex';
import { addToTable } from './columns.ts';

/** Which master keys a process has; a replica of an earlier version does not say. */
export const up = (knex: Knex): Promise<void> =>
  addToTable(knex, 'replicas', 'key_ids', (table) => {
    table.string('key_ids', 255);
  });
