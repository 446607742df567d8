import type { Snapshot } from '../backups/snapshot.ts';
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

/** The servers with a sample on a day. */
export interface FleetDay {
  /** Its start, in UTC. */
  readonly day: Instant;
  readonly servers: number;
  /** Those of them with security updates pending at the end of it. */
  readonly withSecurityUpdates: number;
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

/**
 * How a source's backups ended. A job that succeeded did so for each source that it was for, also after retention
 * removed the snapshot; one that failed did so for each source that it took no snapshot of. A snapshot proves a
 * success, after its job is deleted too.
 */
export function sourceDays(
  source: { readonly id: number; readonly name: string; readonly createdAt: Instant },
  jobs: readonly Pick<Job, 'id' | 'status' | 'finishedAt' | 'params'>[],
  snapshots: readonly Pick<Snapshot, 'sourceId' | 'jobId' | 'finishedAt'>[],
  days: readonly Instant[],
): readonly JobDay[] {
  const taken = snapshots.filter(({ sourceId }) => sourceId === source.id);
  const ofSource = jobs.filter(
    ({ finishedAt, params }) =>
      (params.sourceFilter === null || params.sourceFilter === source.name) &&
      finishedAt !== null &&
      finishedAt >= source.createdAt,
  );
  const hasTaken = ({ id }: Pick<Job, 'id'>): boolean => taken.some(({ jobId }) => jobId === id);
  const succeeded = ofSource.filter((job) => job.status === 'success' || hasTaken(job));
  const failed = ofSource.filter((job) => job.status === 'failed' && !hasTaken(job));
  const on = (all: readonly { readonly finishedAt: Instant | null }[], day: Instant): number =>
    all.filter(({ finishedAt }) => finishedAt !== null && stepAt('day', finishedAt) === day).length;
  return days.map((day) => ({
    day,
    succeeded: Math.max(on(succeeded, day), on(taken, day)),
    failed: on(failed, day),
  }));
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
