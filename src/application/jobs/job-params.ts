import { type InputProblem, InvalidInput } from '../../domain/errors.ts';
import { type JobParams, type JobType, OS_STEPS, type OsStep } from '../../domain/job.ts';

export interface RequestedParams {
  readonly sourceFilter?: string | undefined;
  readonly service?: string | undefined;
  readonly osSteps?: readonly OsStep[] | undefined;
  readonly dryRun?: boolean | undefined;
  readonly planId?: number | undefined;
}

const takesSource = (type: JobType): boolean =>
  type === 'backup' || type === 'retention' || type.startsWith('container_') || isStack(type);
const takesService = (type: JobType): boolean => type === 'container_patch' || isStack(type);
const needsSource = isStack;

function isStack(type: JobType): boolean {
  return type.startsWith('docker_stack_') || type.startsWith('template_');
}

/** The parameters of a job of this type; throws `InvalidInput` for ones that mean nothing to it. */
export function paramsOf(type: JobType, requested: RequestedParams): JobParams {
  const problems: InputProblem[] = [];
  const { sourceFilter, service, osSteps, dryRun, planId } = requested;
  if (sourceFilter !== undefined && !takesSource(type)) problems.push(meaningless('source_filter', type));
  if (sourceFilter === undefined && needsSource(type)) {
    problems.push({ path: '/source_filter', message: `${type} needs the directory of a compose project.` });
  }
  if (service !== undefined && !takesService(type)) problems.push(meaningless('service', type));
  if (osSteps !== undefined && type !== 'os_patch') problems.push(meaningless('os_steps', type));
  if (osSteps !== undefined && osSteps.length === 0) {
    problems.push({
      path: '/os_steps',
      message: `Name at least one of ${OS_STEPS.join(', ')}, or leave it out for all.`,
    });
  }
  if (planId !== undefined && type !== 'os_patch') problems.push(meaningless('plan_id', type));
  if (planId !== undefined && dryRun) {
    problems.push({
      path: '/plan_id',
      message: 'A dry run makes a plan; leave out either plan_id or dry_run.',
    });
  }
  if (problems.length > 0) throw new InvalidInput(problems);
  return {
    sourceFilter: sourceFilter ?? null,
    service: service ?? null,
    // The order of the steps is the host's, not the caller's.
    osSteps: type === 'os_patch' ? OS_STEPS.filter((step) => osSteps?.includes(step) ?? true) : null,
    dryRun: dryRun ?? false,
    ...(planId === undefined ? {} : { planId }),
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
});
