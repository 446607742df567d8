import * as z from 'zod';
import { BATCH_STATUSES, type Batch, MEMBER_STATUSES } from '../../../../domain/automation/batch.ts';
import { JOB_TYPES } from '../../../../domain/jobs/job-types.ts';
import { BATCH, CANCELLED_BATCH, MEMBERS } from '../automation-examples.ts';
import { batchId, boundsFields, jobFields, scheduleId, selector } from '../automation-fields.ts';
import { page as examplePage } from '../examples.ts';
import { pageFields } from '../fields.ts';
import { operation } from '../operation.ts';
import { batchMemberSchema, batchMemberView, batchSchema, batchView } from '../views/batch-view.ts';
import { pageShape, pageView } from '../views/page-view.ts';
import { id } from '../views/values.ts';

export const startBatch = operation({
  name: 'start_batch',
  scope: 'jobs',
  effect: 'asks',
  title: 'Start a job on many servers',
  description:
    'Starts one job on each server that the selector means, at most max_parallel at once, and returns before the first begins. Which servers these are is decided now. Servers where the job cannot run are listed with the reason. With canary, so many hosts go first and the rest only when all of them succeeded; after stop_after_failures failed jobs no more are started. With a token that needs approval the whole batch is awaiting_approval first, and one word of a person is for all of it. Follow it with get_batch until done is true.',
  input: z.strictObject({
    selector,
    ...jobFields,
    dry_run: z.boolean().default(false).describe('Only say what would change'),
    ...boundsFields,
  }),
  output: z.strictObject({
    batch_id: id,
    status: z.enum(BATCH_STATUSES),
    job_type: z.enum(JOB_TYPES),
    batch: batchSchema,
  }),
  group: 'Jobs',
  errors: ['feature_not_allowed', 'server_not_found', 'job_type_unavailable', 'too_many_approvals'],
  examples: [
    {
      title: 'Look for updates on all servers with a tag',
      input: {
        selector: { tags: ['test'] },
        job_type: 'os_update_check',
        canary: 1,
        stop_after_failures: 2,
      },
      output: { batch_id: 1, status: 'running', job_type: 'os_update_check', batch: BATCH },
    },
  ],
  routes: [{ method: 'POST', path: '/jobs', status: 202 }],
  async run(useCases, actor, input, keep) {
    const batch = await useCases.startBatch.execute(actor, {
      selector: input.selector,
      jobType: input.job_type,
      sourceFilter: input.source_filter ?? undefined,
      service: input.service ?? undefined,
      osSteps: input.os_steps ?? undefined,
      graceSeconds: input.grace_seconds ?? undefined,
      dryRun: input.dry_run,
      prune: input.prune ?? undefined,
      bounds: {
        maxParallel: input.max_parallel,
        canary: input.canary,
        stopAfterFailures: input.stop_after_failures,
      },
      keep: keep && ((started) => keep(startedView(started))),
    });
    return startedView(batch);
  },
});

function startedView(batch: Batch) {
  const view = batchView(batch);
  return { batch_id: view.id, status: view.status, job_type: view.job_type, batch: view };
}

export const listBatches = operation({
  name: 'list_batches',
  scope: 'read',
  effect: 'reads',
  title: 'List batches',
  description:
    'Lists batches, newest first: what was asked of which servers, and how many of them are in which state. A token that is limited to servers sees those that it started itself.',
  input: z.strictObject({
    status_filter: z.enum(BATCH_STATUSES).optional(),
    schedule_id: scheduleId.optional().describe('Those that this schedule started'),
    ...pageFields(50),
  }),
  output: z.strictObject({ batches: z.array(batchSchema), ...pageShape }),
  group: 'Jobs',
  errors: [],
  examples: [
    {
      title: 'Those under way',
      input: { status_filter: 'running' },
      output: { batches: [BATCH], ...examplePage(1) },
    },
  ],
  routes: [{ method: 'GET', path: '/batches', status: 200 }],
  async run(useCases, actor, input) {
    const page = await useCases.listBatches.execute(actor, {
      status: input.status_filter,
      scheduleId: input.schedule_id,
      limit: input.limit,
      offset: input.offset,
    });
    return { batches: page.items.map(batchView), ...pageView(page) };
  },
});

export const getBatch = operation({
  name: 'get_batch',
  scope: 'read',
  effect: 'reads',
  title: 'Show a batch',
  description:
    'A batch with its hosts in the order of their turns: the job of each and how it ended, or why it got none. Status awaiting_approval: a person has to approve it first; running: it goes on; success: every job that was started succeeded; failed: one did not, or none could be started; stopped: it went no further, stop_reason says why; cancelled. For the log of a job call get_job.',
  input: z.strictObject({
    batch_id: batchId,
    member_status: z.enum(MEMBER_STATUSES).optional().describe('Only hosts in this state'),
    ...pageFields(100),
  }),
  output: z.strictObject({ batch: batchSchema, members: z.array(batchMemberSchema), ...pageShape }),
  group: 'Jobs',
  errors: ['batch_not_found'],
  examples: [
    {
      title: 'With its hosts',
      input: { batch_id: 1 },
      output: { batch: BATCH, members: MEMBERS, ...examplePage(2, 100) },
    },
    {
      title: 'Hosts that got no job',
      input: { batch_id: 1, member_status: 'skipped' },
      output: { batch: BATCH, members: MEMBERS.slice(1), ...examplePage(1, 100) },
    },
  ],
  routes: [{ method: 'GET', path: '/batches/{batch_id}', status: 200 }],
  async run(useCases, actor, { batch_id, member_status, limit, offset }) {
    const query = { memberStatus: member_status, limit, offset };
    const { batch, members } = await useCases.getBatch.execute(actor, batch_id, query);
    return { batch: batchView(batch), members: members.items.map(batchMemberView), ...pageView(members) };
  },
});

export const cancelBatch = operation({
  name: 'cancel_batch',
  scope: 'jobs',
  effect: 'asks',
  title: 'Cancel a batch',
  description:
    'Begins no further host of a batch that this token started, and asks its jobs to stop where that is safe. It ends as cancelled once they have; follow it until done is true.',
  input: z.strictObject({ batch_id: batchId }),
  output: batchSchema,
  group: 'Jobs',
  errors: [
    'feature_not_allowed',
    'approval_required',
    'not_owner',
    'batch_not_found',
    'batch_not_cancellable',
  ],
  examples: [{ title: 'One that runs', input: { batch_id: 1 }, output: CANCELLED_BATCH }],
  routes: [{ method: 'POST', path: '/batches/{batch_id}/cancel', status: 202 }],
  async run(useCases, actor, input, keep) {
    const keepView = keep && ((cancelled: Batch) => keep(batchView(cancelled)));
    return batchView(await useCases.cancelBatch.execute(actor, input.batch_id, keepView));
  },
});
