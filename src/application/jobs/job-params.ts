import { parseSample } from '../../domain/backups/sample-size.ts';
import { type InputProblem, InvalidInput } from '../../domain/base/errors.ts';
import { MAX_WAIT_FOR_HOST_MINUTES } from '../../domain/jobs/host-wait.ts';
import {
  DEFAULT_OS_STEPS,
  type JobParams,
  MAX_GRACE_SECONDS,
  MAX_OBSERVE_MINUTES,
  OS_STEPS,
  orderedSteps,
} from '../../domain/jobs/job.ts';
import {
  guardsByDefault,
  type JobParameter,
  type JobType,
  needsProject,
  startedElsewhere,
  takes,
} from '../../domain/jobs/job-types.ts';
import type { RequestedParams } from '../../domain/jobs/requested-params.ts';

const isGrace = (seconds: number): boolean =>
  Number.isInteger(seconds) && seconds >= 0 && seconds <= MAX_GRACE_SECONDS;

const isObservation = (minutes: number): boolean =>
  Number.isInteger(minutes) && minutes >= 0 && minutes <= MAX_OBSERVE_MINUTES;

const isWait = (minutes: number): boolean =>
  Number.isInteger(minutes) && minutes >= 0 && minutes <= MAX_WAIT_FOR_HOST_MINUTES;

/** Parameters as callers see them; values for a template are not among a job's own. */
const PARAMETERS = {
  sourceFilter: 'source_filter',
  service: 'service',
  osSteps: 'os_steps',
  prune: 'prune',
  guard: 'guard',
  observeMinutes: 'observe_minutes',
  updateJobId: 'update_job_id',
  planId: 'plan_id',
  graceSeconds: 'grace_seconds',
  snapshotId: 'snapshot_id',
  sample: 'sample',
  restore: 'restore',
  dump: 'dump',
  template: 'template',
  waitForHostMinutes: 'wait_for_host_minutes',
} as const satisfies Record<Exclude<JobParameter, 'variables'>, string>;

const NAMES = Object.keys(PARAMETERS) as (keyof typeof PARAMETERS)[];

/** Parameters that the type does not take; `false` asks for nothing. */
const meaningless = (type: JobType, requested: RequestedParams): readonly InputProblem[] =>
  NAMES.filter(
    (name) => requested[name] !== undefined && requested[name] !== false && !takes(type, name),
  ).map((name) => ({
    path: `/${PARAMETERS[name]}`,
    message: `${PARAMETERS[name]} is not used by a job of type ${type}; leave it out.`,
  }));

