import type { Actor } from '../../domain/access/actor.ts';
import { requireOwn } from '../../domain/automation/schedule-owner.ts';
import type { KeepReply } from '../../domain/base/kept-reply.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import { type Job } from '../../domain/jobs/job.ts';
import { featureOf } from '../../domain/jobs/job-types.ts';
import { UseCase } from '../base/use-case.ts';
import type { RefusalAuditor } from '../events/audit-refusals.ts';
import { visibleJob } from './get-job.ts';
import { jobEvent } from './job-event.ts';
import type { JobWakeup } from './job-wakeup.ts';

/** Ends a waiting job immediately, and asks a running one to stop safely. */
export class CancelJob extends UseCase<
  'jobs' | 'clock',
  { readonly wakeup: JobWakeup; readonly refusals: RefusalAuditor }
> {
  /** Throws `job_not_found` (also for jobs of servers that the caller may not see), `approval_required`, `job_not_cancellable`. */
  execute(actor: Actor, id: number, keep?: KeepReply<Job>): Promise<Job> {
    return this.deps.refusals.watch({ actor, action: 'job.cancel', object: `job:${id}` }, async () => {
      actor.require('jobs', 'any server');
      const job = await visibleJob(this.deps.jobs, actor, id);
      actor.require('jobs', job.serverId);
      actor.requireFeature(featureOf(job.jobType));
      // Callers can cancel what they may start; one that needs approval only what it started itself.
      if (actor.requireApproval) requireOwn(actor, job.requester, `job ${id}`);
      const now = this.deps.clock.now();
      const after = await this.deps.jobs.requestCancel(id, now, (cancelled) => ({
        audit: [
          auditEntry(actor, now, 'job.cancel', `job:${id}`, {
            serverId: job.serverId,
            status: cancelled.status,
          }),
        ],
        events: cancelled.status === 'cancelled' ? [jobEvent(cancelled, now)] : [],
        reply: keep?.(cancelled),
      }));
      this.deps.wakeup.jobCancelled(id);
      return after;
    });
  }
}
