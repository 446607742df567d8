import * as z from 'zod';
import { CancelJob } from '../../../../application/jobs/cancel-job.ts';
import { GetJob } from '../../../../application/jobs/get-job.ts';
import { ListJobs } from '../../../../application/jobs/list-jobs.ts';
import type { Job } from '../../../../domain/jobs/job.ts';
import { CANCELLED_JOB, page as examplePage, FINISHED_JOB, JOB } from '../examples.ts';
import { jobId, jobStatus, jobType, pageFields, serverId } from '../fields.ts';
import { operation, READS } from '../operation.ts';
import { jobDetailSchema, jobDetailView, jobSchema, jobView } from '../views/job-view.ts';
import { pageShape, pageView } from '../views/page-view.ts';

export const listJobs = operation({
  name: 'list_jobs',
  scope: 'read',
  effect: 'reads',
  title: 'List jobs',
  description:
    "Lists jobs, newest first, with requester, state, result and the last lines of the log. Use it to see what is running (active_only) or how past jobs ended. Narrow it with server_id, status_filter, job_type or a small limit. For more of a job's log call get_job.",
  input: z.strictObject({
    server_id: serverId.optional(),
    status_filter: jobStatus.optional(),
    job_type: jobType.optional(),
    active_only: z.boolean().default(false).describe('Pending and running jobs only'),
    ...pageFields(50),
  }),
  output: z.strictObject({ jobs: z.array(jobSchema), ...pageShape }),
  group: 'Jobs',
  errors: ['server_not_found'],
  examples: [
    { title: 'Running jobs', input: { active_only: true }, output: { jobs: [JOB], ...examplePage(1) } },
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
  tool: { hints: READS },
  async run(useCases, actor, input) {
    const page = await useCases.get(ListJobs).execute(actor, {
      serverId: input.server_id,
      status: input.status_filter,
      jobType: input.job_type,
      activeOnly: input.active_only,
      limit: input.limit,
      offset: input.offset,
    });
    return { jobs: page.items.map(jobView), ...pageView(page) };
  },
});

export const getJob = operation({
  name: 'get_job',
  scope: 'read',
  effect: 'reads',
  title: 'Show a job',
  description:
    'Returns one job: status, current step, percent if known, and the last 8 log lines; with detail the last 60 and the result. Use it to poll a job after trigger_job: wait a few seconds between calls until done is true, then read status, summary and error. A job in awaiting_approval starts once approved; if it is rejected or expires, it ends as cancelled.',
  input: z.strictObject({
    job_id: jobId,
    detail: z.boolean().default(false).describe('Include the result and 60 log lines'),
  }),
  output: jobDetailSchema,
  group: 'Jobs',
  errors: ['job_not_found'],
  examples: [
    { title: 'State of a job', input: { job_id: 1 }, output: JOB },
    { title: 'A job with its log and result', input: { job_id: 1, detail: true }, output: FINISHED_JOB },
  ],
  routes: [{ method: 'GET', path: '/jobs/{job_id}', status: 200 }],
  tool: { hints: READS },
  async run(useCases, actor, { job_id, detail }) {
    const { job, lines } = await useCases.get(GetJob).execute(actor, job_id, { detail });
    return lines === null ? jobView(job) : jobDetailView(job, lines);
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
