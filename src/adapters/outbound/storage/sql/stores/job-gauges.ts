import type { Knex } from 'knex';
import type { GaugeMoments, Gauges } from '../../../../../domain/fleet/gauges.ts';
import {
  isActive,
  JOB_STATUSES,
  type JobStatus,
  UNFINISHED_STATUSES,
} from '../../../../../domain/jobs/job.ts';
import { JOB_TYPES, type JobType } from '../../../../../domain/jobs/job-types.ts';
import type { EndedJobCounts } from './ended-job-counts.ts';
import { jobsByStatus } from './job-reads.ts';

interface OpenRow {
  readonly status: JobStatus;
  readonly job_type: JobType;
  readonly jobs: number;
}

export async function jobGauges(
  knex: Knex,
  ended: EndedJobCounts,
  moments: GaugeMoments,
): Promise<Gauges['jobs']> {
  const open = await openJobs(knex);
  const counted = await ended.read(moments.now);
  const sum = (rows: readonly OpenRow[]): number => rows.reduce((total, { jobs }) => total + jobs, 0);
  return {
    byStatus: record(JOB_STATUSES, (status) =>
      status in counted
        ? counted[status as keyof typeof counted]
        : sum(open.filter((row) => row.status === status)),
    ),
    activeByType: record(JOB_TYPES, (type) =>
      sum(open.filter((row) => row.job_type === type && isActive(row.status))),
    ),
    ...(await lately(knex, moments)),
  };
}

/** Few beside those that have ended. */
const openJobs = async (knex: Knex): Promise<OpenRow[]> =>
  knex('jobs')
    .whereIn('status', UNFINISHED_STATUSES)
    .groupBy('status', 'job_type')
    .select<OpenRow[]>('status', 'job_type', knex.raw('COUNT(*) AS jobs'));

async function lately(
  knex: Knex,
  { failedSince }: GaugeMoments,
): Promise<Pick<Gauges['jobs'], 'failedLately' | 'oldestPendingAt' | 'hostKeyMismatches'>> {
  const failed = (): Knex.QueryBuilder =>
    knex('jobs').where('finished_at', '>=', failedSince).where({ status: 'failed' });
  const row = (await knex
    .select({
      failed: failed().count('*'),
      mismatches: failed().where({ error_code: 'host_key_mismatch' }).countDistinct('server_id'),
      // Ids grow with time: the first is as good as the oldest.
      oldest: jobsByStatus(knex, 'pending').orderBy('id').limit(1).select('created_at'),
    })
    .first()) as { failed: number; mismatches: number; oldest: number | null };
  return {
    failedLately: row.failed,
    hostKeyMismatches: row.mismatches,
    oldestPendingAt: row.oldest,
  };
}

const record = <K extends string>(keys: readonly K[], value: (key: K) => number): Record<K, number> =>
  Object.fromEntries(keys.map((key) => [key, value(key)])) as Record<K, number>;
