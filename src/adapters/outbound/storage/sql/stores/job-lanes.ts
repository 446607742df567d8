import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { ACTIVE_STATUSES, type GroupUse, type Job } from '../../../../../domain/jobs/job.ts';
import { JOB_COLUMNS, type JobRow, toJob } from '../tables/job-row.ts';

const PLAIN_LANE = /^[a-z_]{1,64}$/;

/**
 * The unique index's value for an active job. Lanes with a path in them are hashed: a path can exceed an index's
 * limit, and MySQL treats texts that differ in trailing blanks as equal.
 */
export function laneKey(serverId: number, lane: string): string {
  const name = PLAIN_LANE.test(lane) ? lane : createHash('sha256').update(lane).digest('hex');
  return `${serverId}:${name}`;
}

/**
 * Serializes transactions that decide about a server's lanes; false if the server does not exist. It writes the
 * server's row, since a Galera cluster does not share locks between nodes: of two such writes it lets one commit and
 * restarts the other. It comes first in a transaction, so that later reads include the effects of the previous one.
 */
export async function lockLanes(trx: Knex, serverId: number): Promise<boolean> {
  const found = await trx('servers')
    .where({ id: serverId })
    .whereNull('removed_at')
    .increment('lane_version', 1);
  return found > 0;
}

/** Serializes transactions that decide about jobs in limited groups of servers. It comes first, as `lockLanes`. */
export async function lockGroups(trx: Knex, groups: readonly GroupUse[]): Promise<void> {
  const tags = groups.filter(({ atOnce }) => atOnce !== null).map(({ tag }) => tag);
  for (const tag of tags.toSorted()) {
    await trx('update_groups')
      .insert({ tag, version: 1 })
      .onConflict('tag')
      .merge({ version: trx.raw('update_groups.version + 1') });
  }
}

/** The jobs that hold a lane of the server; by the rules of lanes there are few. */
export async function activeJobs(trx: Knex, serverId: number): Promise<readonly Job[]> {
  // Sorted below: with ORDER BY, MariaDB scanned the whole table in the order of ids (2,000 jobs).
  const rows = await trx('jobs')
    .where({ server_id: serverId })
    .whereIn('status', ACTIVE_STATUSES)
    .select<JobRow[]>(JOB_COLUMNS);
  return rows.map(toJob).sort((one, other) => one.id - other.id);
}
