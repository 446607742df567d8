import type { Container } from 'inversify';
import { AdvanceBatches } from '../../../application/automation/advance-batches.ts';
import { CancelBatch } from '../../../application/automation/cancel-batch.ts';
import { FollowBatch } from '../../../application/automation/follow-batch.ts';
import { GetBatch, ListBatches } from '../../../application/automation/get-batch.ts';
import { GetSchedule, ListSchedules } from '../../../application/automation/list-schedules.ts';
import { ListWindows } from '../../../application/automation/list-windows.ts';
import { MaintenanceGate } from '../../../application/automation/maintenance-gate.ts';
import { ManageSchedules } from '../../../application/automation/manage-schedules.ts';
import { ManageWindows } from '../../../application/automation/manage-windows.ts';
import { PreviewTimes } from '../../../application/automation/preview-times.ts';
import { RunDueSchedules } from '../../../application/automation/run-due-schedules.ts';
import { RunSchedule } from '../../../application/automation/run-schedule.ts';
import { StartBatch } from '../../../application/automation/start-batch.ts';
import { StartScheduledJob } from '../../../application/automation/start-scheduled-job.ts';
import { bindClass } from '../binding.ts';
import { PORTS, SHARED, USE_CASES, VALUES } from '../tokens.ts';

const { batches, schedules, windows, selection, cron, audit, clock, log } = PORTS;
const { gate, runners, refusals, startScheduledJob: start } = SHARED;

/** Batches, schedules and maintenance windows. */
export function bindAutomation(container: Container): void {
  bindClass(container, gate, MaintenanceGate, { windows, cron, clock });
  bindBatches(container);
  bindSchedules(container);
  bindClass(container, USE_CASES.previewTimes, PreviewTimes, { cron, clock });
  bindClass(container, USE_CASES.manageWindows, ManageWindows, { windows, selection, cron, clock });
  bindClass(container, USE_CASES.listWindows, ListWindows, { gate });
}

function bindBatches(container: Container): void {
  bindClass(container, USE_CASES.startBatch, StartBatch, {
    selection,
    batches,
    runners,
    gate,
    approvalMs: VALUES.approvalMs,
    clock,
    refusals,
    wakeup: SHARED.wakeup,
  });
  bindClass(container, USE_CASES.getBatch, GetBatch, { batches });
  bindClass(container, USE_CASES.listBatches, ListBatches, { batches });
  bindClass(container, USE_CASES.cancelBatch, CancelBatch, { batches, clock, refusals });
  bindClass(container, USE_CASES.followBatch, FollowBatch, { batches, clock });
  bindClass(container, USE_CASES.advanceBatches, AdvanceBatches, {
    batches,
    jobs: PORTS.jobs,
    requesters: SHARED.requesters,
    trigger: USE_CASES.triggerJob,
    cancel: USE_CASES.cancelJob,
    clock,
    log,
  });
}

function bindSchedules(container: Container): void {
  bindClass(container, start, StartScheduledJob, {
    schedules,
    batches,
    trigger: USE_CASES.triggerJob,
    startBatch: USE_CASES.startBatch,
    log,
  });
  bindClass(container, USE_CASES.manageSchedules, ManageSchedules, {
    schedules,
    selection,
    runners,
    cron,
    clock,
    refusals,
    requesters: SHARED.requesters,
  });
  bindClass(container, USE_CASES.listSchedules, ListSchedules, { schedules, cron, clock });
  bindClass(container, USE_CASES.getSchedule, GetSchedule, { schedules, cron, clock });
  bindClass(container, USE_CASES.runSchedule, RunSchedule, { schedules, start, audit, clock, refusals });
  bindClass(container, USE_CASES.runDueSchedules, RunDueSchedules, {
    schedules,
    cron,
    start,
    requesters: SHARED.requesters,
    clock,
    log,
  });
}
