import type { Knex } from 'knex';

/**
 * A table, to be read by the index over these columns. For the first few rows in the order of ids MariaDB else went through
 * a whole history in one of three tries (20,000 ended jobs, 200 others), by what its samples of the table happened to say.
 */
export function byIndex(knex: Knex, table: string, columns: readonly string[]): Knex.QueryBuilder {
  if (knex.client.dialect !== 'mysql') return knex(table);
  return knex(knex.raw('?? FORCE INDEX (??)', [table, `${table}_${columns.join('_')}_index`]));
}
