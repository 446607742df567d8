import {
  type Amount,
  type ExclusionPreview,
  type LeftOutPath,
  MAX_LARGEST,
} from '../../../domain/backups/exclusion-preview.ts';
import { shownName } from '../../../domain/files/shown-name.ts';
import { type ByteString, toBuffer } from './byte-string.ts';
import type { ExcludeMatcher } from './exclude-matcher.ts';

/** One path as its host lists it. */
export interface Listed {
  /** Without leading slash. */
  readonly path: ByteString;
  readonly isDirectory: boolean;
  readonly size: number;
}

interface Sum {
  files: number;
  bytes: number;
}

/** A pattern of the source, and the last directory that it matched. */
interface PatternCount {
  readonly pattern: string;
  readonly matcher: ExcludeMatcher;
  readonly sum: Sum;
  matches: number;
  below: string | null;
}

type Top = Sum & { readonly path: ByteString; readonly isDirectory: boolean };

/**
 * Counts exclusions in a listing in which a directory comes right before its contents. `roots`: without leading
 * slash, in listing order; one that is below another comes before it.
 */
export class ExclusionTally {
  readonly #all: ExcludeMatcher;
  readonly #patterns: readonly PatternCount[];
  readonly #roots: readonly ByteString[];
  readonly #kept: Sum = { files: 0, bytes: 0 };
  readonly #leftOut: Sum = { files: 0, bytes: 0 };
  #root = -1;
  /** Roots below the listed one: they were counted before it. */
  #done: readonly ByteString[] = [];
  #top: Top | null = null;
  #largest: Top[] = [];

  constructor(options: {
    readonly all: ExcludeMatcher;
    readonly patterns: readonly { readonly pattern: string; readonly matcher: ExcludeMatcher }[];
    readonly roots: readonly ByteString[];
  }) {
    this.#all = options.all;
    this.#roots = options.roots;
    this.#patterns = options.patterns.map((each) => ({
      ...each,
      sum: { files: 0, bytes: 0 },
      matches: 0,
      below: null,
    }));
  }

  add(entry: Listed): void {
    if (entry.path === this.#roots[this.#root + 1]) this.#nextRoot();
    const { path, isDirectory } = entry;
    if (this.#done.some((root) => isAtOrBelow(path, root))) return;
    const top = this.#topOf(entry);
    if (top === null) {
      take(this.#kept, entry);
      return;
    }
    take(this.#leftOut, entry);
    take(top, entry);
    for (const each of this.#patterns) {
      if (each.below === null || !path.startsWith(each.below)) {
        each.below = null;
        if (!each.matcher.excludes(path, isDirectory)) continue;
        each.matches += 1;
        if (isDirectory) each.below = `${path}/`;
      }
      take(each.sum, entry);
    }
  }

  finish(): Pick<ExclusionPreview, 'kept' | 'leftOut' | 'patterns' | 'largest'> {
    this.#closeTop();
    return {
      kept: { ...this.#kept },
      leftOut: { ...this.#leftOut },
      patterns: this.#patterns.map(({ pattern, sum, matches }) => ({ pattern, matches, ...sum })),
      largest: this.#largest.map(shownTop),
    };
  }

  #nextRoot(): void {
    this.#closeTop();
    this.#root += 1;
    const root = this.#roots[this.#root] ?? '';
    for (const each of this.#patterns) each.below = null;
    this.#done = this.#roots.slice(0, this.#root).filter((each) => root === '' || isAtOrBelow(each, root));
  }

  /** The excluded directory that contains this; `null` if it is kept. */
  #topOf({ path, isDirectory }: Listed): Top | null {
    if (this.#top?.isDirectory && path.startsWith(`${this.#top.path}/`)) return this.#top;
    this.#closeTop();
    if (!this.#all.excludes(path, isDirectory)) return null;
    this.#top = { path, isDirectory, files: 0, bytes: 0 };
    return this.#top;
  }

  #closeTop(): void {
    if (this.#top === null) return;
    const least = this.#largest.at(-1);
    if (this.#largest.length < MAX_LARGEST || (least && byAmount(this.#top, least) < 0)) {
      this.#largest = [...this.#largest, this.#top].sort(byAmount).slice(0, MAX_LARGEST);
    }
    this.#top = null;
  }
}

const isAtOrBelow = (path: string, root: string): boolean => path === root || path.startsWith(`${root}/`);

/** The larger one first. */
const byAmount = (a: Sum, b: Sum): number => b.bytes - a.bytes || b.files - a.files;

function take(sum: Sum, { isDirectory, size }: Listed): void {
  if (isDirectory) return;
  sum.files += 1;
  sum.bytes += size;
}

function shownTop({ path, isDirectory, files, bytes }: Top): LeftOutPath {
  const parts = path.split('/').map((part) => shownName(toBuffer(part as ByteString)));
  const text = `/${parts.map((part) => part.text).join('/')}`;
  const amount: Amount = { files, bytes };
  return { path: { text, escaped: parts.some(({ escaped }) => escaped) }, isDirectory, ...amount };
}
