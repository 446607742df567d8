import type { Knex } from 'knex';
import { type Job, waitingFor } from '../../../../../domain/jobs/job.ts';
import { mustWaitFor } from '../../../../../domain/jobs/job-types.ts';
import { unclaimed } from './job-holds.ts';

/** What is looked at of a pending job before it is claimed. */
export interface Candidate {
  readonly id: number;
  readonly server_id: number;
  readonly lane: string;
  readonly current: string | null;
}

export type RunningJob = Pick<Job, 'id' | 'serverId' | 'serverName' | 'jobType' | 'lane'>;

/** Not sorted: asked to do it, MariaDB has gone through the whole table in the order of ids (2,000 jobs). */
export async function runningOn(knex: Knex, serverIds: readonly number[]): Promise<RunningJob[]> {
  return knex('jobs')
    .where({ status: 'running' })
    .whereIn('server_id', [...new Set(serverIds)])
    .select<RunningJob[]>({
      id: 'id',
      serverId: 'server_id',
      serverName: 'server_name',
      jobType: 'job_type',
      lane: 'lane',
    });
}

export const keepsWaiting = (candidate: Candidate, running: RunningJob): boolean =>
  running.serverId === candidate.server_id && mustWaitFor(candidate.lane, running.lane);

export const isReportedTo = (candidate: Candidate, blocker: RunningJob): boolean =>
  candidate.current === waitingFor(blocker);

/** To be written when it changes only: a worker looks every second. */
export async function tellWaiting(trx: Knex, candidate: Candidate, blocker: RunningJob): Promise<void> {
  await unclaimed(trx, candidate.id).update({ current: waitingFor(blocker) });
}
