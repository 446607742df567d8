import { sqliteDatabase } from '../../../support/databases.ts';
import { idempotencyCrash } from './idempotency-crash.ts';

idempotencyCrash('SQLite', sqliteDatabase);
