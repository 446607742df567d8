import { Actor } from '../domain/actor.ts';
import { auditEntry } from '../domain/audit-entry.ts';
import { jobEvent } from './jobs/job-event.ts';
import type { Clock } from './ports/clock.ts';
import type { Claim, JobQueue } from './ports/job-queue.ts';

/** Takes waiting jobs for this process to run. */
export class ClaimJobs {
  readonly #queue: JobQueue;
  readonly #clock: Clock;
  readonly #owner: string;
  readonly #leaseMs: number;

  constructor(deps: { queue: JobQueue; clock: Clock; owner: string; leaseMs: number }) {
    this.#queue = deps.queue;
    this.#clock = deps.clock;
    this.#owner = deps.owner;
    this.#leaseMs = deps.leaseMs;
  }

  execute(limit: number): Promise<readonly Claim[]> {
    const at = this.#clock.now();
    const worker = Actor.system('worker');
    return this.#queue.claim({
      owner: this.#owner,
      leaseMs: this.#leaseMs,
      limit,
      at,
      trail: (job) => ({
        events: [jobEvent(job, at)],
        audit: [auditEntry(worker, at, 'job.start', `job:${job.id}`, { serverId: job.serverId })],
      }),
    });
  }
}
