import type { Knex } from 'knex';
import type { JobQueue } from '../../../../../application/ports/jobs/job-queue.ts';
import { canBeTakenUp, type Job, workerLost } from '../../../../../domain/jobs/job.ts';
import type { Database } from '../database.ts';
import { RELEASED, REQUEUED } from './job-holds.ts';
import { changedJob, jobsByStatus } from './job-reads.ts';

export type SweepRequest = Parameters<JobQueue['sweep']>[0];

/** Where the owner of a running job is too late, or dead. */
function lost(
  database: Database,
  running: Knex.QueryBuilder,
  deadOwners: readonly string[],
): Knex.QueryBuilder {
  return running.where(
    (query) => void query.where('lease_until', '<', database.nowMs()).orWhereIn('owner', deadOwners),
  );
}

export async function sweepJobs(database: Database, request: SweepRequest): Promise<readonly Job[]> {
  const { deadOwners, limit } = request;
  const found = await lost(database, jobsByStatus(database.knex, 'running'), deadOwners)
    .orderBy('id')
    .limit(limit)
    .select<{ id: number }[]>('id');
  const ended: Job[] = [];
  for (const { id } of found) {
    const job = await database.transaction((trx) => sweepJob(database, trx, id, request));
    if (job) ended.push(job);
  }
  return ended;
}

/** Returns the job where it ended. Looks again under the row's lock: its owner may have come back, or another sweep. */
async function sweepJob(
  database: Database,
  trx: Knex,
  id: number,
  { deadOwners, at, record }: SweepRequest,
): Promise<Job | null> {
  const row = await lost(database, trx('jobs').where({ id }).whereNotNull('owner'), deadOwners)
    .forUpdate()
    .first<{ fence: number; run_marker: string | null } | undefined>(['fence', 'run_marker']);
  if (!row) return null;
  if (canBeTakenUp(row.run_marker, row.fence)) {
    await trx('jobs').where({ id }).update(REQUEUED);
    return null;
  }
  const { code, detail } = workerLost(row.run_marker, row.fence);
  await trx('jobs')
    .where({ id })
    .update({
      ...RELEASED,
      status: 'failed',
      summary: detail,
      error_code: code,
      error_detail: detail,
      finished_at: at,
    });
  return (await changedJob(trx, id, record)).job;
}
