import type { Actor } from '../../domain/access/actor.ts';
import type { ScheduleRun } from '../../domain/automation/schedule.ts';
import type { KeepReply } from '../../domain/base/kept-reply.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import { requireConfirmedForLater } from '../../domain/fleet/own-machine.ts';
import { featureOf } from '../../domain/jobs/job-types.ts';
import { UseCase } from '../base/use-case.ts';
import type { RefusalAuditor } from '../events/audit-refusals.ts';
import { ownSchedule } from './list-schedules.ts';
import type { StartScheduledJob } from './start-scheduled-job.ts';

/** Starts a schedule now; its times stay as they are. */
export class RunSchedule extends UseCase<
  'schedules' | 'audit' | 'clock',
  { readonly startScheduledJob: StartScheduledJob; readonly refusals: RefusalAuditor }
> {
  /**
   * The caller is the requester of the job or batch. Throws `schedule_not_found`, `approval_required`, `not_owner`,
   * and what `TriggerJob` or `StartBatch` refuses.
   */
  execute(actor: Actor, id: number, keep?: KeepReply<ScheduleRun>): Promise<ScheduleRun> {
    return this.deps.refusals.watch({ actor, action: 'schedule.run', object: `schedule:${id}` }, async () => {
      actor.require('jobs', 'any server');
      const schedule = await ownSchedule(this.deps.schedules, actor, id);
      actor.requireFeature(featureOf(schedule.jobType));
      requireConfirmedForLater(actor, `job.${schedule.jobType}`);
      const now = this.deps.clock.now();
      const run = await this.deps.schedules.begin(id, now);
      const refusal = await this.deps.startScheduledJob.execute(actor, schedule, run, keep);
      if (refusal) throw refusal;
      await this.deps.audit.record(auditEntry(actor, now, 'schedule.run', `schedule:${id}`));
      const { items } = await this.deps.schedules.runs(id, { limit: 20, offset: 0 });
      return items.find((each) => each.id === run.id) ?? run;
    });
  }
}
