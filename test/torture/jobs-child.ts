import {
  type Database,
  type DatabaseOptions,
  openDatabase,
} from '../../src/adapters/outbound/storage/sql/database.ts';
import { JobAlreadyActive } from '../../src/domain/jobs/job.ts';
import type { JobType } from '../../src/domain/jobs/job-types.ts';
import { claim, enqueue, type JobSubject, newJob } from '../support/job-subject.ts';
import { jobsOn } from '../support/sql-job-subject.ts';
import type { ChildRequest } from './jobs-process.ts';
import { type Work, workForEver } from './jobs-work.ts';

// A separate process that executes commands on a database and dies with its parent.

let database: Database | undefined;
let subject: JobSubject | undefined;

async function open(address: DatabaseOptions): Promise<void> {
  await database?.close();
  database = openDatabase(address);
  subject = undefined;
}

function jobs(): JobSubject {
  if (!database) throw new Error('a database has to be opened first');
  subject ??= jobsOn(database);
  return subject;
}

/** Claims until nothing is left, and returns the ids. */
async function claimAll({ owner, limit }: { owner: string; limit: number }): Promise<number[]> {
  const ids: number[] = [];
  for (;;) {
    const claims = await claim(jobs(), limit, owner);
    if (claims.length === 0) return ids;
    ids.push(...claims.map((claimed) => claimed.job.id));
  }
}

/** Claims one job at a point in time, and returns it. */
async function claimAt({ owner, at }: { owner: string; at: number }): Promise<number[]> {
  while (Date.now() < at);
  return (await claim(jobs(), 1, owner)).map((claimed) => claimed.job.id);
}

/** Enqueues at a point in time, and returns the id, or that of the job that holds the lane. */
async function enqueueAt({
  serverId,
  jobType,
  at,
}: {
  serverId: number;
  jobType: JobType;
  at: number;
}): Promise<object> {
  while (Date.now() < at);
  return enqueue(jobs(), newJob(serverId, jobType)).then(
    (job) => ({ accepted: job.id }),
    (error: unknown) => {
      if (error instanceof JobAlreadyActive) return { heldBy: error.job.id };
      throw error;
    },
  );
}

const COMMANDS: { readonly [name: string]: (argument: never) => Promise<unknown> } = {
  open,
  claimAll,
  claimAt,
  enqueueAt,
  work: (work: Work) => workForEver(jobs(), work),
};

process.on('disconnect', () => process.exit());
process.on('message', ({ id, command, argument }: ChildRequest) => {
  const run = COMMANDS[command];
  if (!run) throw new Error(`no such command: ${command}`);
  run(argument as never).then(
    (result) => process.send?.({ id, result }),
    (error: unknown) => process.send?.({ id, error: error instanceof Error ? error.stack : String(error) }),
  );
});
process.send?.({ id: 0, result: 'ready' });
