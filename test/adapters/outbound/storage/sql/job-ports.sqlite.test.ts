import { jobQueueContract } from '../../../../contracts/job-queue.contract.ts';
import { jobStoreContract } from '../../../../contracts/job-store.contract.ts';
import { sqliteDatabase } from '../../../../support/databases.ts';
import { sqlJobs } from '../../../../support/sql-job-subject.ts';

jobStoreContract('SQLite', sqlJobs(sqliteDatabase));
jobQueueContract('SQLite', sqlJobs(sqliteDatabase));
