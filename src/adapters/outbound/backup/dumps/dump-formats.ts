import type { DumpKind } from '../../../../domain/backups/dump.ts';
import { ArchiveEnd } from './archive-end.ts';
import type { DumpFormat } from './dump-format.ts';
import { RdbEnd } from './rdb-end.ts';
import { SqliteEnd } from './sqlite-end.ts';
import { mysqlEnd, postgresEnd } from './text-end.ts';

const FORMATS: Readonly<Record<DumpKind, () => DumpFormat>> = {
  postgres: postgresEnd,
  mysql: mysqlEnd,
  sqlite: () => new SqliteEnd(),
  redis: () => new RdbEnd(),
  mongodb: () => new ArchiveEnd(),
};

export const formatOf = (kind: DumpKind): DumpFormat => FORMATS[kind]();
