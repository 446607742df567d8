import { excludePatterns } from '../exclude-rules.ts';
import type { Survey } from '../source-survey.ts';

/**
 * restic's `--exclude` for rsync patterns. Both anchor at a leading slash, match names at any depth otherwise, and
 * know `*`, `**`, `?` and `[…]`; they differ in the following.
 */
export function resticExcludes(source: {
  readonly patterns: readonly string[];
  readonly survey: Pick<Survey, 'roots' | 'moved'>;
  /** A repository on the host's own disk must not be backed up into itself. */
  readonly repositoryPath: string | null;
}): readonly string[] {
  const { patterns, survey, repositoryPath } = source;
  const all = excludePatterns({ patterns, roots: survey.roots, moved: survey.moved, store: repositoryPath });
  return all.map(resticPattern);
}

const resticPattern = (pattern: string): string =>
  pattern
    // `dir/***` is the directory with all below, which restic leaves out with the directory
    .replace(/\/\*\*\*$/, '')
    // a pattern for directories also excludes files of that name
    .replace(/(.)\/$/, '$1')
    // a leading exclamation mark would take back an exclusion
    .replace(/^!/, '[!]');
