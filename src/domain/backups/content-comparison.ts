import type { InputProblem } from '../base/errors.ts';

/** A source that compares contents more seldom does not need the setting. */
export const MAX_CONTENT_INTERVAL = 1_000;

/**
 * Whether a backup compares the contents of all files, not only their times. `every`: compare in each Nth backup, 0
 * for never. `since`: backups since the last comparison; `null` if unknown.
 */
export const isContentDue = (every: number, since: number | null): boolean =>
  every > 0 && (since === null || since + 1 >= every);

export function contentIntervalProblems(every: number, isInRepository: boolean): InputProblem[] {
  const path = '/compare_content_every';
  if (!Number.isInteger(every) || every < 0 || every > MAX_CONTENT_INTERVAL) {
    return [{ path, message: `A whole number from 0 (never) to ${MAX_CONTENT_INTERVAL}.` }];
  }
  if (every === 0 || !isInRepository) return [];
  return [{ path, message: 'Must be 0 for a source in a repository: restic decides what has changed.' }];
}
