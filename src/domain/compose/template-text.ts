import { VARIABLE_NAME } from './template-variable.ts';

/** A stretch of a template's text: as it stands, or a variable's place. */
export type TextPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'variable'; readonly name: string };

/** `@{`, then anything up to the end of the placeholder or of the line. */
const PLACEHOLDER = /@\{([^}\n]*)(\}?)/g;

/** A placeholder that is none, with the line that it stands in. */
export class BadPlaceholder extends Error {
  readonly line: number;

  constructor(shown: string, line: number) {
    super(
      `"${shown}" is no placeholder: write @{name} with the name of a variable, and @{} for a mere @ before a brace.`,
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
