import { Actor } from '../../domain/access/actor.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import type { Clock } from '../ports/base/clock.ts';
import type { Claim, JobQueue } from '../ports/jobs/job-queue.ts';
import { jobEvent } from './job-event.ts';

interface Deps {
  readonly queue: JobQueue;
  readonly clock: Clock;
  readonly owner: string;
  readonly leaseMs: number;
}

/** Takes waiting jobs for this process to run. */
export class ClaimJobs {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  execute(limit: number): Promise<readonly Claim[]> {
    const at = this.#deps.clock.now();
    const worker = Actor.system('worker');
    return this.#deps.queue.claim({
      owner: this.#deps.owner,
      leaseMs: this.#deps.leaseMs,
      limit,
      at,
      record: (job) => ({
        events: [jobEvent(job, at)],
        audit: [auditEntry(worker, at, 'job.start', `job:${job.id}`, { serverId: job.serverId })],
      }),
    });
  }
}
