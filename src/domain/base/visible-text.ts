/**
 * Characters that are invisible to people but not to programs and language models: zero-width ones, tags, fillers,
 * marks that change the direction of text, C1 controls and line ends other than `\n`. The first group turns the
 * character before it into an emoji: a single such selector is visible.
 */
const INVISIBLE =
  /((?<=\p{Extended_Pictographic})[\ufe0e\ufe0f])|[\p{Default_Ignorable_Code_Point}\u007f-\u009f\u2028\u2029\ufff9-\ufffb]/gu;
/** Nearly all text is plain ASCII, which has none of them: finding that out costs a tenth. */
const MAY_HAVE_SOME = /[\u007f-\uffff]/;
/** Colours, titles, cursor movements and other sequences for terminals (ECMA-48). */
// oxlint-disable-next-line no-control-regex
const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-~])?/g;

/** Text of a host without its invisible characters. Line breaks, tabs and colours stay. */
export const visibleText = (text: string): string =>
  MAY_HAVE_SOME.test(text) ? text.replace(INVISIBLE, '$1') : text;

/** The same, also without sequences for terminals. */
export const withoutEscapes = (text: string): string =>
  visibleText(text.includes('\u001b') ? text.replace(ESCAPES, '') : text);

/** All control characters but line ends and tabs. */
const CONTROL = /[^\P{Cc}\n\t]/gu;

/** A host's text as lines to read: also without control characters. */
export const readableText = (text: string): string => withoutEscapes(text).replace(CONTROL, '');

/** The same for every text in a JSON value, names of members too; each is cut to `most` characters. */
export const readableValue = <T>(value: T, most: number): T =>
  eachText(value, (text) => cutText(readableText(text), most)) as T;

/** The start of a text that is longer than `most`, with `…` at its end; no character is cut in two. */
export const cutText = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most).replace(/[\ud800-\udbff]$/, '')}…` : text;

export const hasInvisible = (text: string): boolean => visibleText(text) !== text;

/** Every text in a JSON value, names of members too, without invisible characters. */
export const visibleValue = <T>(value: T): T => eachText(value, visibleText) as T;

/** The same for audit records, which must stay exact: each such character is written as `\u{200b}`. */
export const escapedValue = <T>(value: T): T => eachText(value, escapedText) as T;

const escapedText = (text: string): string =>
  MAY_HAVE_SOME.test(text)
    ? text.replace(
        INVISIBLE,
        (found, seen: string | undefined) => seen ?? `\\u{${codeOf(found).toString(16)}}`,
      )
    : text;

/** A text to check: everything invisible, control characters too, is written as `\u{1b}`. */
export const exactText = (text: string): string =>
  escapedText(text).replace(CONTROL, (found) => `\\u{${codeOf(found).toString(16)}}`);

const codeOf = (character: string): number => character.codePointAt(0) ?? 0;

function eachText(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((each) => eachText(each, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, held]) => [change(name), eachText(held, change)]),
  );
}

/** Maximum number of places to list. */
const MAX_PLACES = 20;

export interface InvisibleCharacters {
  readonly count: number;
  /** The first of them: lines from 1, columns from 1 in characters, such as `U+200B`. */
  readonly first: readonly { readonly line: number; readonly column: number; readonly character: string }[];
}

/** Where a text that must stay unchanged has invisible characters; `null` for nowhere. */
export function findInvisible(text: string): InvisibleCharacters | null {
  if (!hasInvisible(text)) return null;
  let count = 0;
  const first: { line: number; column: number; character: string }[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    for (const { 0: found, 1: isSeen, index: at } of line.matchAll(INVISIBLE)) {
      if (isSeen !== undefined) continue;
      count += 1;
      if (first.length >= MAX_PLACES) continue;
      const code = codeOf(found).toString(16).toUpperCase().padStart(4, '0');
      first.push({
        line: index + 1,
        column: Array.from(line.slice(0, at)).length + 1,
        character: `U+${code}`,
      });
    }
  }
  return { count, first };
}
