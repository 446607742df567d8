import { sqliteDatabase } from '../../../../support/databases.ts';
import { migrationsContract } from './migrations-contract.ts';

migrationsContract('SQLite', sqliteDatabase);
