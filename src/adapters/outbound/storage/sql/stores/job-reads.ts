import type { Knex } from 'knex';
import type { ChangeRecord } from '../../../../../application/ports/events/change-record.ts';
import type { HostWait } from '../../../../../domain/jobs/host-wait.ts';
import { type Job, type JobStatus, jobNotFound } from '../../../../../domain/jobs/job.ts';
import { byIndex } from '../index-hint.ts';
import { JOB_COLUMNS, type JobRow, toJob } from '../tables/job-row.ts';
import { recordChange } from './record-change.ts';

/** A job and the fields of its claim. */
export interface HeldJob {
  readonly job: Job;
  readonly fence: number;
  readonly runMarker: string | null;
  readonly hostWait: HostWait | null;
}

interface HeldRow extends JobRow {
  readonly fence: number;
  readonly run_marker: string | null;
  readonly host_wait_since: number | null;
  readonly host_tries: number;
}

const HELD_COLUMNS = [...JOB_COLUMNS, 'fence', 'run_marker', 'host_wait_since', 'host_tries'];

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
  hostWait: row.host_wait_since === null ? null : { since: row.host_wait_since, tries: row.host_tries },
});

/** The jobs as they are now, by id, with their records written. */
export async function changedJobs(
  trx: Knex,
  ids: readonly number[],
  record: (held: HeldJob) => ChangeRecord,
): Promise<readonly HeldJob[]> {
  if (ids.length === 0) return [];
  // Sorted here: with ORDER BY, MariaDB scanned the whole table in the order of ids.
  const rows: HeldRow[] = await trx('jobs').whereIn('id', ids).select(HELD_COLUMNS);
  const changed = rows.map(held).sort((one, other) => one.job.id - other.job.id);
  const records = changed.map(record);
  await recordChange(trx, {
    audit: records.flatMap(({ audit }) => audit ?? []),
    events: records.flatMap(({ events }) => events ?? []),
  });
  return changed;
}

/** The job as it is now, with its trail written. */
export async function changedJob(
  trx: Knex,
  id: number,
  record: (job: Job) => ChangeRecord,
): Promise<HeldJob> {
  const changed = await readJob(trx('jobs').where({ id }));
  if (!changed) throw jobNotFound(id);
  await recordChange(trx, record(changed.job));
  return changed;
}
