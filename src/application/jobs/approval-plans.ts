import { Actor } from '../../domain/access/actor.ts';
import { InvalidInput, isDomainError } from '../../domain/base/errors.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import { type Approval, approvalDecided, planRequester } from '../../domain/jobs/approval.ts';
import { type Job, jobNotFound, requestJob } from '../../domain/jobs/job.ts';
import { isShownFirst } from '../../domain/jobs/job-types.ts';
import { UseCase } from '../base/use-case.ts';
import type { JobWakeup } from './job-wakeup.ts';
import { extentOf, visibleApproval } from './list-approvals.ts';

/** Dry runs of jobs that wait for approval: shown to the reviewer, and binding for the job. */
export class ApprovalPlans extends UseCase<'approvals' | 'jobs' | 'clock', { readonly wakeup: JobWakeup }> {
  /**
   * Starts the dry run with the request, so that it is ready for the reviewer. If that is impossible (another job
   * holds the lane) the reviewer starts it.
   */
  async begin(job: Job): Promise<void> {
    if (!isShownFirst(job.jobType, job.params)) return;
    try {
      const approval = await this.deps.approvals.ofJob(job.id);
      if (!approval) return;
      const { planId } = job.params;
      if (planId !== undefined) {
        const plan = await this.deps.jobs.find(planId);
        await this.deps.approvals.setPlan(approval.id, planId, plan?.requestedBy ?? null);
      } else await this.#start(Actor.system('approvals'), approval, job);
    } catch (error) {
      // The request stands; it is shown without a plan.
      if (!isDomainError(error) || error.code === 'database_unavailable') throw error;
    }
  }

  /** A user requests a current plan. Throws `approval_not_found`, `approval_decided`, `JobAlreadyActive`. */
  async execute(actor: Actor, id: number): Promise<Job> {
    actor.requireRole('operator', 'any server');
    const approval = await visibleApproval(this.deps.approvals, actor, id);
    actor.requireRole('operator', extentOf(approval));
    if (approval.state !== 'waiting') throw approvalDecided(approval);
    const job = approval.jobId === null ? null : await this.deps.jobs.find(approval.jobId);
    if (!job) {
      const message = 'A batch has no dry run; each of its hosts can have one.';
      throw approval.jobId === null ? new InvalidInput([{ path: '', message }]) : jobNotFound(approval.jobId);
    }
    return this.#start(actor, approval, job);
  }

  async #start(actor: Actor, approval: Approval, job: Job): Promise<Job> {
    const at = this.deps.clock.now();
    const { planId: _, ...params } = job.params;
    const plan = await this.deps.jobs.enqueue(
      requestJob({
        server: { id: job.serverId, name: job.serverName },
        type: job.jobType,
        params: { ...params, dryRun: true },
        requestedBy: planRequester(job.id),
        scheduled: false,
        approval: null,
        at,
      }),
      ({ id, serverId, jobType }) => ({
        audit: [auditEntry(actor, at, 'approval.plan', `job:${id}`, { serverId, jobType, for: job.id })],
      }),
    );
    const startedBy = actor.kind === 'system' ? null : actor.label;
    await this.deps.approvals.setPlan(approval.id, plan.id, startedBy);
    this.deps.wakeup.jobWaits();
    return plan;
  }
}
