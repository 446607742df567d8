import type * as z from 'zod';

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

/** A fault in an input as a sentence for people and agents. It never repeats the value. */
export function wordingOf(issue: z.core.$ZodIssue): string {
  const wanted = wantedBy(issue);
  if (wanted === null) return issue.message.replace(/\.?$/, '.');
  return issue.input === undefined ? `Is missing; it must ${wanted}.` : `Must ${wanted}${insteadOf(issue)}.`;
}

/** The rest of a sentence that begins with `Must`; `null` where a schema has words of its own. */
function wantedBy(issue: z.core.$ZodIssue): string | null {
  switch (issue.code) {
    case 'invalid_type':
      // Every number that we take is a whole one; zod does not say so where it meets something that is no number.
      return `be ${TYPES[issue.expected === 'number' ? 'int' : issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `be ${choices(issue.values.map(String))}`;
    case 'too_small':
      return limit(issue.origin, Number(issue.minimum), 'least');
    case 'too_big':
      return limit(issue.origin, Number(issue.maximum), 'most');
    case 'invalid_format':
      return issue.pattern === undefined ? 'have another form' : `match ${issue.pattern}`;
    case 'invalid_union':
      return 'have another form';
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

/** `, not a text`, where that says more than the rule itself. */
function insteadOf(issue: z.core.$ZodIssue): string {
  const given = TYPES[kindOf(issue.input)];
  if (given === undefined) return '';
  // A whole number where there is another number, one of some texts where there is another text: the rule says enough.
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
