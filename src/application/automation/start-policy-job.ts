import { Actor } from '../../domain/access/actor.ts';
import { orderOf, policyOf } from '../../domain/automation/patch-policy.ts';
import { groupUsesOf } from '../../domain/automation/update-order.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import type { Server } from '../../domain/fleet/server.ts';
import { type Job, type JobParams, requestJob } from '../../domain/jobs/job.ts';
import type { JobType } from '../../domain/jobs/job-types.ts';
import { UseCase } from '../base/use-case.ts';
import type { JobWakeup } from '../jobs/job-wakeup.ts';
import type { MaintenanceGate } from './maintenance-gate.ts';

export interface PolicyJob {
  readonly server: Server;
  readonly type: JobType;
  readonly params: JobParams;
  readonly reason: string;
  /** The job that it follows from, which names who it is for; `null`: none. */
  readonly after: Job | null;
}

/** Starts a job that follows from an operator's policy, and therefore needs no approval. */
export class StartPolicyJob extends UseCase<
  'clock' | 'jobs.enqueue' | 'policies.list',
  { readonly gate: Pick<MaintenanceGate, 'pass'>; readonly wakeup: JobWakeup }
> {
  /** Throws `outside_maintenance_window`, and `JobAlreadyActive` if another job holds its lane. */
  async execute({ server, type, params, reason, after }: PolicyJob): Promise<Job> {
    await this.deps.gate.pass(server, type, false);
    const order = orderOf(policyOf(await this.deps.policies.list(), server), type);
    const at = this.deps.clock.now();
    const system = Actor.system('policies');
    const job = await this.deps.jobs.enqueue(
      requestJob({
        server,
        type,
        params,
        requestedBy: after?.requestedBy ?? system.label,
        ...(after === null || after.requester === null ? {} : { requester: after.requester }),
        reason,
        scheduled: after?.scheduled ?? false,
        groups: order === null ? [] : groupUsesOf(order, server.tags, true),
        approval: null,
        at,
      }),
      (queued) => ({
        audit: [
          auditEntry(system, at, 'job.request', `job:${queued.id}`, {
            serverId: server.id,
            jobType: queued.jobType,
            reason,
          }),
        ],
      }),
    );
    this.deps.wakeup.jobWaits();
    return job;
  }
}
