import type { Knex } from 'knex';

/**
 * A table, to be read by the index over these columns. Asked for the first few jobs that wait, in the order of ids, MariaDB
 * went through a whole history in 5 of 18 tries (20,000 ended jobs, 200 others), by what its samples of the table happened
 * to say. Other queries of that form are kept from it, too.
 */
export function byIndex(knex: Knex, table: string, columns: readonly string[]): Knex.QueryBuilder {
  if (knex.client.dialect !== 'mysql') return knex(table);
  return knex(knex.raw('?? FORCE INDEX (??)', [table, `${table}_${columns.join('_')}_index`]));
}
