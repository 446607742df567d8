import * as z from 'zod';
import type { RawBounds } from '../../../domain/automation/batch.ts';
import type { ScheduleDescription, ScheduleEdit } from '../../../domain/automation/schedule-description.ts';
import { SECOND } from '../../../domain/base/instant.ts';
import type { RequestedParams } from '../../../domain/jobs/requested-params.ts';
import {
  boundsFields,
  cronExpression,
  jitterSeconds,
  jobFields,
  scheduleId,
  scheduleName,
  selector,
  timeZone,
} from './automation-fields.ts';

export const newSchedule = z.strictObject({
  name: scheduleName,
  selector,
  cron: cronExpression,
  time_zone: timeZone.default('UTC'),
  ...jobFields,
  dry_run: z.boolean().default(false).describe('Report what would change, and change nothing'),
  ...boundsFields,
  jitter_seconds: jitterSeconds.default(0),
  enabled: z.boolean().default(true),
});

export const editedSchedule = z.strictObject({
  schedule_id: scheduleId,
  name: scheduleName.optional(),
  selector: selector.optional(),
  cron: cronExpression.optional(),
  time_zone: timeZone.optional(),
  ...jobFields,
  job_type: jobFields.job_type.optional(),
  dry_run: z.boolean().optional(),
  ...boundsFields,
  jitter_seconds: jitterSeconds.optional(),
  enabled: z.boolean().optional(),
});

export const describedBy = (input: z.output<typeof newSchedule>): ScheduleDescription => ({
  name: input.name,
  selector: input.selector,
  cron: { expression: input.cron, timeZone: input.time_zone },
  jobType: input.job_type,
  params: { ...cleared(paramsBy(input)), dryRun: input.dry_run },
  bounds: boundsBy(input),
  jitterMs: input.jitter_seconds * SECOND,
  enabled: input.enabled,
});

type Edited = z.output<typeof editedSchedule>;

export const editBy = (input: Edited): ScheduleEdit => ({
  name: input.name,
  selector: input.selector,
  cron: said({ expression: input.cron, timeZone: input.time_zone }),
  jobType: input.job_type,
  params: cleared(paramsBy(input)),
  bounds: said(boundsBy(input)),
  jitterMs: input.jitter_seconds === undefined ? undefined : input.jitter_seconds * SECOND,
  enabled: input.enabled,
});

const paramsBy = (input: Omit<Edited, 'schedule_id'>) => ({
  sourceFilter: input.source_filter,
  service: input.service,
  osSteps: input.os_steps,
  graceSeconds: input.grace_seconds,
  dryRun: input.dry_run,
  prune: input.prune,
  guard: input.guard,
  observeMinutes: input.observe_minutes,
  waitForHostMinutes: input.wait_for_host_minutes,
});

/** As the change of an edit says what is removed: apart, since JSON has no `undefined`. */
export function removedBy(input: Edited): readonly (keyof RequestedParams)[] {
  const given: ReturnType<typeof paramsBy> = paramsBy(input);
  return Object.entries(given).flatMap(([name, value]) =>
    value === null ? [name as keyof typeof given] : [],
  );
}

const boundsBy = (input: Omit<Edited, 'schedule_id'>): RawBounds => ({
  maxParallel: input.max_parallel,
  canary: input.canary,
  stopAfterFailures: input.stop_after_failures,
});

/** The given fields; undefined if there are none. */
function said<T extends object>(fields: T): { [K in keyof T]?: T[K] } | undefined {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return entries.length === 0 ? undefined : (Object.fromEntries(entries) as { [K in keyof T]?: T[K] });
}

/** As `said`, with undefined for null: removes the parameter. */
function cleared<T extends object>(
  fields: T,
): { [K in keyof T]?: Exclude<T[K], null> | undefined } | undefined {
  const given = said(fields);
  if (given === undefined) return undefined;
  const entries = Object.entries(given).map(([key, value]) => [key, value ?? undefined]);
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], null> | undefined };
}
