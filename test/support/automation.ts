import { AdvanceBatches } from '../../src/application/advance-batches.ts';
import type { RefusalAuditor } from '../../src/application/audit-refusals.ts';
import { CancelBatch } from '../../src/application/cancel-batch.ts';
import type { CancelJob } from '../../src/application/cancel-job.ts';
import { FollowBatch } from '../../src/application/follow-batch.ts';
import { GetBatch, ListBatches } from '../../src/application/get-batch.ts';
import type { JobWakeup } from '../../src/application/job-wakeup.ts';
import type { JobRunners } from '../../src/application/jobs/runner.ts';
import { GetSchedule, ListSchedules } from '../../src/application/list-schedules.ts';
import { ListWindows } from '../../src/application/list-windows.ts';
import type { MaintenanceGate } from '../../src/application/maintenance-gate.ts';
import { ManageSchedules } from '../../src/application/manage-schedules.ts';
import { ManageWindows } from '../../src/application/manage-windows.ts';
import type { AuditLog } from '../../src/application/ports/audit-log.ts';
import type { BatchStore } from '../../src/application/ports/batch-store.ts';
import type { Clock } from '../../src/application/ports/clock.ts';
import type { CronClock } from '../../src/application/ports/cron-clock.ts';
import type { JobStore } from '../../src/application/ports/job-store.ts';
import type { Logger } from '../../src/application/ports/logger.ts';
import type { ScheduleStore } from '../../src/application/ports/schedule-store.ts';
import type { ServerSelection } from '../../src/application/ports/server-selection.ts';
import type { WindowStore } from '../../src/application/ports/window-store.ts';
import type { RequesterActors } from '../../src/application/requester-actors.ts';
import { RunDueSchedules } from '../../src/application/run-due-schedules.ts';
import { RunSchedule } from '../../src/application/run-schedule.ts';
import { StartBatch } from '../../src/application/start-batch.ts';
import { StartScheduledJob } from '../../src/application/start-scheduled-job.ts';
import type { TriggerJob } from '../../src/application/trigger-job.ts';

export interface AutomationParts {
  readonly schedules: ScheduleStore;
  readonly windows: WindowStore;
  readonly selection: ServerSelection;
  readonly batches: BatchStore;
  readonly jobs: JobStore;
  readonly requesters: RequesterActors;
  readonly approvalMs: number;
  readonly audit: AuditLog;
  readonly runners: JobRunners;
  readonly gate: MaintenanceGate;
  readonly cron: CronClock;
  readonly clock: Clock;
  readonly log: Logger;
  readonly refusals: RefusalAuditor;
  readonly trigger: TriggerJob;
  readonly cancel: CancelJob;
  readonly wakeup: JobWakeup;
}

/** Everything about batches, schedules and windows, over the same stores. */
export function automationOf(parts: AutomationParts) {
  const startBatch = new StartBatch(parts);
  const start = new StartScheduledJob({ ...parts, startBatch });
  return {
    startBatch,
    listBatches: new ListBatches(parts),
    getBatch: new GetBatch(parts),
    cancelBatch: new CancelBatch(parts),
    followBatch: new FollowBatch(parts),
    advanceBatches: new AdvanceBatches(parts),
    manageSchedules: new ManageSchedules(parts),
    listSchedules: new ListSchedules(parts),
    getSchedule: new GetSchedule(parts),
    runSchedule: new RunSchedule({ ...parts, start }),
    runDueSchedules: new RunDueSchedules({ ...parts, start }),
    manageWindows: new ManageWindows(parts),
    listWindows: new ListWindows(parts),
  };
}
