import * as z from 'zod';
import { CancelJob } from '../../../../application/jobs/cancel-job.ts';
import { GetJob, MAX_JOB_WAIT } from '../../../../application/jobs/get-job.ts';
import { ListJobs } from '../../../../application/jobs/list-jobs.ts';
import { JOB_STATUSES, type Job } from '../../../../domain/jobs/job.ts';
import { JOB_TYPES } from '../../../../domain/jobs/job-types.ts';
import { CANCELLED_JOB, page as examplePage, FINISHED_JOB, JOB } from '../examples.ts';
import { jobId, jobStatus, jobType, line, pageFields, serverId, time } from '../fields.ts';
import { operation, READS } from '../operation.ts';
import {
  brief,
  detail,
  detailFields,
  FEW,
  listResult,
  mainly,
  pick,
  toolForm,
  windowFields,
  windowShape,
} from '../tool-form.ts';
import { conciseJob } from '../tools/job-result.ts';
import { jobDetailSchema, jobDetailView, jobSchema, jobView } from '../views/job-view.ts';
import { pageShape, pageView } from '../views/page-view.ts';

const ORIGINS = ['schedule', 'request'] as const;

/** As the operation's, in fewer characters: what a job can be is known to who sees one. */
const oneOf = (values: readonly string[]) =>
  z
    .string()
    .max(60)
    .refine((value) => values.includes(value), `Must be one of ${values.join(', ')}.`);

const filters = {
  server_id: serverId.optional(),
  status_filter: jobStatus.optional(),
  job_type: jobType.optional(),
  active_only: z.boolean().default(false).describe('Pending and running jobs only'),
  since: time.optional().describe('Requested at this time or later, such as 2026-11-20T05:00:00Z'),
  before: time.optional().describe('Requested before this time'),
  origin: z.enum(ORIGINS).optional().describe('schedule: started by a schedule; request: by a user or token'),
  requested_by: line(200).min(1).optional().describe('Such as token:nightly or user:anna'),
};

/** For agents: what a job can be is known to those who have seen one. */
const undescribed = {
  status_filter: oneOf(JOB_STATUSES).optional(),
  job_type: oneOf(JOB_TYPES).optional(),
  active_only: z.boolean().default(false),
  since: time.optional(),
  before: time.optional(),
  origin: z.enum(ORIGINS).optional(),
  requested_by: line(200).min(1).optional(),
};

const ROW = [
  'id',
  'server_id',
  'server_name',
  'job_type',
  'status',
  'created_at',
  'finished_at',
  'current',
  'summary',
  'error',
  'error_code',
  'requested_by',
];

export const listJobs = operation({
  name: 'list_jobs',
  scope: 'read',
  effect: 'reads',
  title: 'List jobs',
  description:
    "Lists jobs, newest first, with requester, state, result and the last lines of the log. Narrow the list by server, state, type, period or origin. For more of a job's log call get_job.",
  input: z.strictObject({ ...filters, ...pageFields(50) }),
  output: z.strictObject({ jobs: z.array(jobSchema), ...pageShape }),
  group: 'Jobs',
  errors: ['server_not_found'],
  examples: [
    { title: 'Running jobs', input: { active_only: true }, output: { jobs: [JOB], ...examplePage(1) } },
    {
      title: 'Jobs that schedules started since a time',
      input: { origin: 'schedule', since: '2026-11-20T00:00:00Z' },
      output: { jobs: [{ ...JOB, scheduled: true }], ...examplePage(1) },
    },
    {
      title: 'Backups of one server',
      input: { server_id: 1, job_type: 'backup', limit: 5 },
      output: { jobs: [JOB], ...examplePage(1, 5) },
    },
  ],
  routes: [
    { method: 'GET', path: '/jobs', status: 200 },
    {
      method: 'GET',
      path: '/servers/{server_id}/jobs',
      status: 200,
      named: { id: 'list_jobs_of_server', title: 'List jobs of a server' },
    },
  ],
  tool: toolForm({
    hints: READS,
    repeats: 10,
    description:
      'Lists jobs, newest first. Use it to see what runs now (active_only) or how past jobs ended: by server, state, type, period (since, before: ISO times), origin or requested_by (token:NAME, user:NAME). detail full adds log lines. Next: get_job for the log and result of one.',
    input: z.strictObject({ ...filters, ...undescribed, ...detailFields(jobSchema), ...windowFields }),
    output: z.strictObject({ jobs: z.array(brief), ...windowShape }),
    request: ({ detail: _detail, fields: _fields, limit = FEW, ...rest }) => ({ ...rest, limit }),
    present: (body, input) =>
      listResult(body, 'jobs', input, { always: ['id'], row: (job) => conciseJob(pick(job, ROW)) }),
  }),
  async run(useCases, actor, input) {
    const page = await useCases.get(ListJobs).execute(actor, {
      serverId: input.server_id,
      status: input.status_filter,
      jobType: input.job_type,
      activeOnly: input.active_only,
      since: input.since === undefined ? undefined : Date.parse(input.since),
      before: input.before === undefined ? undefined : Date.parse(input.before),
      scheduled: input.origin === undefined ? undefined : input.origin === 'schedule',
      requestedBy: input.requested_by,
      limit: input.limit,
      offset: input.offset,
    });
    return { jobs: page.items.map(jobView), ...pageView(page) };
  },
});

