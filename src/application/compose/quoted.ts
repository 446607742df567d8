/** What a reader of YAML or JSON could take for the end of a value or of a line, or not take at all. */
// oxlint-disable-next-line no-control-regex
const SPECIAL = /["\\\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff]/g;

const SHORT: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\t': '\\t',
  '\r': '\\r',
};

/**
 * A text in double quotes, on one line, with escapes that YAML (https://yaml.org/spec/1.2.2/#57-escaped-characters) and
 * JSON have in common.
 */
export const quoted = (text: string): string =>
  `"${text.replace(
    SPECIAL,
    (character) => SHORT[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )}"`;
