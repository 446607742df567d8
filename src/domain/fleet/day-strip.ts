import { DAY, HOUR, type Instant } from '../base/instant.ts';
import type { Job } from '../jobs/job.ts';
import { type Sample, stepAt } from './sample.ts';

/** How the jobs of a kind ended that ended on a day. */
export interface JobDay {
  /** The start of the day, in UTC. */
  readonly day: Instant;
  readonly succeeded: number;
  readonly failed: number;
}

/** How long a server was seen on a day. */
export interface SeenDay {
  readonly day: Instant;
  /** Hours with an inventory. */
  readonly hours: number;
  /** Hours in which there should have been one; 0: before the first, so that nothing is known. */
  readonly expected: number;
}

/** The last days, this one among them; the oldest first. */
export const lastDays = (now: Instant, count: number): readonly Instant[] =>
  Array.from({ length: count }, (_, index) => stepAt('day', now) - (count - 1 - index) * DAY);

export function jobDays(
  jobs: readonly Pick<Job, 'status' | 'finishedAt'>[],
  days: readonly Instant[],
): readonly JobDay[] {
  const ended = (day: Instant, status: Job['status']): number =>
    jobs.filter(
      (job) => job.status === status && job.finishedAt !== null && stepAt('day', job.finishedAt) === day,
    ).length;
  return days.map((day) => ({ day, succeeded: ended(day, 'success'), failed: ended(day, 'failed') }));
}

/** `hours`: one sample per hour, the oldest first. The hour that is not over yet is not expected. */
export function seenDays(
  hours: readonly Pick<Sample, 'at'>[],
  days: readonly Instant[],
  now: Instant,
): readonly SeenDay[] {
  const first = hours[0] ? stepAt('hour', hours[0].at) : null;
  return days.map((day) => {
    const seen = hours.filter(({ at }) => stepAt('day', at) === day).length;
    if (first === null) return { day, hours: 0, expected: 0 };
    const from = Math.max(day, first);
    const until = Math.min(day + DAY, stepAt('hour', now));
    return { day, hours: seen, expected: Math.max(seen, Math.round((until - from) / HOUR)) };
  });
}
