import * as z from 'zod';
import { CancelBatch } from '../../../../application/automation/cancel-batch.ts';
import { GetBatch, ListBatches } from '../../../../application/automation/get-batch.ts';
import { StartBatch } from '../../../../application/automation/start-batch.ts';
import { BATCH_STATUSES, type Batch, MEMBER_STATUSES } from '../../../../domain/automation/batch.ts';
import { JOB_TYPES } from '../../../../domain/jobs/job-types.ts';
import { BATCH, CANCELLED_BATCH, MEMBERS } from '../automation-examples.ts';
import { batchId, boundsFields, jobFields, scheduleId, selector } from '../automation-fields.ts';
import { page as examplePage } from '../examples.ts';
import { pageFields } from '../fields.ts';
import { operation } from '../operation.ts';
import {
  batchMemberSchema,
  batchMemberView,
  batchSchema,
  batchView,
  orderWaitSchema,
  orderWaitView,
} from '../views/batch-view.ts';
import { pageShape, pageView } from '../views/page-view.ts';
import { id } from '../views/values.ts';

export const startBatch = operation({
  name: 'start_batch',
  scope: 'jobs',
  effect: 'asks',
  title: 'Start a job on many servers',
  description:
    'Starts one job on each selected server, at most max_parallel at a time, and returns immediately. The selection is fixed now; servers that cannot run the job are listed with the reason. canary: number of servers that go first; the others follow only if all of them succeed. stop_after_failures: stop starting jobs after this number of failures. Start a batch with dry_run first, then pass its batch_id as plan_batch_id: each server does exactly that. If the token needs approval, one decision covers the whole batch (awaiting_approval). Poll get_batch until done is true.',
  input: z.strictObject({
    selector,
    ...jobFields,
    dry_run: z.boolean().default(false).describe('Report what would change, and change nothing'),
    plan_batch_id: batchId
      .nullish()
      .describe(
        'A batch of dry runs of the same type. Each server does exactly its dry run, or nothing if it has changed since; servers without a valid one are skipped',
      ),
    ...boundsFields,
  }),
  output: z.strictObject({
    batch_id: id,
    status: z.enum(BATCH_STATUSES),
    job_type: z.enum(JOB_TYPES),
    batch: batchSchema,
  }),
  group: 'Jobs',
  errors: [
    'feature_not_allowed',
    'server_not_found',
    'job_type_unavailable',
    'batch_not_found',
    'plan_not_found',
    'too_many_approvals',
  ],
  examples: [
    {
      title: 'Check for updates on all servers with a tag',
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
    const batch = await useCases.get(StartBatch).execute(actor, {
      selector: input.selector,
      jobType: input.job_type,
      sourceFilter: input.source_filter ?? undefined,
      service: input.service ?? undefined,
      osSteps: input.os_steps ?? undefined,
      graceSeconds: input.grace_seconds ?? undefined,
      dryRun: input.dry_run,
      planBatchId: input.plan_batch_id ?? undefined,
      prune: input.prune ?? undefined,
      guard: input.guard ?? undefined,
      observeMinutes: input.observe_minutes ?? undefined,
      waitForHostMinutes: input.wait_for_host_minutes ?? undefined,
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
    'Lists batches, newest first, with the request and the number of hosts in each state. A token limited to servers sees only the batches that it started.',
  input: z.strictObject({
    status_filter: z.enum(BATCH_STATUSES).optional(),
    schedule_id: scheduleId.optional().describe('Only batches of this schedule'),
    ...pageFields(50),
  }),
  output: z.strictObject({ batches: z.array(batchSchema), ...pageShape }),
  group: 'Jobs',
  errors: [],
  examples: [
    {
      title: 'Running batches',
      input: { status_filter: 'running' },
      output: { batches: [BATCH], ...examplePage(1) },
    },
  ],
  routes: [{ method: 'GET', path: '/batches', status: 200 }],
  async run(useCases, actor, input) {
    const page = await useCases.get(ListBatches).execute(actor, {
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
    "Returns a batch with its hosts in start order: each host's job and its result, or why it got none. Status awaiting_approval: waits for a reviewer; running; success: all started jobs succeeded; failed: a job failed or none could start; stopped: see stop_reason; cancelled. For a job's log call get_job.",
  input: z.strictObject({
    batch_id: batchId,
    member_status: z.enum(MEMBER_STATUSES).optional().describe('Only hosts in this state'),
    ...pageFields(100),
  }),
  output: z.strictObject({
    batch: batchSchema,
    waits_for: z
      .array(orderWaitSchema)
      .describe('What a running batch waits for, by the policies that order its servers'),
    members: z.array(batchMemberSchema),
    ...pageShape,
  }),
  group: 'Jobs',
  errors: ['batch_not_found'],
  examples: [
    {
      title: 'A batch with its hosts',
      input: { batch_id: 1 },
      output: { batch: BATCH, waits_for: [], members: MEMBERS, ...examplePage(2, 100) },
    },
    {
      title: 'Hosts without a job',
      input: { batch_id: 1, member_status: 'skipped' },
      output: { batch: BATCH, waits_for: [], members: MEMBERS.slice(1), ...examplePage(1, 100) },
    },
  ],
  routes: [{ method: 'GET', path: '/batches/{batch_id}', status: 200 }],
  async run(useCases, actor, { batch_id, member_status, limit, offset }) {
    const query = { memberStatus: member_status, limit, offset };
    const found = useCases.get(GetBatch);
    const { batch, members } = await found.execute(actor, batch_id, query);
    const waits = await found.waits(batch);
    return {
      batch: batchView(batch),
      waits_for: waits.map(orderWaitView),
      members: members.items.map((member) => batchMemberView(member, batch)),
      ...pageView(members),
    };
  },
});

export const cancelBatch = operation({
  name: 'cancel_batch',
  scope: 'jobs',
  effect: 'asks',
  title: 'Cancel a batch',
  description:
    'Starts no more hosts of a batch that this token started, and asks its running jobs to stop when it is safe. The batch ends as cancelled when they have stopped: poll it until done is true.',
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
  examples: [{ title: 'A running batch', input: { batch_id: 1 }, output: CANCELLED_BATCH }],
  routes: [{ method: 'POST', path: '/batches/{batch_id}/cancel', status: 202 }],
  async run(useCases, actor, input, keep) {
    const keepView = keep && ((cancelled: Batch) => keep(batchView(cancelled)));
    return batchView(await useCases.get(CancelBatch).execute(actor, input.batch_id, keepView));
  },
});
