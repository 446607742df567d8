/**
 * A command line to paste, as a template: the text is the command, each value becomes one word of a POSIX shell, or a
 * part of one (`${flag}=on`). Every command that Drover suggests is built here, because hosts and users with fewer
 * rights than the reader choose some of the values.
 */
export const shellCommand = (
  text: TemplateStringsArray,
  ...values: readonly (string | number | null)[]
): string => text.reduce((line, part, index) => `${line}${shellWord(values[index - 1] ?? null)}${part}`);

const PLAIN = /^[\w@%+:,./][\w@%+=:,./-]*$/;
/**
 * Control characters, line ends, invisible and unassigned characters, and replacements for bytes that are not text.
 */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}\ufffd]/u;
const MAX_LENGTH = 4_096;
/** Harmless, and plainly something to fill in. */
const UNFIT = "'?'";

/**
 * A value in shell quoting. A value that quotes cannot make safe is not shown: a terminal acts on control characters
 * while it pastes, and a program reads a leading dash as an option.
 */
export function shellWord(word: string | number | null): string {
  if (word === null) return UNFIT;
  const value = String(word);
  if (value.length > MAX_LENGTH || value.startsWith('-') || UNPRINTABLE.test(value)) return UNFIT;
  return PLAIN.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
}
