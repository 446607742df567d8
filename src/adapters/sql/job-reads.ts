import type { Knex } from 'knex';
import type { Trail } from '../../application/ports/trail.ts';
import { type Job, jobNotFound } from '../../domain/job.ts';
import { JOB_COLUMNS, type JobRow, toJob } from './rows/job-row.ts';
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

/** The job that the query finds. */
export async function readJob(jobs: Knex.QueryBuilder): Promise<HeldJob | null> {
  const row = await jobs.first<HeldRow | undefined>([...JOB_COLUMNS, 'fence', 'run_marker']);
  return row ? { job: toJob(row), fence: row.fence, runMarker: row.run_marker } : null;
}

/** The job as it is now, with its trail written. */
export async function changedJob(trx: Knex, id: number, trail: (job: Job) => Trail): Promise<HeldJob> {
  const changed = await readJob(trx('jobs').where({ id }));
  if (!changed) throw jobNotFound(id);
  await writeTrail(trx, trail(changed.job));
  return changed;
}
