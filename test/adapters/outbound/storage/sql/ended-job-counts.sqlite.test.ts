import { sqliteDatabase } from '../../../../support/databases.ts';
import { endedJobCountsTests } from './ended-job-counts.ts';

endedJobCountsTests('SQLite', sqliteDatabase);
