import { type ByteString, bytesOfText } from './byte-string.ts';

/** An exclude pattern, for the host's find and for the service. */
export interface ExcludeRule {
  /**
   * A regular expression of a whole path with its leading slash. It says the same to POSIX (basic and extended) and to
   * JavaScript: everything that either could take as special is in brackets.
   */
  readonly regex: string;
  readonly directoriesOnly: boolean;
}

export interface ExcludeMatcher {
  readonly rules: readonly ExcludeRule[];
  /** `path`: without leading slash. Not called for the contents of excluded directories. */
  readonly excludes: (path: ByteString, isDirectory: boolean) => boolean;
}

/** rsync's patterns, as in its manual under PATTERN MATCHING RULES. */
export function excludeMatcher(patterns: readonly string[]): ExcludeMatcher {
  const rules = patterns.flatMap(rulesOf);
  const all = compiled(rules.filter(({ directoriesOnly }) => !directoriesOnly));
  const directories = compiled(rules.filter(({ directoriesOnly }) => directoriesOnly));
  return {
    rules,
    excludes: (path, isDirectory) => {
      const full = `/${path}`;
      return (all?.test(full) ?? false) || (isDirectory && (directories?.test(full) ?? false));
    },
  };
}

/** Names are bytes: each is a character here. */
function compiled(rules: readonly ExcludeRule[]): RegExp | null {
  if (rules.length === 0) return null;
  return new RegExp(`^(?:${rules.map(({ regex }) => bytesOfText(regex)).join('|')})$`, 's');
}

function rulesOf(pattern: string): ExcludeRule[] {
  // a directory with all that is in it
  const directory = /^(.+)\/\*{3}$/.exec(pattern)?.[1];
  if (directory !== undefined) return rulesOf(`${directory}/`);
  const directoriesOnly = pattern.length > 1 && pattern.endsWith('/');
  const plain = directoriesOnly ? pattern.slice(0, -1) : pattern;
  const body = /[*?[]/.test(plain) ? wild(plain) : quoted(plain);
  return [{ regex: plain.startsWith('/') ? body : `.*/${body}`, directoriesOnly }];
}

/** JavaScript has no names for them. */
const CLASSES: Readonly<Record<string, string>> = {
  alnum: 'A-Za-z0-9',
  alpha: 'A-Za-z',
  blank: ' \t',
  digit: '0-9',
  lower: 'a-z',
  space: ' \t\n\v\f\r',
  upper: 'A-Z',
  xdigit: '0-9A-Fa-f',
};

/** A backslash quotes only in a pattern that has a wildcard. */
function wild(pattern: string): string {
  let regex = '';
  for (let at = 0; at < pattern.length; ) {
    const rest = pattern.slice(at);
    const stars = /^\*+/.exec(rest)?.[0];
    const set = /^\[[!^]?(?:\[:[a-z]+:\]|[^\]\\])+\]/.exec(rest)?.[0];
    if (stars !== undefined) {
      regex += stars.length > 1 ? '.*' : '[^/]*';
      at += stars.length;
    } else if (set !== undefined) {
      regex += set
        .replace(/^\[[!^]/, '[^/')
        .replace(/\[:([a-z]+):\]/g, (all, name: string) => CLASSES[name] ?? all);
      at += set.length;
    } else if (rest.startsWith('?')) {
      regex += '[^/]';
      at += 1;
    } else {
      const isQuoted = rest.startsWith('\\') && rest.length > 1;
      const character = String.fromCodePoint(rest.codePointAt(isQuoted ? 1 : 0) ?? 0);
      regex += quoted(character);
      at += character.length + (isQuoted ? 1 : 0);
    }
  }
  return regex;
}

const quoted = (text: string): string => text.replace(/[\\^]/g, '\\$&').replace(/[.[*+?(){}|$]/g, '[$&]');
