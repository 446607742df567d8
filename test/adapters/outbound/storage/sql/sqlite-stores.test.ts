import { sqliteDatabase } from '../../../../support/databases.ts';
import { allSqlStoreContracts } from './all-stores.ts';

allSqlStoreContracts('SQLite', sqliteDatabase);
