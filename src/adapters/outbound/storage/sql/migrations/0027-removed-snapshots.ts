import type { Knex } from 'knex';
import { instant, makeTable, reference } from './columns.ts';

/**
 * Snapshots that were taken off the list and whose data may still be there. Removals by a replica of an earlier version leave
 * none: what is left of one that was cut off is listed again, and removed by the next retention.
 */
export const up = (knex: Knex): Promise<void> =>
  makeTable(knex, 'removed_snapshots', (table) => {
    table.bigIncrements('id');
    reference(table, 'source_id', 'backup_sources').notNullable();
    table.string('name', 255).notNullable();
    // By the database's clock.
    instant(table, 'removed_at').notNullable();
    table.unique(['source_id', 'name']);
  });
