import type { InputProblem } from '../base/errors.ts';

export const VARIABLE_TYPES = ['string', 'integer', 'boolean', 'choice', 'port', 'secret'] as const;
export type VariableType = (typeof VARIABLE_TYPES)[number];

/** The value that a caller gives for a variable. */
export type VariableValue = string | number | boolean;

/** Something that differs between two deployments of a template. */
export interface TemplateVariable {
  readonly name: string;
  readonly type: VariableType;
  readonly description: string;
  /** A value has to be given. Without one, and without a default, a variable that is not required is empty. */
  readonly required: boolean;
  /** As it is rendered; `null`: none. A secret never has one. */
  readonly default: string | null;
  /** For `choice`, in the order in which they are shown. */
  readonly choices: readonly string[];
}

export type RawVariable = Pick<TemplateVariable, 'name' | 'type'> & {
  readonly description?: string | undefined;
  readonly required?: boolean | undefined;
  readonly default?: VariableValue | undefined;
  readonly choices?: readonly string[] | undefined;
};

export const VARIABLE_NAME = /^[a-z][a-z0-9_]{0,62}$/;
export const MAX_VARIABLES = 100;
/** In characters; the limit for a default, a choice and a value. */
export const MAX_VALUE_LENGTH = 4_096;
/** A shorter one could be guessed, and masking it would mask half of the output. */
export const MIN_SECRET_LENGTH = 8;
const MAX_CHOICES = 100;
const MAX_DESCRIPTION_LENGTH = 500;
const MAX_PORT = 65_535;

/** What YAML can hold and people expect: no control characters except line ends and tabs, no lone surrogates. */
const UNFIT = /[\p{Cs}\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028\u2029\ufeff]/u;

/** One variable as it is kept; faults are added to `problems`. */
export function describeVariable(raw: RawVariable, path: string, problems: InputProblem[]): TemplateVariable {
  const fault = (field: string, message: string): void => {
    problems.push({ path: `${path}${field}`, message });
  };
  const { name, type, choices = [], description = '' } = raw;
  if (!VARIABLE_NAME.test(name)) {
    fault(
      '/name',
      'A variable name has up to 63 lower-case letters, digits and _, and starts with a letter.',
    );
  }
  if (description.length > MAX_DESCRIPTION_LENGTH || UNFIT.test(description)) {
    fault('/description', `A description is text of at most ${MAX_DESCRIPTION_LENGTH} characters.`);
  }
  checkChoices(type, choices, fault);
  const bare = { name, type, description, choices, required: raw.required ?? raw.default === undefined };
  if (raw.default === undefined) {
    if (!bare.required && type !== 'string' && type !== 'secret') {
      fault('/required', `A ${type} that is optional needs a default.`);
    }
    return { ...bare, default: null };
  }
  if (type === 'secret')
    fault('/default', 'A secret cannot have a default: anyone who reads the template would know it.');
  const checked = checkValue({ ...bare, default: null }, raw.default);
  if (checked.fault !== null && type !== 'secret') fault('/default', checked.fault);
  return { ...bare, default: checked.text };
}

function checkChoices(
  type: VariableType,
  choices: readonly string[],
  fault: (field: string, message: string) => void,
): void {
  if (type !== 'choice') {
    if (choices.length > 0) fault('/choices', `A variable of type ${type} cannot have choices.`);
    return;
  }
  if (choices.length === 0 || choices.length > MAX_CHOICES) {
    fault('/choices', `A variable of type choice needs 1 to ${MAX_CHOICES} choices.`);
  }
  if (new Set(choices).size < choices.length) fault('/choices', 'Two choices are the same.');
  if (choices.some((each) => each.length > MAX_VALUE_LENGTH || UNFIT.test(each))) {
    fault('/choices', `A choice is text of at most ${MAX_VALUE_LENGTH} characters.`);
  }
}

type ValueCheck =
  | { readonly text: string; readonly fault: null }
  | { readonly text: null; readonly fault: string };

