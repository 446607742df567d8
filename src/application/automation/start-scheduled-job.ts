import type { Actor } from '../../domain/access/actor.ts';
import type { Batch } from '../../domain/automation/batch.ts';
import { onlyServer, type Schedule, type ScheduleRun } from '../../domain/automation/schedule.ts';
import { DomainError, isDomainError } from '../../domain/base/errors.ts';
import type { KeepReply } from '../../domain/base/kept-reply.ts';
import { rawSelector } from '../../domain/fleet/host-selector.ts';
import type { Job } from '../../domain/jobs/job.ts';
import { shortDetail } from '../../domain/jobs/job-text.ts';
import { UseCase } from '../base/use-case.ts';
import { requestOf } from '../jobs/job-params.ts';
import type { TriggerJob } from '../jobs/trigger-job.ts';
import type { StartBatch } from './start-batch.ts';

/** Starts the work of a schedule's run: a job on its one server, or a batch. */
export class StartScheduledJob extends UseCase<
  'schedules' | 'batches' | 'log',
  { readonly triggerJob: TriggerJob; readonly startBatch: StartBatch }
> {
  /**
   * Returns the refusal if nothing was started; the run records it. Throws `database_unavailable`, and `lease_lost`
   * if the run was given up in the meantime. `keep`: the reply is stored with the started work.
   */
  async execute(
    actor: Actor,
    schedule: Schedule,
    run: ScheduleRun,
    keep?: KeepReply<ScheduleRun>,
  ): Promise<DomainError | null> {
    try {
      await this.#start(actor, schedule, run, keep);
      return null;
    } catch (error) {
      if (isDomainError(error, 'lease_lost') || isDomainError(error, 'database_unavailable')) throw error;
      const refusal = isDomainError(error) ? error : this.#fault(schedule, error);
      const outcome = refusal.code === 'job_already_active' ? 'skipped' : 'refused';
      await this.deps.schedules.end(run.id, {
        outcome,
        code: refusal.code,
        detail: shortDetail(refusal.message),
      });
      return refusal;
    }
  }

  async #start(
    actor: Actor,
    schedule: Schedule,
    run: ScheduleRun,
    keep: KeepReply<ScheduleRun> | undefined,
  ): Promise<void> {
    const { id, jobType, params, selector, bounds } = schedule;
    const serverId = onlyServer(schedule);
    const request = { jobType, ...requestOf(params) };
    if (serverId !== null) {
      const origin = { kind: 'schedule_run', runId: run.id, scheduled: !run.manual } as const;
      const keepWithJob = keep && (({ id: jobId }: Job) => keep({ ...run, outcome: 'started', jobId }));
      await this.deps.triggerJob.execute(actor, { ...request, serverId, keep: keepWithJob }, origin);
      return;
    }
    for (const status of ['running', 'awaiting_approval'] as const) {
      const former = await this.deps.batches.list({ scheduleId: id, status }, { limit: 1, offset: 0 });
      const [batch] = former.items;
      if (!batch) continue;
      const how = status === 'running' ? 'is still running' : 'still waits for approval';
      throw new DomainError(
        'job_already_active',
        `Batch ${batch.id}, which this schedule started before, ${how}.`,
      );
    }
    const keepWithBatch = keep && (({ id: batchId }: Batch) => keep({ ...run, outcome: 'started', batchId }));
    await this.deps.startBatch.execute(
      actor,
      { ...request, selector: rawSelector(selector), bounds, keep: keepWithBatch },
      { schedule, run },
    );
  }

  #fault(schedule: Schedule, error: unknown): DomainError {
    this.deps.log.error('a schedule could not start its job', {
      schedule: schedule.name,
      error: error instanceof Error ? error.stack : String(error),
    });
    return new DomainError('internal', 'Internal error. See the service log.');
  }
}
