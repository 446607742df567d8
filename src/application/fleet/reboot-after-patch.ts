import type { PatchPolicy } from '../../domain/automation/patch-policy.ts';
import type { Server } from '../../domain/fleet/server.ts';
import type { Job } from '../../domain/jobs/job.ts';
import type { StartPolicyJob } from '../automation/start-policy-job.ts';
import { paramsOf } from '../jobs/job-params.ts';

/** Starts the reboot that a package update needs, in a separate job: only then does nothing else run on the server. */
export class RebootAfterPatch {
  readonly #startPolicyJob: Pick<StartPolicyJob, 'execute'>;

  constructor({ startPolicyJob }: { readonly startPolicyJob: Pick<StartPolicyJob, 'execute'> }) {
    this.#startPolicyJob = startPolicyJob;
  }

  /** Drover cannot reboot the machine that it runs on. */
  applies(policy: Pick<PatchPolicy, 'rebootIfNeeded'> | null, server: Server, isPending: boolean): boolean {
    return isPending && policy?.rebootIfNeeded === true && server.address.connection !== 'local';
  }

  /** Throws as `StartPolicyJob.execute`. */
  start(patch: Job, server: Server, policy: Pick<PatchPolicy, 'name'>): Promise<Job> {
    const reason = `The policy ${policy.name} reboots servers that need it after an update (job ${patch.id}).`;
    const params = paramsOf('host_reboot', {});
    return this.#startPolicyJob.execute({ server, type: 'host_reboot', params, reason, after: patch });
  }
}
