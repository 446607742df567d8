import { jobQueueContract } from '../../contracts/job-queue.contract.ts';
import { jobStoreContract } from '../../contracts/job-store.contract.ts';
import { sqliteForTest, sqlJobs } from '../../support/sql-job-subject.ts';

jobStoreContract('SQLite', sqlJobs(sqliteForTest));
jobQueueContract('SQLite', sqlJobs(sqliteForTest));
