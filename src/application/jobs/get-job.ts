import type { Actor } from '../../domain/access/actor.ts';
import { type Instant, SECOND } from '../../domain/base/instant.ts';
import { isTerminal, type Job, jobNotFound } from '../../domain/jobs/job.ts';
import { usualDuration } from '../../domain/jobs/job-pace.ts';
import { UseCase } from '../base/use-case.ts';
import type { JobStore } from '../ports/jobs/job-store.ts';

/** Lines of the log that come with a job when details are asked for. */
const DETAIL_LINES = 60;
/** The longest wait, in seconds: clients give a tool a minute, and the stdio adapter 50 s. */
export const MAX_JOB_WAIT = 45;
const POLL_MS = SECOND;
/** How many earlier runs say how long a job takes. */
const MAX_RUNS = 20;
/** Calls that wait at a time, in each replica; more are answered without waiting. */
const MAX_WAITING = 200;

export interface JobReading {
  readonly job: Job;
  readonly now: Instant;
  /** How long a running job usually takes, in milliseconds; `null` if it does not run or is the first of its kind. */
  readonly usualMs: number | null;
  readonly lines: readonly string[] | null;
}

export class GetJob extends UseCase<'jobs' | 'clock'> {
  #waiting = 0;

  /**
   * `lines`: the last lines of the log, if `detail` is set. `waitSeconds`: returns when the job has ended or waits for
   * approval, or after this time. Throws `job_not_found`.
   */
  async execute(
    actor: Actor,
    id: number,
    options: { readonly detail?: boolean; readonly waitSeconds?: number } = {},
  ): Promise<JobReading> {
    actor.require('read');
    const job = await this.#settled(actor, id, options.waitSeconds ?? 0);
    return {
      job,
      now: this.deps.clock.now(),
      usualMs: await this.#usual(job),
      lines: options.detail ? await this.deps.jobs.tail(id, DETAIL_LINES) : null,
    };
  }

  async #usual(job: Job): Promise<number | null> {
    if (job.status !== 'running') return null;
    const { serverId, jobType } = job;
    const filter = { serverId, jobType, status: 'success' } as const;
    const { items } = await this.deps.jobs.list(filter, { limit: MAX_RUNS, offset: 0 });
    return usualDuration(job, items);
  }

  async #settled(actor: Actor, id: number, waitSeconds: number): Promise<Job> {
    const { jobs, clock } = this.deps;
    const until = clock.now() + waitSeconds * SECOND;
    let job = await visibleJob(jobs, actor, id);
    if (this.#waiting >= MAX_WAITING) return job;
    this.#waiting += 1;
    try {
      while (canEndSoon(job) && clock.now() < until) {
        await clock.sleep(Math.min(POLL_MS, until - clock.now()));
        job = await visibleJob(jobs, actor, id);
      }
      return job;
    } finally {
      this.#waiting -= 1;
    }
  }
}

/** A reviewer may take days. */
const canEndSoon = ({ status }: Job): boolean => !isTerminal(status) && status !== 'awaiting_approval';

/** The job, if it is there and of a server that the actor may see; else `job_not_found` either way. */
export async function visibleJob(jobs: JobStore, actor: Actor, id: number): Promise<Job> {
  const job = await jobs.find(id);
  if (!job || !actor.maySee(job.serverId)) throw jobNotFound(id);
  return job;
}
