import type { ShownName } from '../files/shown-name.ts';

/** `files`: all but directories. */
export interface Amount {
  readonly files: number;
  readonly bytes: number;
}

/** What one pattern alone would exclude. */
export interface PatternEffect extends Amount {
  readonly pattern: string;
  /** Paths that match; the contents of a matching directory are not counted again. */
  readonly matches: number;
}

/** Something that is left out as a whole. */
export interface LeftOutPath extends Amount {
  /** Absolute on the host. */
  readonly path: ShownName;
  readonly isDirectory: boolean;
}

/** What patterns exclude from a source, and its size. */
export interface ExclusionPreview {
  readonly kept: Amount;
  readonly leftOut: Amount;
  /** In the order in which they were asked for. */
  readonly patterns: readonly PatternEffect[];
  /** The largest first. */
  readonly largest: readonly LeftOutPath[];
  /** Paths that could not be read; a backup would fail because of them, unless they are left out. */
  readonly unreadable: number;
  /** False: the limit of time or of paths was reached first, and the rest was not counted. */
  readonly isComplete: boolean;
}

export const MAX_LARGEST = 20;
