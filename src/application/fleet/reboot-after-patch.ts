import { Actor } from '../../domain/access/actor.ts';
import type { PatchPolicy } from '../../domain/automation/patch-policy.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import type { Server } from '../../domain/fleet/server.ts';
import { type Job, requestJob } from '../../domain/jobs/job.ts';
import type { MaintenanceGate } from '../automation/maintenance-gate.ts';
import { paramsOf } from '../jobs/job-params.ts';
import type { JobWakeup } from '../jobs/job-wakeup.ts';
import type { Clock } from '../ports/base/clock.ts';
import type { JobStore } from '../ports/jobs/job-store.ts';

interface Deps {
  readonly jobs: Pick<JobStore, 'enqueue'>;
  readonly gate: Pick<MaintenanceGate, 'pass'>;
  readonly wakeup: JobWakeup;
  readonly clock: Clock;
}

/**
 * Starts the reboot that a package update needs, in a separate job: only then does nothing else run on the server. It
 * follows from an operator's policy, so it needs no approval.
 */
export class RebootAfterPatch {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Drover cannot reboot the machine that it runs on. */
  applies(policy: Pick<PatchPolicy, 'rebootIfNeeded'> | null, server: Server, isPending: boolean): boolean {
    return isPending && policy?.rebootIfNeeded === true && server.address.connection !== 'local';
  }

  /** Throws `outside_maintenance_window`, and `JobAlreadyActive` if another job runs on the server. */
  async start(patch: Job, server: Server, policy: Pick<PatchPolicy, 'name'>): Promise<Job> {
    await this.#deps.gate.pass(server, 'host_reboot', false);
    const at = this.#deps.clock.now();
    const reason = `The policy ${policy.name} reboots servers that need it after an update (job ${patch.id}).`;
    const job = await this.#deps.jobs.enqueue(
      requestJob({
        server,
        type: 'host_reboot',
        params: paramsOf('host_reboot', {}),
        requestedBy: patch.requestedBy,
        ...(patch.requester === null ? {} : { requester: patch.requester }),
        reason,
        scheduled: patch.scheduled,
        approval: null,
        at,
      }),
      (queued) => ({
        audit: [
          auditEntry(Actor.system('policies'), at, 'job.request', `job:${queued.id}`, {
            serverId: server.id,
            jobType: queued.jobType,
            reason,
          }),
        ],
      }),
    );
    this.#deps.wakeup.jobWaits();
    return job;
  }
}
