import type { Database } from '../../src/adapters/outbound/storage/sql/database.ts';

/** How many rows and index entries MariaDB went through for some work; the database has to have one connection. */
export async function rowsReadBy({ knex }: Database, work: () => Promise<unknown>): Promise<number> {
  await knex.raw('FLUSH STATUS');
  await work();
  const [counts] = (await knex.raw("SHOW SESSION STATUS LIKE 'Handler_read%'")) as [{ Value: string }[]];
  return counts.reduce((sum, { Value }) => sum + Number(Value), 0);
}
