import { writeFile } from 'node:fs/promises';
import type { ServiceData } from '../../../../../application/ports/service/service-data.ts';
import { excludesOf, replaceExport, type ServiceDataOptions } from '../service-data-places.ts';
import { databaseUnavailable } from '../sql-errors.ts';
import { runInSqliteThread } from './sqlite-thread.ts';

/** The copy is a SQLite database itself, compact and without a write-ahead log. */
export class SqliteServiceData implements ServiceData {
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
