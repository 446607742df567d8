import { Actor } from '../../domain/access/actor.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import { UseCase } from '../base/use-case.ts';
import type { Claim } from '../ports/jobs/job-queue.ts';
import { jobEvent } from './job-event.ts';

/** Takes waiting jobs for this process to run. */
export class ClaimJobs extends UseCase<'queue' | 'clock' | 'owner' | 'leaseMs'> {
  execute(limit: number): Promise<readonly Claim[]> {
    const at = this.deps.clock.now();
    const worker = Actor.system('worker');
    return this.deps.queue.claim({
      owner: this.deps.owner,
      leaseMs: this.deps.leaseMs,
      limit,
      at,
      record: (job) => ({
        events: [jobEvent(job, at)],
        audit: [auditEntry(worker, at, 'job.start', `job:${job.id}`, { serverId: job.serverId })],
      }),
    });
  }
}