const fits = (text: string): ValueCheck => ({ text, fault: null });
const unfit = (fault: string): ValueCheck => ({ text: null, fault });

/** A value in its rendered form, or why it is invalid. No message ever repeats the value: it may be a secret. */
export function checkValue(variable: TemplateVariable, value: VariableValue): ValueCheck {
  const text = String(value);
  if (text.length > MAX_VALUE_LENGTH) return unfit(`It has more than ${MAX_VALUE_LENGTH} characters.`);
  if (UNFIT.test(text)) return unfit('It contains control characters or an incomplete character.');
  return CHECKS[variable.type](variable, value, text);
}

const CHECKS: Readonly<
  Record<VariableType, (variable: TemplateVariable, value: VariableValue, text: string) => ValueCheck>
> = {
  string: (_, value, text) => (typeof value === 'string' ? fits(text) : unfit('Must be text.')),
  secret: ({ required }, value, text) => {
    if (typeof value !== 'string') return unfit('Must be text.');
    const fine = text.length >= MIN_SECRET_LENGTH || (text === '' && !required);
    return fine ? fits(text) : unfit(`A secret has at least ${MIN_SECRET_LENGTH} characters.`);
  },
  boolean: (_, __, text) =>
    text === 'true' || text === 'false' ? fits(text) : unfit('Must be true or false.'),
  choice: ({ choices }, value, text) =>
    typeof value === 'string' && choices.includes(value)
      ? fits(text)
      : unfit(`Must be one of ${choices.join(', ')}.`),
  integer: (_, value) => (isInteger(value) ? fits(String(Number(value))) : unfit('Must be a whole number.')),
  port: (_, value) =>
    isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_PORT
      ? fits(String(Number(value)))
      : unfit(`Must be a port from 1 to ${MAX_PORT}.`),
};

/** Also accepts text, since a command line has nothing else. */
const isInteger = (value: VariableValue): boolean =>
  typeof value === 'number'
    ? Number.isSafeInteger(value)
    : typeof value === 'string' && /^-?(0|[1-9]\d{0,14})$/.test(value);

/** A part of a template's text: literal, or a variable's placeholder. */
export type TextPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'variable'; readonly name: string };

/** `@{`, then anything up to the end of the placeholder or of the line. */
const PLACEHOLDER = /@\{([^}\n]*)(\}?)/g;

/** An invalid placeholder, with its line. */
export class BadPlaceholder extends Error {
  readonly line: number;

  constructor(shown: string, line: number) {
    super(
      `"${shown}" is not a placeholder: write @{name} for a variable, and @{} for a literal @ before a brace.`,
    );
    this.name = 'BadPlaceholder';
    this.line = line;
  }
}

/**
 * Takes a text apart. `@{name}` is a variable's place, `@{}` an `@`, so that `@{}{name}` gives `@{name}`. All else stays
 * as it is, `${NAME}` and `{{ name }}` too: these belong to compose and to programs. Throws `BadPlaceholder`.
 */
export function partsOf(text: string): readonly TextPart[] {
  const parts: TextPart[] = [];
  let done = 0;
  for (const match of text.matchAll(PLACEHOLDER)) {
    const [whole, name = '', end] = match;
    if (end === '' || (name !== '' && !VARIABLE_NAME.test(name))) {
      throw new BadPlaceholder(whole.slice(0, 40), lineOf(text, match.index));
    }
    if (match.index > done) parts.push({ kind: 'text', text: text.slice(done, match.index) });
    parts.push(name === '' ? { kind: 'text', text: '@' } : { kind: 'variable', name });
    done = match.index + whole.length;
  }
  if (done < text.length) parts.push({ kind: 'text', text: text.slice(done) });
  return parts;
}

/** Whether anything in a text would be rendered. */
export const hasPlaceholders = (text: string): boolean => text.includes('@{');

export const variablesIn = (parts: readonly TextPart[]): readonly string[] =>
  parts.flatMap((part) => (part.kind === 'variable' ? [part.name] : []));

export const lineOf = (text: string, at: number): number => text.slice(0, at).split('\n').length;
