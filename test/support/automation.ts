import { AdvanceBatches } from '../../src/application/automation/advance-batches.ts';
import { CancelBatch } from '../../src/application/automation/cancel-batch.ts';
import { FollowBatch } from '../../src/application/automation/follow-batch.ts';
import { GetBatch, ListBatches } from '../../src/application/automation/get-batch.ts';
import { GetSchedule, ListSchedules } from '../../src/application/automation/list-schedules.ts';
import { ListWindows } from '../../src/application/automation/list-windows.ts';
import type { MaintenanceGate } from '../../src/application/automation/maintenance-gate.ts';
import { ManageSchedules } from '../../src/application/automation/manage-schedules.ts';
import { ManageWindows } from '../../src/application/automation/manage-windows.ts';
import { NightlyBackup } from '../../src/application/automation/nightly-backup.ts';
import type { OrderedBatches } from '../../src/application/automation/ordered-batches.ts';
import { RunDueSchedules } from '../../src/application/automation/run-due-schedules.ts';
import { RunSchedule } from '../../src/application/automation/run-schedule.ts';
import { StartBatch } from '../../src/application/automation/start-batch.ts';
import { StartScheduledJob } from '../../src/application/automation/start-scheduled-job.ts';
import type { RefusalAuditor } from '../../src/application/events/audit-refusals.ts';
import type { CancelJob } from '../../src/application/jobs/cancel-job.ts';
import type { JobWakeup } from '../../src/application/jobs/job-wakeup.ts';
import type { RequesterActors } from '../../src/application/jobs/requester-actors.ts';
import type { JobRunners } from '../../src/application/jobs/runner.ts';
import type { TriggerJob } from '../../src/application/jobs/trigger-job.ts';
import type { BatchStore } from '../../src/application/ports/automation/batch-store.ts';
import type { CronClock } from '../../src/application/ports/automation/cron-clock.ts';
import type { PolicyStore } from '../../src/application/ports/automation/policy-store.ts';
import type { ScheduleStore } from '../../src/application/ports/automation/schedule-store.ts';
import type { WindowStore } from '../../src/application/ports/automation/window-store.ts';
import type { Clock } from '../../src/application/ports/base/clock.ts';
import type { Logger } from '../../src/application/ports/base/logger.ts';
import type { AuditLog } from '../../src/application/ports/events/audit-log.ts';
import type { ServerSelection } from '../../src/application/ports/fleet/server-selection.ts';
import type { ServerStore } from '../../src/application/ports/fleet/server-store.ts';
import type { JobStore } from '../../src/application/ports/jobs/job-store.ts';

export interface AutomationParts {
  readonly schedules: ScheduleStore;
  readonly windows: WindowStore;
  readonly selection: ServerSelection;
  readonly servers: ServerStore;
  readonly batches: BatchStore;
  readonly jobs: JobStore;
  readonly requesters: RequesterActors;
  readonly approvalMs: number;
  readonly audit: AuditLog;
  readonly runners: JobRunners;
  readonly gate: MaintenanceGate;
  readonly policies: PolicyStore;
  readonly orderedBatches: OrderedBatches;
  readonly cron: CronClock;
  readonly clock: Clock;
  readonly log: Logger;
  readonly refusals: RefusalAuditor;
  readonly triggerJob: TriggerJob;
  readonly cancelJob: CancelJob;
  readonly wakeup: JobWakeup;
}

/** Everything about batches, schedules and windows, over the same stores. */
export function automationOf(parts: AutomationParts) {
  const startBatch = new StartBatch(parts);
  const start = new StartScheduledJob({ ...parts, startBatch });
  const manageSchedules = new ManageSchedules(parts);
  const listSchedules = new ListSchedules(parts);
  return {
    nightlyBackup: new NightlyBackup({ listSchedules, manageSchedules }),
    startBatch,
    listBatches: new ListBatches(parts),
    getBatch: new GetBatch(parts),
    cancelBatch: new CancelBatch(parts),
    followBatch: new FollowBatch(parts),
    advanceBatches: new AdvanceBatches(parts),
    manageSchedules,
    listSchedules,
    getSchedule: new GetSchedule(parts),
    runSchedule: new RunSchedule({ ...parts, startScheduledJob: start }),
    runDueSchedules: new RunDueSchedules({ ...parts, startScheduledJob: start }),
    manageWindows: new ManageWindows(parts),
    listWindows: new ListWindows(parts),
  };
}
