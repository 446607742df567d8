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
import { AMOUNT_UNITS, type JobPhase } from '../../../../../domain/jobs/phases.ts';
import {
  type Column,
  columns,
  flag,
  fromJson,
  hostText,
  hostWritten,
  int,
  json,
  named,
  nullable,
  oneOf,
  orElse,
  orNull,
  type Row,
  Strings,
  shortText,
  text,
} from './columns.ts';

/** Not strict: beside this version there may be a newer one on the same database that knows more. */
const Params: z.ZodType<JobParams> = z.object({
  sourceFilter: z.string().nullable(),
  service: z.string().nullable(),
  osSteps: z.array(z.enum(OS_STEPS)).nullable(),
  dryRun: z.boolean(),
  prune: z.boolean().optional(),
  guard: z.boolean().optional(),
  observeMinutes: z.int().optional(),
  waitForHostMinutes: z.int().optional(),
  updateJobId: z.int().optional(),
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
export const params = json(Params);
/** The parameters of a dry run. */
export const DRY_RUN_PARAMS = '%"dryRun":true%';

/** A replica of another version may know codes that this one does not. */
export const errorCode: Column<ErrorCode, string> = {
  read: (raw) => ERROR_CODES.find((code) => code === raw) ?? 'internal',
  write: (code) => code,
};

const Result = z.record(z.string(), z.unknown());
const hostJson = <T>(schema: z.ZodType<T>): Column<T, string> => ({
  ...json(schema),
  read: (raw) => fromJson(schema, hostText(raw)),
});

/** A job's initial fields. */
const ASKED = columns({
  serverId: int,
  serverName: shortText,
  jobType: oneOf<JobType>(),
  lane: text,
  status: oneOf<JobStatus>(),
  params,
  createdAt: int,
  scheduled: flag,
  requestedBy: shortText,
  requester: nullable({
    kind: named('requester_kind', oneOf<ActorKind>()),
    id: named('requester_id', orNull(int)),
  }),
  reason: orNull(hostWritten),
});
/** A job in a list: all but its result, which can be large. */
const LISTED_JOBS = columns({
  id: int,
  ...ASKED.shape,
  startedAt: orNull(int),
  finishedAt: orNull(int),
  current: orNull(hostWritten),
  percent: orNull(int),
  summary: orNull(hostWritten),
  error: nullable({
    code: named('error_code', errorCode),
    detail: named('error_detail', orElse(hostWritten, '')),
  }),
  logTail: hostJson(Strings),
  cancelRequestedAt: orNull(int),
});
/** Steps of a job. An older version writes none. */
const Phases: z.ZodType<readonly JobPhase[]> = z.array(
  z.object({
    name: z.string(),
    startedAt: z.int(),
    amount: z
      .object({ done: z.number(), total: z.number(), unit: z.enum(AMOUNT_UNITS) })
      .nullable()
      .catch(null),
  }),
);
const JOBS = columns({
  ...LISTED_JOBS.shape,
  phases: orElse(hostJson(Phases), []),
  result: orNull(hostJson(Result)),
});

export const phaseColumns = (phases: readonly JobPhase[] | undefined) =>
  phases === undefined ? {} : { phases: JSON.stringify(phases) };

export type JobRow = Row<typeof JOBS>;
export const JOB_COLUMNS = JOBS.names;
export const toJob: (row: JobRow) => Job = JOBS.read;

export type ListedJobRow = Row<typeof LISTED_JOBS>;
export const JOB_LIST_COLUMNS = LISTED_JOBS.names;
export const toListedJob = (row: ListedJobRow): Job => ({
  ...LISTED_JOBS.read(row),
  phases: [],
  result: null,
});

const RESULTS = columns({ id: int, result: JOBS.shape.result });

export type ResultRow = Row<typeof RESULTS>;
export const RESULT_COLUMNS = RESULTS.names;
export const toResult: (row: ResultRow) => Pick<Job, 'id' | 'result'> = RESULTS.read;

/** Default values of a new job's columns. */
const NEW_JOB = {
  started_at: null,
  finished_at: null,
  percent: null,
  phases: null,
  summary: null,
  error_code: null,
  error_detail: null,
  result: null,
  cancel_requested_at: null,
} as const;

export const newJobColumns = (job: NewJob, laneKey: string | null) => ({
  ...ASKED.write(job),
  lane_key: laneKey,
  plan_key: job.params.planId ?? null,
  current: job.approval ? waitsForPerson(job.approval.expiresAt) : null,
  log_tail: '[]',
  group_uses: job.groups === undefined || job.groups.length === 0 ? null : JSON.stringify(job.groups),
});

/** A job that was just written. */
export const newJob = (row: ReturnType<typeof newJobColumns>, id: number): Job =>
  toJob({ ...NEW_JOB, ...row, id });
