import { join } from 'node:path';
import type { ServiceData } from '../../../../application/ports/service/service-data.ts';
import type { Database } from './database.ts';
import { MysqlServiceData } from './mysql/mysql-service-data.ts';
import { SqliteServiceData } from './sqlite/sqlite-service-data.ts';

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
