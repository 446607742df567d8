import { type InputProblem, InvalidInput } from '../../../domain/base/errors.ts';
import type { VariableValue } from '../../../domain/compose/template-variable.ts';
import { OS_STEPS } from '../../../domain/jobs/job.ts';
import { guardsByDefault, type JobType, PLAIN_JOB_TYPES, takes } from '../../../domain/jobs/job-types.ts';
import type { RequestedParams } from '../../../domain/jobs/requested-params.ts';

/** The prefix of a template variable's form field. */
export const VARIABLE_PREFIX = 'variable.';

/** Anything else leaves it to the backup sources. */
const GUARDS = ['yes', 'no'] as const;

export const jobTypeOf = (raw: string | null): JobType | null =>
  PLAIN_JOB_TYPES.find((type) => type === raw) ?? null;

/** A form's job parameters; empty fields are omitted. Throws `InvalidInput`. */
export function requestedParams(form: URLSearchParams, type: JobType): RequestedParams {
  const text = (name: string): string | undefined => form.get(name)?.trim() || undefined;
  const problems: InputProblem[] = [];
  const grace = takes(type, 'graceSeconds') ? wholeNumber(form, 'grace_seconds', problems) : undefined;
  const observe = takes(type, 'observeMinutes') ? wholeNumber(form, 'observe_minutes', problems) : undefined;
  const wait = takes(type, 'waitForHostMinutes')
    ? wholeNumber(form, 'wait_for_host_minutes', problems)
    : undefined;
  if (problems.length > 0) throw new InvalidInput(problems);
  const guard = GUARDS.find((each) => each === form.get('guard'));
  // The field is there whatever is chosen for the guard.
  const isGuarded = guard === undefined ? guardsByDefault(type) : guard === 'yes';
  const sourceFilter = text('source_filter');
  const service = text('service');
  const sample = text('sample');
  const template = text('template');
  return {
    ...(sourceFilter === undefined ? {} : { sourceFilter }),
    ...(service === undefined ? {} : { service }),
    ...(takes(type, 'osSteps')
      ? { osSteps: OS_STEPS.filter((step) => form.getAll('os_steps').includes(step)) }
      : {}),
    ...(form.get('prune') === 'yes' ? { prune: true } : {}),
    ...(guard === undefined || !takes(type, 'guard') ? {} : { guard: guard === 'yes' }),
    ...(observe === undefined || !isGuarded ? {} : { observeMinutes: observe }),
    ...(wait === undefined ? {} : { waitForHostMinutes: wait }),
    ...(grace === undefined ? {} : { graceSeconds: grace }),
    ...(sample === undefined ? {} : { sample }),
    ...(template === undefined ? {} : { template }),
  };
}

/** An integer, or undefined; a fault otherwise. */
export function wholeNumber(
  form: URLSearchParams,
  name: string,
  problems: InputProblem[],
): number | undefined {
  const raw = form.get(name)?.trim() ?? '';
  if (raw === '') return undefined;
  if (/^\d{1,7}$/.test(raw)) return Number(raw);
  problems.push({ path: `/${name}`, message: 'Enter a whole number.' });
  return undefined;
}

/**
 * The values of a template's variables. An empty field has none, so that the default or the previous value applies.
 */
export const variablesOf = (form: URLSearchParams): Readonly<Record<string, VariableValue>> =>
  Object.fromEntries(
    [...form]
      .filter(([name, value]) => name.startsWith(VARIABLE_PREFIX) && value !== '')
      .map(([name, value]) => [name.slice(VARIABLE_PREFIX.length), value]),
  );
