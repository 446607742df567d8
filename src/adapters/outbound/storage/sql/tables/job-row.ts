import { z } from 'zod';
import type { ActorKind } from '../../../../../domain/access/actor.ts';
import { ERROR_CODES, type ErrorCode } from '../../../../../domain/base/errors.ts';
import { waitsForPerson } from '../../../../../domain/jobs/approval.ts';
import {
  type Job,
  type JobParams,
  type JobStatus,
  type NewJob,
  OS_STEPS,
} from '../../../../../domain/jobs/job.ts';
import type { JobType } from '../../../../../domain/jobs/job-types.ts';
import { hostText } from './host-text.ts';
import { fromJson, Strings } from './json.ts';

/** What `toJob` reads of a job in a list: all but its result, which can be large. */
export const JOB_LIST_COLUMNS = [
  'id',
  'server_id',
  'server_name',
  'job_type',
  'lane',
  'status',
  'params',
  'created_at',
  'started_at',
  'finished_at',
  'current',
  'percent',
  'summary',
  'scheduled',
  'requested_by',
  'requester_kind',
  'requester_id',
  'error_code',
  'error_detail',
  'log_tail',
  'cancel_requested_at',
] as const;

export const JOB_COLUMNS = [...JOB_LIST_COLUMNS, 'result'] as const;

export interface JobRow {
  readonly id: number;
  readonly server_id: number;
  readonly server_name: string;
  readonly job_type: JobType;
  readonly lane: string;
  readonly status: JobStatus;
  readonly params: string;
  readonly created_at: number;
  readonly started_at: number | null;
  readonly finished_at: number | null;
  readonly current: string | null;
  readonly percent: number | null;
  readonly summary: string | null;
  readonly scheduled: number;
  readonly requested_by: string;
  readonly requester_kind: ActorKind | null;
  readonly requester_id: number | null;
  readonly error_code: string | null;
  readonly error_detail: string | null;
  readonly log_tail: string;
  readonly cancel_requested_at: number | null;
  readonly result?: string | null;
}

/** Not strict: beside this version there may be a newer one on the same database that knows more. */
export const Params: z.ZodType<JobParams> = z.object({
  sourceFilter: z.string().nullable(),
  service: z.string().nullable(),
  osSteps: z.array(z.enum(OS_STEPS)).nullable(),
  dryRun: z.boolean(),
  prune: z.boolean().optional(),
  planId: z.int().optional(),
  planBatchId: z.int().optional(),
  graceSeconds: z.int().optional(),
  snapshotId: z.int().optional(),
  restore: z
    .object({ directory: z.string(), subpaths: z.array(z.string()), overwrite: z.boolean() })
    .optional(),
  dump: z.object({ name: z.string(), database: z.string().nullable() }).optional(),
  sample: z.string().optional(),
  template: z.string().optional(),
  orderId: z.int().optional(),
  outsideWindow: z.boolean().optional(),
});
const Result = z.record(z.string(), z.unknown());

export const toJob = (row: JobRow): Job => ({
  id: row.id,
  serverId: row.server_id,
  serverName: row.server_name,
  jobType: row.job_type,
  lane: row.lane,
  status: row.status,
  params: fromJson(Params, row.params),
  createdAt: row.created_at,
  startedAt: row.started_at,
  finishedAt: row.finished_at,
  current: hostText(row.current),
  percent: row.percent,
  summary: hostText(row.summary),
  scheduled: row.scheduled === 1,
  requestedBy: row.requested_by,
  requester: row.requester_kind === null ? null : { kind: row.requester_kind, id: row.requester_id },
  error:
    row.error_code === null
      ? null
      : { code: errorCode(row.error_code), detail: hostText(row.error_detail ?? '') },
  result: row.result ? fromJson(Result, hostText(row.result)) : null,
  logTail: fromJson(Strings, hostText(row.log_tail)),
  cancelRequestedAt: row.cancel_requested_at,
});

/** A replica of another version may know codes that this one does not. */
export const errorCode = (text: string): ErrorCode => ERROR_CODES.find((code) => code === text) ?? 'internal';

const MAX_NAME_LENGTH = 255;

/** What the columns hold that a new job leaves to their defaults. */
export const NEW_JOB = {
  started_at: null,
  finished_at: null,
  percent: null,
  summary: null,
  error_code: null,
  error_detail: null,
  result: null,
  cancel_requested_at: null,
} as const;

export const newJobColumns = (
  job: NewJob,
  laneKey: string | null,
): Omit<JobRow, 'id' | keyof typeof NEW_JOB> & { lane_key: string | null; plan_key: number | null } => ({
  server_id: job.serverId,
  server_name: job.serverName.slice(0, MAX_NAME_LENGTH),
  job_type: job.jobType,
  lane: job.lane,
  lane_key: laneKey,
  status: job.status,
  params: JSON.stringify(job.params),
  plan_key: job.params.planId ?? null,
  created_at: job.createdAt,
  current: job.approval ? waitsForPerson(job.approval.expiresAt) : null,
  scheduled: Number(job.scheduled),
  requested_by: job.requestedBy.slice(0, MAX_NAME_LENGTH),
  requester_kind: job.requester?.kind ?? null,
  requester_id: job.requester?.id ?? null,
  log_tail: '[]',
});
