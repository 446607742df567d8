import type { PreviewTimes } from '../../../application/automation/preview-times.ts';
import type { ListServers } from '../../../application/fleet/list-servers.ts';
import type { Actor } from '../../../domain/access/actor.ts';
import { FLAG_OF_FEATURE } from '../../../domain/access/scope.ts';
import type { RawBounds } from '../../../domain/automation/batch.ts';
import {
  choiceProblem,
  cronWords,
  expressionOf,
  RECURRENCES,
  WEEK,
} from '../../../domain/automation/cron-choice.ts';
import type { CronRule } from '../../../domain/automation/cron-rule.ts';
import { nameProblems } from '../../../domain/automation/maintenance-window.ts';
import type { Schedule } from '../../../domain/automation/schedule.ts';
import type { ScheduleDescription, ScheduleEdit } from '../../../domain/automation/schedule-description.ts';
import { type InputProblem, InvalidInput } from '../../../domain/base/errors.ts';
import { MINUTE } from '../../../domain/base/instant.ts';
import { count } from '../../../domain/base/spans.ts';
import type { JobParams } from '../../../domain/jobs/job.ts';
import { featureOf, ignoresFeatureFlag, type JobType, jobTitle } from '../../../domain/jobs/job-types.ts';
import { listOf, noting, numberOf, textOf } from './form-state.ts';
import { jobTypeOf, requestedParams, wholeNumber } from './job-request.ts';
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

/** A form's schedule times: of a usual recurrence, or as an expression. Throws `InvalidInput`. */
export function cronOf(form: URLSearchParams): CronRule {
  const timeZone = textOf(form, 'time_zone');
  const every = RECURRENCES.find((each) => each === form.get('every')) ?? 'custom';
  if (every === 'custom') return { expression: textOf(form, 'cron'), timeZone };
  const days = form
    .getAll('days')
    .map(Number)
    .filter((day) => WEEK.includes(day));
  const choice = { every, at: textOf(form, 'at'), days, day: numberOf(form, 'day') };
  const problem = choiceProblem(choice);
  if (problem !== null) throw new InvalidInput([{ path: `/${problem[0]}`, message: problem[1] }]);
  return { expression: expressionOf(choice), timeZone };
}

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
  problems.push(...nameProblems(name));
  const cron = await noting(problems, () => cronOf(form));
  if (cron !== null) await noting(problems, () => deps.previewTimes.execute(actor, cron));
  const selector = await noting(problems, () => selectorOf(deps.listServers, actor, form));
  const params = await noting(problems, () => requestedParams(form, type));
  if (selector === null || params === null || cron === null || problems.length > 0)
    throw new InvalidInput(problems);
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
    guard: undefined,
    observeMinutes: undefined,
    waitForHostMinutes: undefined,
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
  if (params.guard !== undefined) add('guard', params.guard ? 'yes' : 'no');
  add('observe_minutes', params.observeMinutes);
  add('wait_for_host_minutes', params.waitForHostMinutes);
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

/** What a schedule does, of the most usual jobs; of others their title. */
const VERBS: Partial<Readonly<Record<JobType, string>>> = {
  backup: 'Backs up',
  os_patch: 'Installs package updates on',
  os_update_check: 'Checks for package updates on',
  container_patch: 'Updates containers on',
  container_update_check: 'Checks for new images on',
  host_reboot: 'Reboots',
};
const MAX_SPELLED_OUT = 3;

/** Such as `Backs up 42 servers every day at 02:30 (Europe/Berlin), 10 at once.`; `null`: it is about no job. */
export async function scheduleSentence(
  listServers: Pick<ListServers, 'execute'>,
  actor: Actor,
  form: URLSearchParams,
  cron: CronRule,
): Promise<string | null> {
  const type = jobTypeOf(form.get('type'));
  if (type === null) return null;
  const by = form.get('selector');
  const names = listOf(form, by === 'tags' ? 'tags' : 'servers');
  if (by !== 'all' && names.length === 0) return null;
  const feature = ignoresFeatureFlag(type) ? undefined : FLAG_OF_FEATURE[featureOf(type)];
  const number = async (tag?: string): Promise<string> => {
    const { total } = await listServers.execute(actor, { limit: 1, offset: 0, tag, feature });
    return count(total, 'server');
  };
  const isOne = by === 'ids' && names.length === 1;
  const spelledOut =
    names.length > MAX_SPELLED_OUT ? count(names.length, by === 'tags' ? 'tag' : 'server') : names.join(', ');
  const servers =
    by === 'all'
      ? await number()
      : by === 'ids'
        ? spelledOut
        : `${names.length === 1 ? await number(names[0]) : 'servers'} tagged ${spelledOut}`;
  const parallel = textOf(form, 'max_parallel');
  const bounds = isOne || !/^\d+$/.test(parallel) ? '' : `, ${parallel} at once`;
  return `${VERBS[type] ?? `${jobTitle(type)} on`} ${servers} ${cronWords(cron)}${bounds}.`;
}
