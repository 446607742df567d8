import { type ByteString, textOf } from './byte-string.ts';

/** What the kernel makes up: it would never end, or fail to be read. */
const PSEUDO = ['/proc/*', '/sys/*', '/dev/*', '/run/*'];

/** Characters that make rsync take a pattern as one with wildcards; only then a backslash quotes. */
const WILD = /[*?[]/;

/**
 * rsync's patterns of what is left out: the source's own; the same again for paths that are read under another name;
 * the store itself; the kernel's file systems where the whole host is read.
 */
export function excludePatterns(source: {
  readonly patterns: readonly string[];
  readonly roots: readonly ByteString[];
  /** Paths of the source that are read under their real names. */
  readonly moved: readonly { readonly from: string; readonly to: ByteString }[];
  /** The store's directory where the host has it, else `null`. */
  readonly store: string | null;
}): readonly string[] {
  const elsewhere = source.patterns.flatMap((pattern) =>
    source.moved.flatMap(({ from, to }) => (isAtOrBelow(pattern, from) ? [rebased(pattern, from, to)] : [])),
  );
  return [
    ...source.patterns,
    ...elsewhere,
    ...(source.store === null ? [] : [literalPattern(source.store)]),
    ...(source.roots.includes('/' as ByteString) ? PSEUDO : []),
  ];
}

const isAtOrBelow = (pattern: string, path: string): boolean =>
  pattern === path || pattern.startsWith(`${path}/`);

function rebased(pattern: string, from: string, to: ByteString): string {
  const rest = pattern.slice(from.length);
  const text = textOf(to);
  // an argument is text; in the C locale "?" stands for any one byte
  if (text === null) return `${quoted(to).replace(/[^\x20-\x7e]/g, '?')}${rest}`;
  return WILD.test(`${text}${rest}`) ? `${quoted(text)}${rest}` : `${text}${rest}`;
}

/** The pattern of one path. `quote`: something with a wildcard is put behind it. */
export const literalPattern = (path: string, quote = WILD.test(path)): string =>
  quote ? quoted(path) : path;

const quoted = (path: string): string => path.replace(/[*?[\\]/g, '\\$&');
