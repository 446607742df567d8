import * as z from 'zod';
import {
  BATCH_STATUSES,
  type Batch,
  type BatchMember,
  isUnfinished,
  MEMBER_STATUSES,
  totalOf,
} from '../../../../domain/automation/batch.ts';
import type { OrderWait } from '../../../../domain/automation/order-step.ts';
import { ringTagOf } from '../../../../domain/automation/update-order.ts';
import { toIso, toIsoOrNull } from '../../../../domain/base/instant.ts';
import { OS_STEPS } from '../../../../domain/jobs/job.ts';
import { JOB_TYPES } from '../../../../domain/jobs/job-types.ts';
import { count, countOrNull, id, text, textOrNull, time, timeOrNull } from './values.ts';

/** A batch's selector without its ids, of which there may be thousands: the hosts of the batch have them. */
const batchSelector = z.strictObject({
  by: z.enum(['ids', 'tags', 'all']),
  tags: z.array(text).nullable(),
});

/** How the jobs of a batch or schedule run. */
export const runShape = {
  source_filter: textOrNull,
  service: textOrNull,
  os_steps: z.array(z.enum(OS_STEPS)).nullable(),
  grace_seconds: countOrNull,
  prune: z.boolean(),
  guard: z.boolean().nullable().describe('null: for projects whose data backup sources cover'),
  observe_minutes: countOrNull,
  wait_for_host_minutes: countOrNull,
  dry_run: z.boolean(),
  max_parallel: count,
  canary: count,
  stop_after_failures: countOrNull,
};

export const runView = ({ params, bounds }: Pick<Batch, 'params' | 'bounds'>) => ({
  source_filter: params.sourceFilter,
  service: params.service,
  os_steps: params.osSteps === null ? null : [...params.osSteps],
  grace_seconds: params.graceSeconds ?? null,
  prune: params.prune ?? false,
  guard: params.guard ?? null,
  observe_minutes: params.observeMinutes ?? null,
  wait_for_host_minutes: params.waitForHostMinutes ?? null,
  dry_run: params.dryRun,
  max_parallel: bounds.maxParallel,
  canary: bounds.canary,
  stop_after_failures: bounds.stopAfterFailures,
});

export const batchSchema = z.strictObject({
  id,
  job_type: z.enum(JOB_TYPES),
  status: z.enum(BATCH_STATUSES),
  selector: batchSelector,
  ...runShape,
  plan_batch_id: id.nullable().describe('The batch of dry runs that its jobs do exactly'),
  hosts: z
    .strictObject({
      total: count,
      waiting: count,
      active: count.describe('Hosts with an active job'),
      success: count,
      failed: count,
      cancelled: count,
      skipped: count.describe('Hosts without a job; each gives the reason'),
      left_out: count.describe('Hosts that the batch did not reach'),
    })
    .describe('Number of hosts in each state'),
  requested_by: text,
  scheduled: z.boolean(),
  schedule_id: id.nullable(),
  outside_window: z.boolean().describe('An operator allowed it outside maintenance windows'),
  created_at: time,
  finished_at: timeOrNull,
  cancel_requested_at: timeOrNull,
  approved_by: textOrNull.describe('Who approved it, if it needed approval'),
  stop_reason: textOrNull.describe('Why the batch stopped starting jobs'),
  done: z.boolean().describe('The batch has ended'),
});

export const batchMemberSchema = z.strictObject({
  server_id: id,
  server_name: text,
  ring: countOrNull.describe('From 1; null: no policy orders it'),
  ring_tag: textOrNull.describe('null: the last ring, or no ring'),
  status: z.enum(MEMBER_STATUSES),
  job_id: id.nullable(),
  not_before: timeOrNull.describe("Earliest start of its job (the schedule's jitter)"),
  code: textOrNull.describe('Why it has no job'),
  detail: textOrNull,
});

export function batchView(batch: Batch): z.output<typeof batchSchema> {
  const { selector } = batch;
  return {
    id: batch.id,
    job_type: batch.jobType,
    status: batch.status,
    selector: { by: selector.by, tags: selector.by === 'tags' ? [...selector.tags] : null },
    ...runView(batch),
    plan_batch_id: batch.params.planBatchId ?? null,
    hosts: { total: totalOf(batch.counts), ...batch.counts },
    requested_by: batch.requester.label,
    scheduled: batch.scheduled,
    schedule_id: batch.scheduleId,
    outside_window: batch.outsideWindow,
    created_at: toIso(batch.createdAt),
    finished_at: toIsoOrNull(batch.finishedAt),
    cancel_requested_at: toIsoOrNull(batch.cancelRequestedAt),
    approved_by: batch.approvedBy,
    stop_reason: batch.stopReason,
    done: !isUnfinished(batch.status),
  };
}

export const orderWaitSchema = z.strictObject({
  policy: text,
  ring: count.describe('The ring that is next, from 1'),
  ring_tag: textOrNull.describe('null: the last ring'),
  reason: z.enum(['jobs', 'bake_time', 'window', 'limit', 'delay']),
  until: timeOrNull.describe('null: time alone does not end it'),
});

export const orderWaitView = (wait: OrderWait): z.output<typeof orderWaitSchema> => ({
  policy: wait.policy,
  ring: wait.ring + 1,
  ring_tag: wait.ringTag,
  reason: wait.reason,
  until: toIsoOrNull(wait.until),
});

export const batchMemberView = (
  member: BatchMember,
  { orders }: Pick<Batch, 'orders'>,
): z.output<typeof batchMemberSchema> => ({
  server_id: member.serverId,
  server_name: member.serverName,
  ring: member.place === null ? null : member.place.ring + 1,
  ring_tag: ringTagOf(member, orders),
  status: member.status,
  job_id: member.jobId,
  not_before: toIsoOrNull(member.notBefore),
  code: member.code,
  detail: member.detail,
});
