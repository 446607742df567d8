import type { Knex } from 'knex';
import { addToTable, flag } from './columns.ts';

/** A maintenance window may be switched off for a while; those that are there are on, and so are those of an older replica. */
export const up = (knex: Knex): Promise<void> =>
  addToTable(knex, 'maintenance_windows', 'enabled', (table) => {
    flag(table, 'enabled').notNullable().defaultTo(1);
  });
