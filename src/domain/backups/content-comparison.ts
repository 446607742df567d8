import type { InputProblem } from '../base/errors.ts';

/** A source that compares contents more seldom does not need the setting. */
export const MAX_CONTENT_INTERVAL = 1_000;

/**
 * Whether a backup compares the contents of all files, and not their times alone. `every`: each backup that is so many after
 * the last one that did, 0 for none. `since`: how many have not, since; `null` where nobody knows.
 */
export const isContentDue = (every: number, since: number | null): boolean =>
  every > 0 && (since === null || since + 1 >= every);

export function contentIntervalProblems(every: number, isInRepository: boolean): InputProblem[] {
  const path = '/compare_content_every';
  if (!Number.isInteger(every) || every < 0 || every > MAX_CONTENT_INTERVAL) {
    return [{ path, message: `A whole number from 0 (never) to ${MAX_CONTENT_INTERVAL}.` }];
  }
  if (every === 0 || !isInRepository) return [];
  return [{ path, message: 'Only 0 for a source in a repository: restic decides what has changed.' }];
}
