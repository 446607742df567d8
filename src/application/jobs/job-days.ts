import type { Actor } from '../../domain/access/actor.ts';
import { DAY, type Instant } from '../../domain/base/instant.ts';
import type { Clock } from '../ports/base/clock.ts';
import type { EndedJobs, JobStore } from '../ports/jobs/job-store.ts';

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

interface Deps {
  readonly jobs: JobStore;
  readonly clock: Clock;
}

/** How jobs ended, by day. Past days no longer change: they are read once a day, and today each time. */
export class GetJobDays {
  readonly #deps: Deps;
  #past: { readonly from: Instant; readonly today: Instant; readonly ended: readonly EndedJobs[] } | null =
    null;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** The last `days`. For people, who see all servers. */
  async execute(actor: Actor, days: number): Promise<JobDays> {
    actor.requireRole('viewer');
    const now = this.#deps.clock.now();
    const today = now - (now % DAY);
    const from = today - (days - 1) * DAY;
    const past = await this.#before(from, today);
    const ended = [...past, ...(await this.#deps.jobs.endedPerDay(today, today + DAY))];
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
    if (this.#past?.today === today && this.#past.from === from) return this.#past.ended;
    const ended = await this.#deps.jobs.endedPerDay(from, today);
    this.#past = { from, today, ended };
    return ended;
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
