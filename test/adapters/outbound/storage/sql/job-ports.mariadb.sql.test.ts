import { jobQueueContract } from '../../../../contracts/job-queue.contract.ts';
import { jobStoreContract } from '../../../../contracts/job-store.contract.ts';
import { mariaDbDatabase } from '../../../../support/databases.ts';
import { sqlJobs } from '../../../../support/sql-job-subject.ts';

jobStoreContract('MariaDB', sqlJobs(mariaDbDatabase));
jobQueueContract('MariaDB', sqlJobs(mariaDbDatabase));
