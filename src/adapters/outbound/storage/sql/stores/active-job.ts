import type { Knex } from 'knex';
import { type JobStatus, serverHasActiveJob } from '../../../../../domain/jobs/job.ts';
import type { JobType } from '../../../../../domain/jobs/job-types.ts';

/** Throws `job_already_active` where a job of the server waits or runs. The caller has locked the server's row. */
export async function refuseWhileActive(trx: Knex, serverId: number): Promise<void> {
  const active = await trx('jobs')
    .where({ server_id: serverId })
    .whereNotNull('lane_key')
    .first<{ id: number; job_type: JobType; status: JobStatus; server_name: string }>([
      'id',
      'job_type',
      'status',
      'server_name',
    ]);
  if (!active) return;
  throw serverHasActiveJob({
    id: active.id,
    jobType: active.job_type,
    status: active.status,
    serverName: active.server_name,
  });
}
