import type * as z from 'zod';
import { type InputProblem, InvalidInput } from '../../../domain/base/errors.ts';
import { wordingOf } from './input-wording.ts';

/** More than this many faults are of no use to anybody. */
const MAX_PROBLEMS = 20;
const MAX_KEY = 80;

/** What is wrong with an input, each place once: the path is a JSON pointer (RFC 6901). Values are never repeated. */
export function invalidInput(error: z.ZodError, schema: z.ZodObject): InvalidInput {
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