/** Fields whose types the tool names. */
const SHOWN = [
  'id',
  'server_id',
  'server_name',
  'job_type',
  'status',
  'current',
  'summary',
  'dry_run',
  'error',
  'error_code',
  'log_tail',
  'done',
];

export const getJob = operation({
  name: 'get_job',
  scope: 'read',
  effect: 'reads',
  title: 'Show a job',
  description:
    'Returns one job: status, current step, percent if known, and the last 8 log lines; with detail the last 60 and the result. Use it to follow a job after trigger_job: call it with wait_seconds until done is true, then read status, summary and error. A job in awaiting_approval starts once approved; if it is declined or expires, it ends as cancelled.',
  input: z.strictObject({
    job_id: jobId,
    detail: z.boolean().default(false).describe('Include the result and 60 log lines'),
    wait_seconds: z
      .int()
      .min(0)
      .max(MAX_JOB_WAIT)
      .default(0)
      .describe('Wait up to this time until the job has ended or waits for approval'),
  }),
  output: jobDetailSchema,
  group: 'Jobs',
  errors: ['job_not_found'],
  examples: [
    { title: 'State of a job', input: { job_id: 1 }, output: { ...JOB, phases: [], usual_seconds: null } },
    { title: 'A job with its log and result', input: { job_id: 1, detail: true }, output: FINISHED_JOB },
  ],
  routes: [{ method: 'GET', path: '/jobs/{job_id}', status: 200 }],
  tool: toolForm({
    hints: READS,
    description:
      "Shows one job; job_id also takes a server's latest: NAME or NAME JOB_TYPE. Use it after trigger_job, with wait_seconds, until done is true; then read status, summary and error. With detail: 60 log lines and the result, with a dry run's plan_id. awaiting_approval: tell the user that a reviewer decides, and stop.",
    input: z.strictObject({
      job_id: jobId,
      detail: z.union([z.boolean(), detail]).default(false),
      wait_seconds: z.int().min(0).max(MAX_JOB_WAIT).default(0),
    }),
    output: z.looseObject({
      ...mainly(jobSchema, SHOWN).shape,
      log_lines: z.array(z.string()).optional(),
      result: brief.optional(),
    }),
    request: ({ detail: wanted, ...rest }) => ({ ...rest, detail: wanted === true || wanted === 'full' }),
    present: conciseJob,
  }),
  async run(useCases, actor, { job_id, detail: isDetailed, wait_seconds: waitSeconds }) {
    const options = { detail: isDetailed, waitSeconds };
    return jobDetailView(await useCases.get(GetJob).execute(actor, job_id, options));
  },
});

export const cancelJob = operation({
  name: 'cancel_job',
  scope: 'jobs',
  effect: 'asks',
  title: 'Cancel a job',
  description:
    "Cancels a pending job immediately, and asks a running job to stop as soon as it is safe. The reply is the job's current state: poll it until done is true. A token that needs approval can cancel only jobs that it started.",
  input: z.strictObject({ job_id: jobId }),
  output: jobSchema,
  group: 'Jobs',
  errors: ['feature_not_allowed', 'approval_required', 'job_not_found', 'job_not_cancellable'],
  examples: [{ title: 'A pending job', input: { job_id: 1 }, output: CANCELLED_JOB }],
  routes: [{ method: 'POST', path: '/jobs/{job_id}/cancel', status: 202 }],
  async run(useCases, actor, input, keep) {
    const keepView = keep && ((cancelled: Job) => keep(jobView(cancelled)));
    return jobView(await useCases.get(CancelJob).execute(actor, input.job_id, keepView));
  },
});