/** The parameters of a job of this type; throws `InvalidInput` for ones that mean nothing to it. */
export function paramsOf(type: JobType, requested: RequestedParams): JobParams {
  const problems: InputProblem[] = [...meaningless(type, requested)];
  const {
    sourceFilter,
    service,
    osSteps,
    dryRun,
    prune,
    guard,
    observeMinutes,
    waitForHostMinutes,
    updateJobId,
    planId,
    graceSeconds,
    snapshotId,
    sample,
    template,
    restore,
    dump,
  } = requested;
  if (sourceFilter === undefined && needsProject(type)) {
    problems.push({ path: '/source_filter', message: `${type} needs the directory of a Compose project.` });
  }
  if (osSteps !== undefined && osSteps.length === 0) {
    problems.push({
      path: '/os_steps',
      message: `Name at least one of ${OS_STEPS.join(', ')}, or omit the list for ${DEFAULT_OS_STEPS.join(', ')}.`,
    });
  }
  if (planId !== undefined && dryRun) {
    problems.push({
      path: '/plan_id',
      message: 'A dry run creates a plan; omit either plan_id or dry_run.',
    });
  }
  if (takes(type, 'updateJobId') && planId === undefined && !dryRun) {
    problems.push({
      path: '/plan_id',
      message: `${type} needs the plan of a dry run, which you confirm by its plan_id.`,
    });
  }
  if (graceSeconds !== undefined && !isGrace(graceSeconds)) {
    problems.push({
      path: '/grace_seconds',
      message: `The grace period is a whole number of seconds from 0 to ${MAX_GRACE_SECONDS}.`,
    });
  }
  if (observeMinutes !== undefined && !isObservation(observeMinutes)) {
    problems.push({
      path: '/observe_minutes',
      message: `An update is observed for a whole number of minutes from 0 to ${MAX_OBSERVE_MINUTES}.`,
    });
  }
  if (observeMinutes !== undefined && takes(type, 'guard') && !(guard ?? guardsByDefault(type))) {
    problems.push({
      path: '/observe_minutes',
      message: guardsByDefault(type)
        ? 'Only guarded updates are observed; omit observe_minutes, or guard: false.'
        : 'Only guarded updates are observed; omit observe_minutes, or add guard: true.',
    });
  }
  if (waitForHostMinutes !== undefined && !isWait(waitForHostMinutes)) {
    problems.push({
      path: '/wait_for_host_minutes',
      message: `A job waits for its host for a whole number of minutes from 0 to ${MAX_WAIT_FOR_HOST_MINUTES}.`,
    });
  }
  const elsewhere = startedElsewhere(type);
  const needed = NAMES.filter((name) => name !== 'planId' && takes(type, name));
  if (elsewhere !== null && needed.some((name) => requested[name] === undefined)) {
    problems.push({ path: '/job_type', message: elsewhere });
  }
  if (snapshotId !== undefined && sourceFilter !== undefined) {
    problems.push({
      path: '/source_filter',
      message: 'A snapshot belongs to one source: name either the snapshot or the source.',
    });
  }
  if (takes(type, 'template') && template === undefined && planId === undefined) {
    problems.push({ path: '/template', message: `${type} needs the name of a template.` });
  }
  if (problems.length > 0) throw new InvalidInput(problems);
  if (sample !== undefined) parseSample(sample);
  return {
    sourceFilter: sourceFilter ?? null,
    service: service ?? null,
    // The order of the steps is the host's, not the caller's.
    osSteps: takes(type, 'osSteps') ? orderedSteps(osSteps) : null,
    dryRun: dryRun ?? false,
    ...(prune ? { prune } : {}),
    ...(guard === undefined || !takes(type, 'guard') ? {} : { guard }),
    ...(observeMinutes === undefined ? {} : { observeMinutes }),
    ...(waitForHostMinutes ? { waitForHostMinutes } : {}),
    ...(updateJobId === undefined ? {} : { updateJobId }),
    ...(planId === undefined ? {} : { planId }),
    ...(graceSeconds === undefined ? {} : { graceSeconds }),
    ...(snapshotId === undefined ? {} : { snapshotId }),
    ...(sample === undefined ? {} : { sample }),
    ...(template === undefined ? {} : { template }),
    ...(restore === undefined ? {} : { restore }),
    ...(dump === undefined ? {} : { dump }),
  };
}

/** Parameters as they would be asked for again. */
export const requestOf = (params: JobParams): RequestedParams => ({
  sourceFilter: params.sourceFilter ?? undefined,
  service: params.service ?? undefined,
  osSteps: params.osSteps ?? undefined,
  dryRun: params.dryRun,
  graceSeconds: params.graceSeconds,
  ...(params.prune ? { prune: true } : {}),
  ...(params.guard === undefined ? {} : { guard: params.guard }),
  ...(params.observeMinutes === undefined ? {} : { observeMinutes: params.observeMinutes }),
  ...(params.waitForHostMinutes === undefined ? {} : { waitForHostMinutes: params.waitForHostMinutes }),
  ...(params.updateJobId === undefined ? {} : { updateJobId: params.updateJobId }),
  ...(params.snapshotId === undefined ? {} : { snapshotId: params.snapshotId }),
  ...(params.sample === undefined ? {} : { sample: params.sample }),
  ...(params.restore === undefined ? {} : { restore: params.restore }),
  ...(params.dump === undefined ? {} : { dump: params.dump }),
});
