import type { Actor } from '../../domain/access/actor.ts';
import { DAY, type Instant } from '../../domain/base/instant.ts';
import { UseCase } from '../base/use-case.ts';
import { visibleIds } from '../fleet/list-servers.ts';
import type { EndedJobs } from '../ports/jobs/job-store.ts';

/** Jobs that ended on one day. */
export interface JobDay {
  /** Its start, in UTC. */
  readonly day: Instant;
  readonly succeeded: number;
  readonly failed: number;
}

export interface JobDays {
  /** Of all types, the oldest day first; the last is today. */
  readonly all: readonly JobDay[];
  readonly backups: readonly JobDay[];
}

/** The longest history that is shown. */
export const MAX_JOB_DAYS = 30;

/** Past days, read before. */
interface PastDays {
  readonly from: Instant;
  readonly until: Instant;
  readonly ended: readonly EndedJobs[];
}

/**
 * How jobs ended, by day. Past days no longer change: each is read once, and today each time. Thirty days of 300,000
 * jobs take 200 ms on SQLite and 650 ms on MariaDB, one day 10 to 30 ms.
 */
export class GetJobDays extends UseCase<'jobs' | 'clock'> {
  #past: Promise<PastDays> | null = null;

  /** The last `days`. Users who see only some servers share no past days: theirs are counted each time. */
  async execute(actor: Actor, days: number): Promise<JobDays> {
    actor.requireRole('viewer');
    const now = this.deps.clock.now();
    const today = now - (now % DAY);
    const from = today - (days - 1) * DAY;
    const serverIds = visibleIds(actor);
    const { jobs } = this.deps;
    const ended =
      serverIds === null
        ? [...(await this.#before(from, today)), ...(await jobs.endedPerDay(today, today + DAY))]
        : await jobs.endedPerDay(from, today + DAY, serverIds);
    return {
      all: byDay(ended, from, days),
      backups: byDay(
        ended.filter(({ jobType }) => jobType === 'backup'),
        from,
        days,
      ),
    };
  }

  async #before(from: Instant, today: Instant): Promise<readonly EndedJobs[]> {
    const reading = this.#extended(this.#past, from, today);
    // Those who ask meanwhile wait for the same.
    this.#past = reading;
    try {
      return (await reading).ended.filter(({ day }) => day >= from);
    } catch (error) {
      if (this.#past === reading) this.#past = null;
      throw error;
    }
  }

  async #extended(known: Promise<PastDays> | null, from: Instant, until: Instant): Promise<PastDays> {
    const past = await known?.catch(() => null);
    const covers = past && past.from <= from && past.until >= from && past.until <= until ? past : null;
    if (covers?.until === until) return covers;
    const added = await this.deps.jobs.endedPerDay(covers?.until ?? from, until);
    const kept = covers?.ended.filter(({ day }) => day >= from) ?? [];
    return { from, until, ended: [...kept, ...added] };
  }
}

function byDay(ended: readonly EndedJobs[], from: Instant, days: number): readonly JobDay[] {
  const sum = (day: Instant, wanted: EndedJobs['status']): number =>
    ended
      .filter((each) => each.day === day && each.status === wanted)
      .reduce((total, { jobs }) => total + jobs, 0);
  return Array.from({ length: days }, (_, index) => {
    const day = from + index * DAY;
    return { day, succeeded: sum(day, 'success'), failed: sum(day, 'failed') };
  });
}
