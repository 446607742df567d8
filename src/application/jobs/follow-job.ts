import type { Actor } from '../../domain/access/actor.ts';
import { isTerminal, type Job } from '../../domain/jobs/job.ts';
import { UseCase } from '../base/use-case.ts';
import type { LogPart } from '../ports/jobs/job-store.ts';
import { visibleJob } from './get-job.ts';

const LOOK_EVERY_MS = 400;

export interface JobView {
  /** A stretch of the log, each exactly once and in order. It is waited for. */
  onLog(part: LogPart): void | Promise<void>;
  /** The job's state, whenever it was read. It is waited for. */
  onState(job: Job): void | Promise<void>;
}

/** Follows a job to its end. */
export class FollowJob extends UseCase<'jobs' | 'clock'> {
  /**
   * Returns the job once it has ended and its whole log is handed out, or its current state when the signal is
   * aborted. `from`: the start position in the log.
   */
  async execute(actor: Actor, id: number, view: JobView, signal: AbortSignal, from = 0): Promise<Job> {
    actor.require('read');
    let after = from;
    for (;;) {
      // The state is read before the log, so that the log of a job seen as ended is complete.
      const job = await visibleJob(this.deps.jobs, actor, id);
      after = await this.#drain(id, after, view, signal);
      await view.onState(job);
      if (isTerminal(job.status) || signal.aborted) return job;
      await this.deps.clock.sleep(LOOK_EVERY_MS, signal);
    }
  }

  async #drain(id: number, from: number, view: JobView, signal: AbortSignal): Promise<number> {
    let after = from;
    while (!signal.aborted) {
      const part = await this.deps.jobs.readLog(id, after);
      if (part.text === '' && part.cutBytes === 0) return after;
      await view.onLog(part);
      after = part.next;
    }
    return after;
  }
}
