import type { Database } from './database.ts';
import { MIGRATIONS } from './migrations/index.ts';

/** The migrations that this version knows and the database has not seen, in order. Changes nothing. */
export async function pendingMigrations(database: Database): Promise<readonly string[]> {
  const known = MIGRATIONS.map(({ name }) => name);
  if (!(await database.knex.schema.hasTable('schema_migrations'))) return known;
  const done = await database.knex('schema_migrations').select<{ name: string }[]>('name');
  return known.filter((name) => !done.some((each) => each.name === name));
}
