import type { Database } from './database.ts';
import { RECORD } from './migration-record.ts';
import { MIGRATIONS, type Migration } from './migrations/index.ts';

/** The names of the migrations that were run to their end, also those that this version does not know. Changes nothing. */
export async function doneMigrations(database: Database): Promise<readonly string[]> {
  if (!(await database.knex.schema.hasTable(RECORD))) return [];
  const done = await database.knex(RECORD).select<{ name: string }[]>('name');
  return done.map(({ name }) => name);
}

/** The migrations that this version knows and the database has not seen, in order. Changes nothing. */
export async function pendingMigrations(
  database: Database,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<readonly string[]> {
  const done = await doneMigrations(database);
  return migrations.map(({ name }) => name).filter((name) => !done.includes(name));
}
