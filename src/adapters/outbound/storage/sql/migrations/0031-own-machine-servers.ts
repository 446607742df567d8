import type { Knex } from 'knex';
import { addToTable, flag } from './columns.ts';

/** Servers that were seen to be the machine that the service runs on. An older replica leaves this alone. */
export const up = (knex: Knex): Promise<void> =>
  addToTable(knex, 'servers', 'on_own_machine', (table) => {
    flag(table, 'on_own_machine').nullable();
  });
