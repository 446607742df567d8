import { Actor } from '../../domain/access/actor.ts';
import { type Instant, SECOND } from '../../domain/base/instant.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import type { Job } from '../../domain/jobs/job.ts';
import { UseCase } from '../base/use-case.ts';
import { jobEvent } from './job-event.ts';

const BATCH = 50;

/**
 * Sweeps run every few seconds. After a gap this long, the clock was set, or the machine slept: leases seem to have
 * expired although their owners are about to renew them.
 */
const MAX_PAUSE_MS = 15 * SECOND;

/** Ends, or releases for other workers, the jobs of dead workers, and frees the leases of dead processes. */
export class SweepJobs extends UseCase<'queue' | 'replicas' | 'leases' | 'processes' | 'clock'> {
  #sweptAt: Instant | null = null;

  /** Returns the jobs that it ended as failed. After a leap of the clock it leaves all of them alone once. */
  async execute(): Promise<readonly Job[]> {
    const at = this.deps.clock.now();
    const leapt = this.#sweptAt !== null && at - this.#sweptAt > MAX_PAUSE_MS;
    this.#sweptAt = at;
    if (leapt) return [];
    const deadOwners = await this.#deadOwners();
    const sweeper = Actor.system('sweep');
    const ended: Job[] = [];
    for (;;) {
      const batch = await this.deps.queue.sweep({
        deadOwners,
        limit: BATCH,
        at,
        record: (job) => ({
          events: [jobEvent(job, at)],
          audit: [
            auditEntry(sweeper, at, 'job.finish', `job:${job.id}`, {
              serverId: job.serverId,
              status: job.status,
              code: 'worker_lost',
            }),
          ],
        }),
      });
      ended.push(...batch);
      if (batch.length < BATCH) break;
    }
    for (const owner of deadOwners) {
      // Its webhooks, say, would wait for a minute.
      await this.deps.leases.releaseAll(owner);
      await this.deps.replicas.leave(owner);
    }
    return ended;
  }

  /** Processes of this machine that are known to be dead: their leases need no waiting. */
  async #deadOwners(): Promise<readonly string[]> {
    const replicas = await this.deps.replicas.list();
    return replicas.map((replica) => replica.owner).filter((owner) => this.deps.processes.isDead(owner));
  }
}
