import { existsSync, mkdtempSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../src/adapters/outbound/storage/sql/database.ts';
import { migrate } from '../../src/adapters/outbound/storage/sql/migrate.ts';
import { openSqlite } from '../../src/adapters/outbound/storage/sql/sqlite/driver.ts';
import { RecordingLogger } from '../fakes/recording-logger.ts';

/** For a database of a test; in memory where the machine has that. */
export const databaseDirectory = (): string =>
  mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'drover-database-'));

let template: Promise<Buffer> | undefined;

/** The file of a database with the current schema: all migrations take a hundred times as long as a copy. */
export const sqliteTemplate = (): Promise<Buffer> => (template ??= migrated());

async function migrated(): Promise<Buffer> {
  const dataDir = databaseDirectory();
  const copy = join(dataDir, 'template');
  const database = openDatabase({ url: null, dataDir });
  await migrate(database, { owner: 'test', log: new RecordingLogger() });
  await database.knex.raw('VACUUM INTO ?', [copy]);
  await database.close();
  const connection = openSqlite(copy);
  connection.prepare('PRAGMA journal_mode = WAL').all();
  connection.close();
  const file = await readFile(copy);
  await rm(dataDir, { recursive: true });
  return file;
}
