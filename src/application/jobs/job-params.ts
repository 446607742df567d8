import { parseSample } from '../../domain/backups/sample-size.ts';
import { type InputProblem, InvalidInput } from '../../domain/base/errors.ts';
import {
  DEFAULT_OS_STEPS,
  type DumpRestoreParams,
  type JobParams,
  type JobType,
  MAX_GRACE_SECONDS,
  OS_STEPS,
  type OsStep,
  orderedSteps,
  type RestoreParams,
} from '../../domain/jobs/job.ts';

export interface RequestedParams {
  readonly sourceFilter?: string | undefined;
  readonly service?: string | undefined;
  readonly osSteps?: readonly OsStep[] | undefined;
  readonly dryRun?: boolean | undefined;
  readonly prune?: boolean | undefined;
  readonly planId?: number | undefined;
  readonly graceSeconds?: number | undefined;
  readonly snapshotId?: number | undefined;
  readonly sample?: string | undefined;
  readonly restore?: RestoreParams | undefined;
  readonly dump?: DumpRestoreParams | undefined;
  /** A template's name. */
  readonly template?: string | undefined;
}

export const takesSource = (type: JobType): boolean =>
  type === 'backup' ||
  type === 'retention' ||
  type === 'snapshot_verify' ||
  type.startsWith('container_') ||
  isStack(type);
export const takesService = (type: JobType): boolean =>
  type === 'container_patch' || type.startsWith('docker_stack_');
const needsSource = isStack;
export const replacesImages = (type: JobType): boolean =>
  type === 'container_patch' || type === 'docker_stack_deploy';
/** Whatever changes something can be told to do just what a dry run said; checks change nothing. */
export const takesPlan = (type: JobType): boolean => !type.endsWith('_check') && !takesSnapshot(type);
const takesSnapshot = (type: JobType): boolean =>
  type === 'snapshot_verify' || type === 'restore' || type === 'dump_restore';
const isGrace = (seconds: number): boolean =>
  Number.isInteger(seconds) && seconds >= 0 && seconds <= MAX_GRACE_SECONDS;

function isStack(type: JobType): boolean {
  return type.startsWith('docker_stack_') || type.startsWith('template_');
}

/** The parameters of a job of this type; throws `InvalidInput` for ones that mean nothing to it. */
export function paramsOf(type: JobType, requested: RequestedParams): JobParams {
  const problems: InputProblem[] = [];
  const {
    sourceFilter,
    service,
    osSteps,
    dryRun,
    prune,
    planId,
    graceSeconds,
    snapshotId,
    sample,
    template,
    restore,
    dump,
  } = requested;
  if (sourceFilter !== undefined && !takesSource(type)) problems.push(meaningless('source_filter', type));
  if (sourceFilter === undefined && needsSource(type)) {
    problems.push({ path: '/source_filter', message: `${type} needs the directory of a compose project.` });
  }
  if (service !== undefined && !takesService(type)) problems.push(meaningless('service', type));
  if (osSteps !== undefined && type !== 'os_patch') problems.push(meaningless('os_steps', type));
  if (osSteps !== undefined && osSteps.length === 0) {
    problems.push({
      path: '/os_steps',
      message: `Name at least one of ${OS_STEPS.join(', ')}, or leave it out for ${DEFAULT_OS_STEPS.join(', ')}.`,
    });
  }
  if (prune && !replacesImages(type)) problems.push(meaningless('prune', type));
  if (planId !== undefined && !takesPlan(type)) problems.push(meaningless('plan_id', type));
  if (planId !== undefined && dryRun) {
    problems.push({
      path: '/plan_id',
      message: 'A dry run makes a plan; leave out either plan_id or dry_run.',
    });
  }
  if (graceSeconds !== undefined && type !== 'host_reboot') problems.push(meaningless('grace_seconds', type));
  if (graceSeconds !== undefined && !isGrace(graceSeconds)) {
    problems.push({
      path: '/grace_seconds',
      message: `A grace is a whole number of seconds from 0 to ${MAX_GRACE_SECONDS}.`,
    });
  }
  if (snapshotId !== undefined && !takesSnapshot(type)) problems.push(meaningless('snapshot_id', type));
  if (sample !== undefined && type !== 'snapshot_verify') problems.push(meaningless('sample', type));
  if (restore !== undefined && type !== 'restore') problems.push(meaningless('restore', type));
  if (dump !== undefined && type !== 'dump_restore') problems.push(meaningless('dump', type));
  if (type === 'dump_restore' && (snapshotId === undefined || dump === undefined)) {
    problems.push({
      path: '/job_type',
      message: 'Start the restore of a dump with `drover dump restore SNAPSHOT NAME`.',
    });
  }
  if (type === 'restore' && (snapshotId === undefined || restore === undefined)) {
    problems.push({
      path: '/job_type',
      message: 'A restore is of one snapshot: start it from that on the page, or with `drover restore`.',
    });
  }
  if (snapshotId !== undefined && sourceFilter !== undefined) {
    problems.push({ path: '/source_filter', message: 'A snapshot is of one source: name either of them.' });
  }
  if (template !== undefined && type !== 'template_deploy') problems.push(meaningless('template', type));
  if (type === 'template_deploy' && template === undefined && planId === undefined) {
    problems.push({ path: '/template', message: 'template_deploy needs the name of a template.' });
  }
  if (problems.length > 0) throw new InvalidInput(problems);
  if (sample !== undefined) parseSample(sample);
  return {
    sourceFilter: sourceFilter ?? null,
    service: service ?? null,
    // The order of the steps is the host's, not the caller's.
    osSteps: type === 'os_patch' ? orderedSteps(osSteps) : null,
    dryRun: dryRun ?? false,
    ...(prune ? { prune } : {}),
    ...(planId === undefined ? {} : { planId }),
    ...(graceSeconds === undefined ? {} : { graceSeconds }),
    ...(snapshotId === undefined ? {} : { snapshotId }),
    ...(sample === undefined ? {} : { sample }),
    ...(template === undefined ? {} : { template }),
    ...(restore === undefined ? {} : { restore }),
    ...(dump === undefined ? {} : { dump }),
  };
}

const meaningless = (field: string, type: JobType): InputProblem => ({
  path: `/${field}`,
  message: `${field} means nothing to a job of type ${type}; leave it out.`,
});

/** Parameters as they would be asked for again. */
export const requestOf = (params: JobParams): RequestedParams => ({
  sourceFilter: params.sourceFilter ?? undefined,
  service: params.service ?? undefined,
  osSteps: params.osSteps ?? undefined,
  dryRun: params.dryRun,
  graceSeconds: params.graceSeconds,
  ...(params.prune ? { prune: true } : {}),
  ...(params.snapshotId === undefined ? {} : { snapshotId: params.snapshotId }),
  ...(params.sample === undefined ? {} : { sample: params.sample }),
  ...(params.restore === undefined ? {} : { restore: params.restore }),
  ...(params.dump === undefined ? {} : { dump: params.dump }),
});
