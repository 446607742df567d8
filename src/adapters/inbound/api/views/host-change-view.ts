import * as z from 'zod';
import { toIso, toIsoOrNull } from '../../../../domain/base/instant.ts';
import { CHANGE_KINDS, type HostChange } from '../../../../domain/fleet/host-state.ts';
import { JOB_STATUSES, type Job } from '../../../../domain/jobs/job.ts';
import { JOB_TYPES } from '../../../../domain/jobs/job-types.ts';
import { id, text, textOrNull, time, timeOrNull } from './values.ts';

export const hostChangeKind = z.enum(CHANGE_KINDS);

export const hostChangeSchema = z.strictObject({
  id,
  server_id: id,
  server_name: text,
  kind: hostChangeKind,
  name: text.describe('As the host names it'),
  before: textOrNull.describe('null: it was not there'),
  after: textOrNull.describe('null: it is gone'),
  since: time.describe('The reading before the change'),
  at: time.describe('The reading that found it'),
  snapshot_id: id
    .nullable()
    .describe('Of a file: the snapshot that found it, compared with the one before it'),
});

/** A job of the time of the changes. */
export const changeJobSchema = z.strictObject({
  id,
  server_id: id,
  server_name: text,
  job_type: z.enum(JOB_TYPES),
  status: z.enum(JOB_STATUSES),
  dry_run: z.boolean(),
  requested_by: text,
  created_at: time,
  finished_at: timeOrNull,
});

export const changeJobView = (job: Job): z.output<typeof changeJobSchema> => ({
  id: job.id,
  server_id: job.serverId,
  server_name: job.serverName,
  job_type: job.jobType,
  status: job.status,
  dry_run: job.params.dryRun,
  requested_by: job.requestedBy,
  created_at: toIso(job.createdAt),
  finished_at: toIsoOrNull(job.finishedAt),
});

export const hostChangeView = (change: HostChange): z.output<typeof hostChangeSchema> => ({
  id: change.id,
  server_id: change.serverId,
  server_name: change.serverName,
  kind: change.kind,
  name: change.name,
  before: change.before,
  after: change.after,
  since: toIso(change.since),
  at: toIso(change.at),
  snapshot_id: change.snapshotId,
});
