import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import type { Trail } from '../../application/ports/trail.ts';
import { ACTIVE_STATUSES, type Job, jobNotFound } from '../../domain/job.ts';
import { JOB_COLUMNS, type JobRow, toJob } from './rows/job-row.ts';
import { writeTrail } from './trail.ts';

const PLAIN_LANE = /^[a-z_]{1,64}$/;

/**
 * What the unique index holds for an active job. Lanes with a path in them are hashed: a path can be longer than an
 * index takes, and MySQL takes texts that differ in trailing blanks only for equal.
 */
export function laneKey(serverId: number, lane: string): string {
  const name = PLAIN_LANE.test(lane) ? lane : createHash('sha256').update(lane).digest('hex');
  return `${serverId}:${name}`;
}

/**
 * Makes transactions that decide about a server's lanes come one after the other; false where the server is not there.
 * It writes the server's row, since a Galera cluster knows nothing of other nodes' locks: of two such writes it lets
 * one commit and makes the other start again. It comes first in a transaction, so that on MySQL, which shows a
 * transaction the data as of its first plain read, that read sees what the one before did.
 */
export async function lockLanes(trx: Knex, serverId: number): Promise<boolean> {
  const found = await trx('servers')
    .where({ id: serverId })
    .whereNull('removed_at')
    .increment('lane_version', 1);
  return found > 0;
}

/** The jobs that hold a lane of the server; by the rules of lanes there are few. */
export async function activeJobs(trx: Knex, serverId: number): Promise<readonly Job[]> {
  const rows = await trx('jobs')
    .where({ server_id: serverId })
    .whereIn('status', ACTIVE_STATUSES)
    .orderBy('id')
    .select<JobRow[]>(JOB_COLUMNS);
  return rows.map(toJob);
}

/** The job as it is now, with its trail written. */
export async function changedJob(trx: Knex, id: number, trail: (job: Job) => Trail): Promise<Job> {
  const job = await findJob(trx, { id });
  if (!job) throw jobNotFound(id);
  await writeTrail(trx, trail(job));
  return job;
}

export async function findJob(knex: Knex, where: object): Promise<Job | null> {
  const row = await knex('jobs').where(where).first<JobRow | undefined>(JOB_COLUMNS);
  return row ? toJob(row) : null;
}
