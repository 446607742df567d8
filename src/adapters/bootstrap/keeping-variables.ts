import { BadValue, wholeNumber } from './config-values.ts';
import { variable } from './read-variables.ts';

const MAX_DAYS = 36_500;
/** A delivery is tried for some three days. */
const LAST_TRY_DAYS = 7;

const days = (name: string, fallback: number, least: number, description: string) =>
  variable({
    name,
    type: `whole number from ${least} to ${MAX_DAYS}, or 0`,
    otherwise: String(fallback),
    description: `${description} 0: they stay for ever.`,
    example: String(fallback),
    read: (raw) => {
      const value = wholeNumber(0, MAX_DAYS)(raw);
      if (value === 0 || value >= least) return value;
      throw new BadValue(`${value} is neither 0 nor a whole number from ${least} to ${MAX_DAYS}`);
    },
    fallback,
  });

/** How long what is over stays known. */
export const KEEPING_VARIABLES = {
  keepJobsDays: days(
    'SERVICE_KEEP_JOBS_DAYS',
    365,
    1,
    'After so many days jobs that are over are forgotten, and with them their logs, and batches. The latest job of each lane of a server stays.',
  ),
  keepLogsDays: days(
    'SERVICE_KEEP_JOB_LOGS_DAYS',
    90,
    1,
    'After so many days the logs of jobs are forgotten, all but their last lines.',
  ),
  keepEventsDays: days(
    'SERVICE_KEEP_EVENTS_DAYS',
    14,
    LAST_TRY_DAYS,
    'After so many days events and the log of their deliveries are forgotten.',
  ),
  keepNotificationsDays: days(
    'SERVICE_KEEP_NOTIFICATIONS_DAYS',
    90,
    1,
    'So many days after they were over notifications are forgotten.',
  ),
  keepAuditDays: days(
    'SERVICE_KEEP_AUDIT_DAYS',
    0,
    1,
    'After so many days entries of the audit log are removed from its beginning, which leaves an entry; `drover audit verify` holds for those that are left.',
  ),
} as const;
