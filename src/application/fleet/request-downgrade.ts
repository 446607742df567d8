import type { Actor } from '../../domain/access/actor.ts';
import { changesToUndo } from '../../domain/fleet/downgrade.ts';
import type { Job } from '../../domain/jobs/job.ts';
import { UseCase } from '../base/use-case.ts';
import { visibleJob } from '../jobs/get-job.ts';
import type { TriggerJob } from '../jobs/trigger-job.ts';

interface DowngradeRequest {
  readonly updateJobId: number;
  /** The dry run whose plan is applied; without one, the job is a dry run. */
  readonly planId?: number | undefined;
  readonly outsideWindow?: boolean | undefined;
}

/** Starts the job that plans the downgrade of an update's packages, or applies its plan. For users only. */
export class RequestDowngrade extends UseCase<'jobs', { readonly triggerJob: Pick<TriggerJob, 'execute'> }> {
  /** Throws `job_not_found`, and as `changesToUndo` and `TriggerJob` do. */
  async execute(actor: Actor, { updateJobId, planId, outsideWindow }: DowngradeRequest): Promise<Job> {
    actor.require('read');
    const update = await visibleJob(this.deps.jobs, actor, updateJobId);
    changesToUndo(update);
    return this.deps.triggerJob.execute(actor, {
      serverId: update.serverId,
      jobType: 'os_downgrade',
      updateJobId,
      dryRun: planId === undefined,
      planId,
      outsideWindow,
    });
  }
}
