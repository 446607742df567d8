import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { ServiceData } from '../../../../application/ports/service/service-data.ts';
import type { Database } from './database.ts';
import { MysqlServiceData } from './mysql/mysql-service-data.ts';
import { excludesOf, replaceExport, type ServiceDataOptions } from './service-data-places.ts';
import { databaseUnavailable } from './sql-errors.ts';

/** Runs in the thread. It is text because a thread has no TypeScript loader; it also saves a file. */
const THREAD = `
const { workerData } = require('node:worker_threads');
process.emitWarning = () => {};
const { DatabaseSync } = require(workerData.driver);
const database = new DatabaseSync(workerData.file, { readOnly: true, timeout: 15000 });
try {
  database.prepare(workerData.sql).run(...workerData.bindings);
} finally {
  database.close();
}
`;

/**
 * Runs one long read-only statement on a separate connection and thread: SQLite is synchronous, and the service
 * continues in the meantime. Rejects with SQLite's error, also if the file is missing.
 */
async function runInSqliteThread(file: string, sql: string, bindings: readonly string[]): Promise<void> {
  const builtIn = process.getBuiltinModule?.('node:sqlite') !== undefined;
  const driver = builtIn ? 'node:sqlite' : createRequire(import.meta.url).resolve('@photostructure/sqlite');
  const thread = new Worker(THREAD, { eval: true, workerData: { driver, file, sql, bindings } });
  // `once` rejects if the thread ends with an error.
  await once(thread, 'exit');
}

/** The copy is a SQLite database itself, compact and without a write-ahead log. */
class SqliteServiceData implements ServiceData {
  readonly directory: string;
  readonly excludes: readonly string[];
  readonly #file: string;

  constructor(file: string, options: ServiceDataOptions) {
    this.#file = file;
    this.directory = options.directory;
    this.excludes = excludesOf(options);
  }

  async writeDatabaseCopy(): Promise<string> {
    return replaceExport(this.directory, 'drover.sqlite', async (path) => {
      // VACUUM INTO takes an empty file as it is, and so keeps its mode.
      await writeFile(path, '', { mode: 0o600, flag: 'wx' });
      await runInSqliteThread(this.#file, 'VACUUM INTO ?', [path]).catch((error: unknown) => {
        throw databaseUnavailable(`its copy could not be written: ${(error as Error).message}.`, error);
      });
    });
  }
}

/** Copies of whichever database it is, below the data directory (absolute). */
export function serviceDataOf(
  database: Database,
  directory: string,
  backupsDirectory: string = join(directory, 'backups'),
): ServiceData {
  const options = { directory, backupsDirectory };
  return database.file === null
    ? new MysqlServiceData(database, options)
    : new SqliteServiceData(database.file, options);
}
