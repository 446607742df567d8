import { type JobType, jobTitle } from '../../../domain/jobs/job-types.ts';

/** `Update packages (os_patch)`: a job type for people, with the identifier that commands take. */
export const typeText = (type: JobType): string => `${jobTitle(type)} (${type})`;

/** The note after a truncated list. */
export function moreOf(page: {
  readonly items: readonly unknown[];
  readonly total: number;
  readonly offset: number;
}): string {
  const next = page.offset + page.items.length;
  return next < page.total
    ? `Showing ${page.offset + 1} to ${next} of ${page.total}; continue with --offset ${next}.\n`
    : '';
}
