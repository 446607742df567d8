import type { Knex } from 'knex';
import type { Trail } from '../../../../../application/ports/events/trail.ts';
import { type Job, type JobStatus, jobNotFound } from '../../../../../domain/jobs/job.ts';
import { byIndex } from '../index-hint.ts';
import { JOB_COLUMNS, type JobRow, toJob } from '../tables/job-row.ts';
import { writeTrail } from './trail.ts';

/** A job and what a claim on it consists of. */
export interface HeldJob {
  readonly job: Job;
  readonly fence: number;
  readonly runMarker: string | null;
}

interface HeldRow extends JobRow {
  readonly fence: number;
  readonly run_marker: string | null;
}

const HELD_COLUMNS = [...JOB_COLUMNS, 'fence', 'run_marker'];

/** Jobs of a status, to be read in the order of their ids. */
export const jobsByStatus = (knex: Knex, status: JobStatus): Knex.QueryBuilder =>
  byIndex(knex, 'jobs', ['status', 'id']).where({ status });

/** The job that the query finds. */
export async function readJob(jobs: Knex.QueryBuilder): Promise<HeldJob | null> {
  const row = await jobs.first<HeldRow | undefined>(HELD_COLUMNS);
  return row ? held(row) : null;
}

const held = (row: HeldRow): HeldJob => ({
  job: toJob(row),
  fence: row.fence,
  runMarker: row.run_marker,
});

/** The jobs as they are now, by id, with their trails written. */
export async function changedJobs(
  trx: Knex,
  ids: readonly number[],
  trail: (job: Job) => Trail,
): Promise<readonly HeldJob[]> {
  if (ids.length === 0) return [];
  // Sorted here: asked to do it, MariaDB has gone through the whole table in the order of ids.
  const rows: HeldRow[] = await trx('jobs').whereIn('id', ids).select(HELD_COLUMNS);
  const changed = rows.map(held).sort((one, other) => one.job.id - other.job.id);
  const trails = changed.map(({ job }) => trail(job));
  await writeTrail(trx, {
    audit: trails.flatMap(({ audit }) => audit ?? []),
    events: trails.flatMap(({ events }) => events ?? []),
  });
  return changed;
}

/** The job as it is now, with its trail written. */
export async function changedJob(trx: Knex, id: number, trail: (job: Job) => Trail): Promise<HeldJob> {
  const changed = await readJob(trx('jobs').where({ id }));
  if (!changed) throw jobNotFound(id);
  await writeTrail(trx, trail(changed.job));
  return changed;
}
