import { type JobType, jobTitle } from '../../../domain/jobs/job-types.ts';

/** `Update packages (os_patch)`: a job type for people, with the identifier that commands take. */
export const typeText = (type: JobType): string => `${jobTitle(type)} (${type})`;

interface Listed {
  readonly items: readonly unknown[];
  readonly total: number;
  readonly offset: number;
}

/** A page: its table, or that it is past the end, or what is said if there is nothing at all. */
export function pageText(page: Listed, none: string, table: string): string {
  if (page.items.length > 0) return table + moreOf(page);
  return page.total === 0 ? none : `There are only ${page.total}; --offset ${page.offset} is past the end.\n`;
}

/** The note after a truncated list. */
export function moreOf(page: Listed): string {
  const next = page.offset + page.items.length;
  return next < page.total
    ? `Showing ${page.offset + 1} to ${next} of ${page.total}; continue with --offset ${next}.\n`
    : '';
}
