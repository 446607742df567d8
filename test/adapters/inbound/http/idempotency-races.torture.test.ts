import { sqliteDatabase } from '../../../support/databases.ts';
import { idempotencyRaces } from './idempotency-races.ts';

idempotencyRaces('SQLite', sqliteDatabase);
