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
    description: `${description} 0: keep forever.`,
    example: String(fallback),
    read: (raw) => {
      const value = wholeNumber(0, MAX_DAYS)(raw);
      if (value === 0 || value >= least) return value;
      throw new BadValue(`${value} is neither 0 nor a whole number from ${least} to ${MAX_DAYS}`);
    },
    fallback,
  });

/** Data retention. */
export const KEEPING_VARIABLES = {
  keepJobsDays: days(
    'SERVICE_KEEP_JOBS_DAYS',
    365,
    1,
    'Days after which ended jobs are deleted with their logs, and batches. The latest job of each kind per server is kept.',
  ),
  keepLogsDays: days(
    'SERVICE_KEEP_JOB_LOGS_DAYS',
    90,
    1,
    'Days after which job logs are deleted, except their last lines.',
  ),
  keepEventsDays: days(
    'SERVICE_KEEP_EVENTS_DAYS',
    14,
    LAST_TRY_DAYS,
    'Days after which events and their delivery log are deleted.',
  ),
  keepNotificationsDays: days(
    'SERVICE_KEEP_NOTIFICATIONS_DAYS',
    90,
    1,
    'Days after which resolved alerts are deleted.',
  ),
  keepAuditDays: days(
    'SERVICE_KEEP_AUDIT_DAYS',
    0,
    1,
    'Days after which audit log entries are deleted, oldest first. The deletion is recorded, and `drover audit verify` still works for the remaining entries.',
  ),
} as const;
