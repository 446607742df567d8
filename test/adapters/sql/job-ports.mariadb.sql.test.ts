import { jobQueueContract } from '../../contracts/job-queue.contract.ts';
import { jobStoreContract } from '../../contracts/job-store.contract.ts';
import { mariaDbForTest, sqlJobs } from '../../support/sql-job-subject.ts';

jobStoreContract('MariaDB', sqlJobs(mariaDbForTest));
jobQueueContract('MariaDB', sqlJobs(mariaDbForTest));
