import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { ACTIVE_STATUSES, type Job } from '../../../../../domain/jobs/job.ts';
import { JOB_COLUMNS, type JobRow, toJob } from '../tables/job-row.ts';

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
 * one commit and makes the other start again. It comes first in a transaction, so that whatever is read after it
 * includes what the one before did.
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
  // Sorted below: asked to do it, MariaDB has gone through the whole table in the order of ids (2,000 jobs).
  const rows = await trx('jobs')
    .where({ server_id: serverId })
    .whereIn('status', ACTIVE_STATUSES)
    .select<JobRow[]>(JOB_COLUMNS);
  return rows.map(toJob).sort((one, other) => one.id - other.id);
}
