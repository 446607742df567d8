import type { Container } from 'inversify';
import { Dispatcher } from '../../inbound/worker/dispatcher.ts';
import { Housekeeping } from '../../inbound/worker/housekeeping.ts';
import { JobLoop } from '../../inbound/worker/job-loop.ts';
import { Messenger } from '../../inbound/worker/messenger.ts';
import { bindClass } from '../binding.ts';
import { LOOPS, PORTS, SHARED, USE_CASES, VALUES } from '../tokens.ts';

/** What a running service does by itself. */
export function bindLoops(container: Container): void {
  const { clock, log, replicas, leases, processes } = PORTS;
  bindClass(container, LOOPS.jobLoop, JobLoop, {
    claim: USE_CASES.claimJobs,
    run: USE_CASES.runClaimedJob,
    wakeup: SHARED.wakeup,
    clock,
    log,
    concurrency: VALUES.concurrency,
    metrics: SHARED.processMetrics,
  });
  bindClass(container, LOOPS.housekeeping, Housekeeping, {
    replicas,
    leases,
    processes,
    box: PORTS.box,
    clockWatch: SHARED.clockWatch,
    sweep: USE_CASES.sweepJobs,
    approvals: USE_CASES.expireApprovals,
    audit: USE_CASES.sealAudit,
    snapshotStore: USE_CASES.sweepSnapshotStore,
    inventories: USE_CASES.refreshDueInventories,
    jails: USE_CASES.jailSweep,
    requests: USE_CASES.forgetRequests,
    signIns: USE_CASES.forgetSignIns,
    history: USE_CASES.forgetHistory,
    clock,
    log,
    version: VALUES.version,
  });
  bindClass(container, LOOPS.dispatcher, Dispatcher, {
    schedules: USE_CASES.runDueSchedules,
    batches: USE_CASES.advanceBatches,
    wakeup: SHARED.wakeup,
    leases,
    owner: VALUES.owner,
    clock,
    log,
  });
  bindClass(container, LOOPS.messenger, Messenger, {
    watch: USE_CASES.watchConditions,
    handOut: USE_CASES.handOutEvents,
    deliver: USE_CASES.deliverMessages,
    forget: USE_CASES.forgetEvents,
    clockWatch: SHARED.clockWatch,
    leases,
    owner: VALUES.owner,
    clock,
    log,
  });
}
