import { jobQueueContract } from '../contracts/job-queue.contract.ts';
import { jobStoreContract } from '../contracts/job-store.contract.ts';
import { inMemoryJobs } from '../support/in-memory-job-subject.ts';

jobStoreContract('in memory', inMemoryJobs);
jobQueueContract('in memory', inMemoryJobs);
