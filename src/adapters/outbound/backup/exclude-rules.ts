import { type ByteString, textOf } from './byte-string.ts';

/** Virtual file systems: they would never end, or cannot be read. */
const PSEUDO = ['/proc/*', '/sys/*', '/dev/*', '/run/*'];

/** Characters that make rsync treat a pattern as a wildcard pattern; only then a backslash escapes. */
const WILD = /[*?[]/;

/**
 * rsync exclude patterns: the source's own; the same for paths that are read under another name; the store itself;
 * the kernel's file systems if the whole host is read.
 */
export function excludePatterns(source: {
  readonly patterns: readonly string[];
  readonly roots: readonly ByteString[];
  /** Paths of the source that are read under their real names. */
  readonly moved: readonly { readonly from: string; readonly to: ByteString }[];
  /** The store's directory if it is on the host, else `null`. */
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
  // an argument is text; in the C locale "?" matches any single byte
  if (text === null) return `${quoted(to).replace(/[^\x20-\x7e]/g, '?')}${rest}`;
  return WILD.test(`${text}${rest}`) ? `${quoted(text)}${rest}` : `${text}${rest}`;
}

/** The pattern of one path. `quote`: something with a wildcard is put behind it. */
export const literalPattern = (path: string, quote = WILD.test(path)): string =>
  quote ? quoted(path) : path;

const quoted = (path: string): string => path.replace(/[*?[\\]/g, '\\$&');
