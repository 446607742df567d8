import * as z from 'zod';
import { type InputProblem, InvalidInput } from '../../../domain/base/errors.ts';

/** Checks an input; throws `InvalidInput` with all that is wrong with it. */
export function checkedInput(schema: z.ZodObject, input: unknown): unknown {
  const parsed = schema.safeParse(input, { reportInput: true });
  if (!parsed.success) throw invalidInput(parsed.error, schema);
  return parsed.data;
}

/** More faults than this help no one. */
const MAX_PROBLEMS = 20;

const MAX_KEY = 80;

/** The faults of an input, each place once: the path is a JSON pointer (RFC 6901). Values are never repeated. */
function invalidInput(error: z.ZodError, schema: z.ZodObject): InvalidInput {
  const problems = new Map<string, InputProblem>();
  for (const issue of error.issues) {
    for (const problem of problemsOf(issue, schema)) {
      if (problems.size < MAX_PROBLEMS && !problems.has(problem.path)) problems.set(problem.path, problem);
    }
  }
  return new InvalidInput([...problems.values()]);
}

function problemsOf(issue: z.core.$ZodIssue, schema: z.ZodObject): InputProblem[] {
  if (issue.code !== 'unrecognized_keys') return [{ path: pointer(issue.path), message: wordingOf(issue) }];
  const known = issue.path.length === 0 ? Object.keys(schema.shape) : [];
  const hint = known.length > 0 ? `; the fields are ${known.join(', ')}.` : '; there are no fields here.';
  return issue.keys.map((key) => ({ path: pointer([...issue.path, key]), message: `Unknown field${hint}` }));
}

const pointer = (path: readonly PropertyKey[]): string =>
  path.map((part) => `/${escaped(String(part).slice(0, MAX_KEY))}`).join('');

const escaped = (part: string): string => part.replaceAll('~', '~0').replaceAll('/', '~1');

/** More choices than this are not listed in a message. */
const MAX_CHOICES = 20;

/** Types by the names that zod and `typeof` have for them. */
const TYPES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

/** The prefix of a schema's own message that says where else something is available. */
export const NOT_OFFERED = 'Not available to agents';

/** A fault in an input as a sentence for people and agents. It never repeats the value. */
function wordingOf(issue: z.core.$ZodIssue): string {
  if (issue.message.startsWith(NOT_OFFERED)) return issue.message;
  const wanted = wantedBy(issue);
  if (wanted === null) return issue.message.replace(/\.?$/, '.');
  return issue.input === undefined ? `Is missing; it must ${wanted}.` : `Must ${wanted}${insteadOf(issue)}.`;
}

/** The rest of a sentence that starts with `Must`; `null` if a schema has its own message. */
function wantedBy(issue: z.core.$ZodIssue): string | null {
  switch (issue.code) {
    case 'invalid_type':
      // Every number that we accept is an integer; zod does not say so for input that is not a number.
      return `be ${TYPES[issue.expected === 'number' ? 'int' : issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `be ${choices(issue.values.map(String))}`;
    case 'too_small':
      return limit(issue.origin, Number(issue.minimum), 'least');
    case 'too_big':
      return limit(issue.origin, Number(issue.maximum), 'most');
    case 'invalid_format':
      return issue.pattern === undefined ? 'have a different format' : `match ${issue.pattern}`;
    case 'invalid_union':
      return 'have a different format';
    default:
      return null;
  }
}

function choices(values: readonly string[]): string {
  const listed = values.slice(0, MAX_CHOICES).join(', ');
  if (values.length === 1) return listed;
  return `one of ${listed}${values.length > MAX_CHOICES ? ', …' : ''}`;
}

function limit(origin: string, bound: number, end: 'least' | 'most'): string {
  const unit = origin === 'string' ? 'character' : origin === 'array' ? 'entry' : null;
  if (unit === null) return `be at ${end} ${bound}`;
  if (end === 'least' && bound === 1) return 'not be empty';
  const units = bound === 1 ? unit : unit === 'entry' ? 'entries' : `${unit}s`;
  return `have at ${end} ${bound} ${units}`;
}

/** `, not a text`, if that adds something to the rule. */
function insteadOf(issue: z.core.$ZodIssue): string {
  const given = TYPES[kindOf(issue.input)];
  if (given === undefined) return '';
  // An integer instead of another number, a valid text instead of another: the rule says enough.
  const wanted =
    issue.code === 'invalid_type'
      ? [issue.expected === 'int' ? 'number' : issue.expected]
      : issue.code === 'invalid_value'
        ? issue.values.map(kindOf)
        : null;
  return wanted === null || wanted.includes(kindOf(issue.input)) ? '' : `, not ${given}`;
}

const kindOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
