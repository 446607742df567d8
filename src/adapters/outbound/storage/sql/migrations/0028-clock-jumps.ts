import type { Knex } from 'knex';
import { instant, makeTable } from './columns.ts';

/** When the clock was set. Those that are not over have an alert. */
export const up = (knex: Knex): Promise<void> =>
  makeTable(knex, 'clock_jumps', (table) => {
    table.bigIncrements('id');
    table.string('kind', 16).notNullable();
    instant(table, 'from_at').notNullable();
    instant(table, 'to_at').notNullable();
    // The expected time once more, as alerts show it.
    table.string('expected', 32).notNullable();
    instant(table, 'over_at').index();
  });
