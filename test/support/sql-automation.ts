import type { Database } from '../../src/adapters/outbound/storage/sql/database.ts';
import { CronerClock } from '../../src/adapters/outbound/system/croner-clock.ts';
import { MaintenanceGate } from '../../src/application/automation/maintenance-gate.ts';
import { OrderedBatches } from '../../src/application/automation/ordered-batches.ts';
import { RefusalAuditor } from '../../src/application/events/audit-refusals.ts';
import { ApprovalPlans } from '../../src/application/jobs/approval-plans.ts';
import { CancelJob } from '../../src/application/jobs/cancel-job.ts';
import { JobWakeup } from '../../src/application/jobs/job-wakeup.ts';
import { RequesterActors } from '../../src/application/jobs/requester-actors.ts';
import { type JobRunner, JobRunners } from '../../src/application/jobs/runner.ts';
import { TriggerJob } from '../../src/application/jobs/trigger-job.ts';
import type { Clock } from '../../src/application/ports/base/clock.ts';
import { DAY } from '../../src/domain/base/instant.ts';
import { RecordingLogger } from '../fakes/recording-logger.ts';
import { automationOf } from './automation.ts';
import { sqlStores } from './sql-stores.ts';
import { templateOrders } from './templates.ts';

const runner: JobRunner = {
  types: ['os_update_check', 'backup', 'os_patch'],
  timeLimitMs: 1_000,
  plan: () => Promise.reject(new Error('nothing runs here')),
  apply: () => Promise.reject(new Error('nothing runs here')),
};

/** A clock that a test sets. */
class SetClock implements Clock {
  #now = 0;

  setTo(now: number): void {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  async sleep(): Promise<void> {}
}

/** Schedules and batches on a database, as in one replica; jobs end without running. */
export function sqlAutomation(database: Database) {
  const stores = sqlStores(database);
  const clock = new SetClock();
  const { windows, audit } = stores;
  const cron = new CronerClock();
  const runners = new JobRunners([runner]);
  const gate = new MaintenanceGate({ windows, cron, clock });
  const refusals = new RefusalAuditor({ audit, clock });
  const wakeup = new JobWakeup();
  const plans = new ApprovalPlans({ ...stores, clock, wakeup });
  const requesters = new RequesterActors({ ...stores, clock });
  const waiting = { plans, requesters, approvalMs: DAY };
  const shared = { ...stores, ...waiting, runners, gate, cron, clock, refusals, wakeup };
  const log = new RecordingLogger();
  const trigger = new TriggerJob({ ...shared, orders: templateOrders(shared) });
  const cancel = new CancelJob(shared);
  const orderedBatches = new OrderedBatches(shared);
  const useCases = automationOf({ ...shared, orderedBatches, log, triggerJob: trigger, cancelJob: cancel });
  return {
    stores,
    clock,
    cron,
    log,
    requesters,
    ...useCases,
    due: useCases.runDueSchedules,
    advance: useCases.advanceBatches,
    /** Ends up to this many waiting jobs, like a worker; all of them succeed by default. */
    endJobs: async (
      limit: number,
      fate: (serverName: string) => 'success' | 'failed' = () => 'success',
    ): Promise<number> => {
      const claims = await stores.queue.claim({
        owner: `worker-${process.pid}`,
        leaseMs: 600_000,
        limit,
        at: clock.now(),
        record: () => ({}),
      });
      for (const claim of claims) {
        const outcome = { status: fate(claim.job.serverName), summary: '', error: null, result: null };
        await stores.queue.finish(claim, outcome, clock.now(), () => ({}));
      }
      return claims.length;
    },
  };
}

export type SqlAutomation = ReturnType<typeof sqlAutomation>;
