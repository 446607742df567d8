import type { Actor } from '../../domain/access/actor.ts';
import { type Job, jobNotFound } from '../../domain/jobs/job.ts';
import type { JobStore } from '../ports/jobs/job-store.ts';

/** Lines of the log that come with a job when details are asked for. */
const DETAIL_LINES = 60;

interface Deps {
  readonly jobs: JobStore;
}

export class GetJob {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** `lines`: the last lines of the log, where `detail` is asked for. Throws `job_not_found`. */
  async execute(
    actor: Actor,
    id: number,
    options: { readonly detail?: boolean } = {},
  ): Promise<{ readonly job: Job; readonly lines: readonly string[] | null }> {
    actor.require('read');
    const job = await visibleJob(this.#deps.jobs, actor, id);
    return { job, lines: options.detail ? await this.#deps.jobs.tail(id, DETAIL_LINES) : null };
  }
}

/** The job, if it is there and of a server that the actor may see; else `job_not_found` either way. */
export async function visibleJob(jobs: JobStore, actor: Actor, id: number): Promise<Job> {
  const job = await jobs.find(id);
  if (!job || !actor.maySee(job.serverId)) throw jobNotFound(id);
  return job;
}
