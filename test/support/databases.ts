import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Database,
  openDatabase,
  SQLITE_FILE,
} from '../../src/adapters/outbound/storage/sql/database.ts';
import { migrate } from '../../src/adapters/outbound/storage/sql/migrate.ts';
import { RecordingLogger } from '../fakes/recording-logger.ts';
import { freshMariaDb } from './mariadb.ts';
import { databaseDirectory, sqliteTemplate } from './sqlite-template.ts';

/** A separate database for a test, by default with a current schema. */
export interface TestDatabase {
  readonly database: Database;
  /** The arguments of `openDatabase`. */
  readonly url: string | null;
  readonly dataDir: string;
  /** As another process would open it; closed with the rest. */
  readonly another: () => Database;
  /** Closes everything and removes it. */
  readonly drop: () => Promise<void>;
}

export type MakeDatabase = (options?: { readonly empty?: boolean }) => Promise<TestDatabase>;

export const sqliteDatabase: MakeDatabase = (options) => testDatabase(null, async () => {}, options);

/** For integration tests only: the run's own MariaDB is started by the first that asks. */
export const mariaDbDatabase: MakeDatabase = async (options) => {
  const { url, drop } = await freshMariaDb();
  return testDatabase(url, drop, options);
};

async function testDatabase(
  url: string | null,
  drop: () => Promise<void>,
  options: { readonly empty?: boolean } = {},
): Promise<TestDatabase> {
  const dataDir = databaseDirectory();
  if (url === null && !options.empty) await writeFile(join(dataDir, SQLITE_FILE), await sqliteTemplate());
  const opened: Database[] = [];
  const another = (): Database => {
    const database = openDatabase({ url, dataDir });
    opened.push(database);
    return database;
  };
  const database = another();
  if (url !== null && !options.empty) await migrate(database, { owner: 'test', log: new RecordingLogger() });
  return {
    database,
    url,
    dataDir,
    another,
    drop: async () => {
      for (const each of opened) await each.close();
      await drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Deletes all rows of all tables; the schema and its records stay. */
export async function empty({ knex, kind }: Database): Promise<void> {
  await knex.transaction(async (trx) => {
    const tables: { name: string }[] =
      kind === 'sqlite'
        ? await trx('sqlite_master')
            .where({ type: 'table' })
            .whereNot('name', 'like', 'sqlite_%')
            .select('name')
        : (
            await trx.raw(
              'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()',
            )
          )[0];
    await trx.raw(kind === 'sqlite' ? 'PRAGMA defer_foreign_keys = ON' : 'SET foreign_key_checks = 0');
    for (const { name } of tables) if (!name.startsWith('schema_migrations')) await trx(name).delete();
    if (kind === 'mysql') await trx.raw('SET foreign_key_checks = 1');
  });
}
