import type { Knex } from 'knex';
import type { Claim } from '../../../../../application/ports/jobs/job-queue.ts';

/**
 * The job's row for as long as the claim is valid: the fence decides, and not the time. A takeover changes this row,
 * so an owner that is late but alone loses nothing by a slow database, and a replaced one finds no row. Only running
 * jobs have an owner. Neither this nor the queries below select by status: MariaDB would look the row up by that
 * index, locking entry and row in the opposite order of status changes, and abort one of both (deadlock).
 */
export const heldBy = (knex: Knex, { job, owner, fence }: Claim): Knex.QueryBuilder =>
  knex('jobs').where({ id: job.id, owner, fence });

/** The job's row while it is pending: it holds a lane, and has no owner. */
export const unclaimed = (knex: Knex, id: number): Knex.QueryBuilder =>
  knex('jobs').where({ id }).whereNull('owner').whereNotNull('lane_key');

/** Back in the queue: lane, log, run marker and first start stay. */
export const REQUEUED = {
  status: 'pending',
  owner: null,
  lease_until: null,
  current: null,
  percent: null,
} as const;

/** An ended job holds nothing. */
export const RELEASED = {
  lane_key: null,
  owner: null,
  lease_until: null,
  run_marker: null,
  current: null,
} as const;
