import * as z from 'zod';
import type { ScheduleOverview } from '../../../../application/automation/list-schedules.ts';
import { RUN_OUTCOMES, type Schedule, type ScheduleRun } from '../../../../domain/automation/schedule.ts';
import { ownerLabel } from '../../../../domain/automation/schedule-owner.ts';
import { type Instant, SECOND, toIso, toIsoOrNull } from '../../../../domain/base/instant.ts';
import { JOB_TYPES } from '../../../../domain/jobs/job-types.ts';
import { runShape, runView } from './batch-view.ts';
import { id, text, textOrNull, time, timeOrNull } from './values.ts';
import { selectorSchema, selectorView } from './window-view.ts';

export const scheduleRunSchema = z.strictObject({
  id,
  at: time.describe('When the run was due or requested'),
  manual: z.boolean().describe('Started by hand'),
  outcome: z.enum(RUN_OUTCOMES),
  job_id: id.nullable(),
  batch_id: id.nullable(),
  code: textOrNull.describe('Why no job was started'),
  detail: textOrNull,
});

export const scheduleSchema = z.strictObject({
  id,
  name: text,
  selector: selectorSchema,
  cron: text.describe('Minute, hour, day of the month, month, day of the week'),
  time_zone: text,
  job_type: z.enum(JOB_TYPES),
  ...runShape,
  jitter_seconds: z.number().min(0),
  enabled: z.boolean(),
  require_approval: z.boolean().describe('Its jobs need approval'),
  owner: text.describe('The user or token whose rights it uses'),
  off_reason: textOrNull.describe('Why Drover switched it off'),
  created_by: text,
  created_at: time,
  updated_at: time,
});

export const scheduleOverviewSchema = z.strictObject({
  ...scheduleSchema.shape,
  next_run_at: timeOrNull.describe('null: switched off'),
  last_run: scheduleRunSchema.nullable(),
});

export function scheduleView(schedule: Schedule): z.output<typeof scheduleSchema> {
  return {
    id: schedule.id,
    name: schedule.name,
    selector: selectorView(schedule.selector),
    cron: schedule.cron.expression,
    time_zone: schedule.cron.timeZone,
    job_type: schedule.jobType,
    ...runView(schedule),
    jitter_seconds: schedule.jitterMs / SECOND,
    enabled: schedule.enabled,
    require_approval: schedule.requireApproval,
    owner: ownerLabel(schedule),
    off_reason: schedule.offReason,
    created_by: schedule.createdBy,
    created_at: toIso(schedule.createdAt),
    updated_at: toIso(schedule.updatedAt),
  };
}

export const scheduleOverviewView = ({
  schedule,
  nextRunAt,
  lastRun,
}: ScheduleOverview): z.output<typeof scheduleOverviewSchema> => ({
  ...scheduleView(schedule),
  next_run_at: toIsoOrNull(nextRunAt),
  last_run: lastRun && scheduleRunView(lastRun),
});

export const scheduleRunView = (run: ScheduleRun): z.output<typeof scheduleRunSchema> => ({
  id: run.id,
  at: toIso(run.slotAt),
  manual: run.manual,
  outcome: run.outcome,
  job_id: run.jobId,
  batch_id: run.batchId,
  code: run.code,
  detail: run.detail,
});

/** A schedule with its times and recent runs. */
export const scheduleDetailShape = {
  schedule: scheduleSchema,
  next_runs: z.array(time),
  runs: z.array(scheduleRunSchema),
};

export const scheduleDetailView = (
  schedule: Schedule,
  nextRuns: readonly Instant[],
  runs: readonly ScheduleRun[],
) => ({
  schedule: scheduleView(schedule),
  next_runs: nextRuns.map(toIso),
  runs: runs.map(scheduleRunView),
});

/** Schedules that a change of their owner switched off. */
export const switchedOffView = (schedules: readonly Schedule[]) =>
  schedules.map((schedule) => ({ id: schedule.id, name: schedule.name, reason: schedule.offReason }));
