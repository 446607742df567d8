import type { ScheduleDescription, ScheduleEdit } from '../../../application/automation/manage-schedules.ts';
import type { PreviewTimes } from '../../../application/automation/preview-times.ts';
import type { ListServers } from '../../../application/fleet/list-servers.ts';
import type { Actor } from '../../../domain/access/actor.ts';
import type { RawBounds } from '../../../domain/automation/batch.ts';
import type { CronRule } from '../../../domain/automation/cron-rule.ts';
import { nameProblems } from '../../../domain/automation/maintenance-window.ts';
import type { Schedule } from '../../../domain/automation/schedule.ts';
import { type InputProblem, InvalidInput } from '../../../domain/base/errors.ts';
import { MINUTE } from '../../../domain/base/instant.ts';
import type { JobParams } from '../../../domain/jobs/job.ts';
import type { JobType } from '../../../domain/jobs/job-types.ts';
import { noting, textOf } from './form-state.ts';
import { requestedParams, wholeNumber } from './job-request.ts';
import { selectorFields, selectorOf } from './server-names.ts';

/** The bounds of a batch as a form has them; empty fields are left to their usual values. */
export function boundsOf(form: URLSearchParams, problems: InputProblem[]): RawBounds {
  const maxParallel = wholeNumber(form, 'max_parallel', problems);
  const canary = wholeNumber(form, 'canary', problems);
  return {
    ...(maxParallel === undefined ? {} : { maxParallel }),
    ...(canary === undefined ? {} : { canary }),
    stopAfterFailures: wholeNumber(form, 'stop_after_failures', problems) ?? null,
  };
}

/** A form's schedule times. */
export const cronOf = (form: URLSearchParams): CronRule => ({
  expression: textOf(form, 'cron'),
  timeZone: textOf(form, 'time_zone'),
});

/** A schedule as its form describes it. Throws `InvalidInput`. */
export async function scheduleRequest(
  deps: {
    readonly listServers: Pick<ListServers, 'execute'>;
    readonly previewTimes: Pick<PreviewTimes, 'execute'>;
  },
  actor: Actor,
  form: URLSearchParams,
  type: JobType,
): Promise<Omit<ScheduleDescription, 'jobType' | 'enabled'>> {
  const problems: InputProblem[] = [];
  const jitter = wholeNumber(form, 'jitter', problems) ?? 0;
  const bounds = boundsOf(form, problems);
  const name = textOf(form, 'name');
  const cron = cronOf(form);
  problems.push(...nameProblems(name));
  await noting(problems, () => deps.previewTimes.execute(actor, cron));
  const selector = await noting(problems, () => selectorOf(deps.listServers, actor, form));
  const params = await noting(problems, () => requestedParams(form, type));
  if (selector === null || params === null || problems.length > 0) throw new InvalidInput(problems);
  return {
    name,
    selector,
    cron,
    params,
    bounds,
    jitterMs: jitter * MINUTE,
  };
}

/** Replaces all: a parameter with an empty field is removed. */
export const scheduleEdit = (asked: Omit<ScheduleDescription, 'jobType' | 'enabled'>): ScheduleEdit => ({
  ...asked,
  params: {
    sourceFilter: undefined,
    service: undefined,
    graceSeconds: undefined,
    sample: undefined,
    prune: undefined,
    ...asked.params,
  },
});

/** The values of a parameter form. */
export function paramFields(params: JobParams): [name: string, value: string][] {
  const fields: [string, string][] = [];
  const add = (name: string, value: string | number | null | undefined): void => {
    if (value !== null && value !== undefined) fields.push([name, String(value)]);
  };
  add('source_filter', params.sourceFilter);
  add('service', params.service);
  for (const step of params.osSteps ?? []) add('os_steps', step);
  add('grace_seconds', params.graceSeconds);
  add('sample', params.sample);
  if (params.prune) add('prune', 'yes');
  return fields;
}

/** A schedule as its form's fields. */
export async function scheduleFields(
  getServer: (id: number) => Promise<{ readonly name: string }>,
  schedule: Schedule,
): Promise<URLSearchParams> {
  const { name, cron, bounds, jitterMs, params, selector } = schedule;
  return new URLSearchParams([
    ['name', name],
    ...Object.entries(await selectorFields(getServer, selector)),
    ['cron', cron.expression],
    ['time_zone', cron.timeZone],
    ['max_parallel', String(bounds.maxParallel)],
    ['canary', String(bounds.canary)],
    ['stop_after_failures', String(bounds.stopAfterFailures ?? '')],
    ['jitter', String(Math.round(jitterMs / MINUTE))],
    ...paramFields(params),
  ]);
}
