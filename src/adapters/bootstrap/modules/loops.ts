import { ForgetSignIns } from '../../../application/access/forget-sign-ins.ts';
import { AdvanceBatches } from '../../../application/automation/advance-batches.ts';
import { RestartUnhealthy } from '../../../application/automation/restart-unhealthy.ts';
import { RunDueSchedules } from '../../../application/automation/run-due-schedules.ts';
import { SweepSnapshotStore } from '../../../application/backups/sweep-snapshot-store.ts';
import { ForgetRequests } from '../../../application/base/forget-requests.ts';
import { DeliverMessages } from '../../../application/events/deliver-messages.ts';
import { ForgetEvents } from '../../../application/events/forget-events.ts';
import { HandOutEvents } from '../../../application/events/hand-out-events.ts';
import { PublishToHomeAssistant } from '../../../application/events/publish-to-home-assistant.ts';
import { RecordReads } from '../../../application/events/record-reads.ts';
import { SealAudit } from '../../../application/events/seal-audit.ts';
import { SendHeartbeats } from '../../../application/events/send-heartbeats.ts';
import { WeeklyReports } from '../../../application/events/weekly-reports.ts';
import { JailSweep } from '../../../application/files/jail-sweep.ts';
import { RefreshDueInventories } from '../../../application/fleet/refresh-due-inventories.ts';
import { WatchConditions } from '../../../application/fleet/watch-conditions.ts';
import { ClaimJobs } from '../../../application/jobs/claim-jobs.ts';
import { ExpireApprovals } from '../../../application/jobs/expire-approvals.ts';
import { RunClaimedJob } from '../../../application/jobs/run-claimed-job.ts';
import { SweepJobs } from '../../../application/jobs/sweep-jobs.ts';
import { ForgetHistory } from '../../../application/service/forget-history.ts';
import { Dispatcher } from '../../inbound/worker/dispatcher.ts';
import { Housekeeping } from '../../inbound/worker/housekeeping.ts';
import { JobLoop } from '../../inbound/worker/job-loop.ts';
import { Messenger } from '../../inbound/worker/messenger.ts';
import type { Core } from '../core.ts';

/** Background work of a running service. */
export interface Loops {
  start(): void;
  /** Nothing new starts from the first moment on. The process counts as alive until everything has ended. */
  stop(): Promise<void>;
}

export function loopsOf(core: Core): Loops {
  const { clock, log, owner, wakeup, replicas, leases, processes, clockWatch, box, version } = core.parts;
  const housekeeping = new Housekeeping({
    replicas,
    leases,
    processes,
    box,
    clockWatch,
    sweep: core.get(SweepJobs),
    approvals: core.get(ExpireApprovals),
    audit: core.get(SealAudit),
    reads: core.get(RecordReads),
    snapshotStore: core.get(SweepSnapshotStore),
    inventories: core.get(RefreshDueInventories),
    health: core.get(RestartUnhealthy),
    jails: core.get(JailSweep),
    requests: core.get(ForgetRequests),
    signIns: core.get(ForgetSignIns),
    history: core.get(ForgetHistory),
    clock,
    log,
    version,
  });
  const others = [
    new JobLoop({
      claim: core.get(ClaimJobs),
      run: core.get(RunClaimedJob),
      wakeup,
      clock,
      log,
      concurrency: core.parts.concurrency,
      metrics: core.parts.processMetrics,
    }),
    new Dispatcher({
      schedules: core.get(RunDueSchedules),
      batches: core.get(AdvanceBatches),
      wakeup,
      leases,
      owner,
      clock,
      log,
    }),
    new Messenger({
      watch: core.get(WatchConditions),
      handOut: core.get(HandOutEvents),
      deliver: core.get(DeliverMessages),
      heartbeats: core.get(SendHeartbeats),
      homeAssistant: core.get(PublishToHomeAssistant),
      reports: core.get(WeeklyReports),
      forget: core.get(ForgetEvents),
      clockWatch,
      leases,
      owner,
      clock,
      log,
    }),
  ];
  return {
    start: () => {
      for (const loop of [housekeeping, ...others]) loop.start();
    },
    stop: async () => {
      await Promise.all(others.map((loop) => loop.stop()));
      await housekeeping.stop();
    },
  };
}
