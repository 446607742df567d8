import { Actor } from '../../domain/access/actor.ts';
import { type Instant, tooOldAt } from '../../domain/base/instant.ts';
import { STEPS } from '../../domain/fleet/sample.ts';
import { SAMPLE_STEPS } from '../../domain/fleet/sample-steps.ts';
import { UseCase } from '../base/use-case.ts';
import type { PruneAudit } from '../events/prune-audit.ts';
import type { HistoryStore } from '../ports/service/history-store.ts';

/** How many rows one change takes at most. */
const JOBS = 200;
/** Of up to 64 KiB each. */
const LOG_PIECES = 50;
const MEMBERS = 500;
const CHANGES = 200;
const SAMPLES = 500;
/** Others get their turn between two changes. */
const PAUSE_MS = 25;
/** One run examines 200,000 jobs at most; the next continues there. */
const MAX_READS = 1_000;
const HOUSE_KEEPING = Actor.system('house-keeping');

/** Deletes old jobs, their logs and batches, requests for changes, changes on hosts, and old entries of the audit log, in many small steps. */
export class ForgetHistory extends UseCase<
  'history' | 'clock' | 'kept' | 'inventories.forgetSamples' | 'hostChanges.forget',
  { readonly pruneAudit: Pick<PruneAudit, 'execute'> }
> {
  #after = 0;

  /**
   * Safe to run in several processes at once, and to interrupt anywhere. Throws `audit_broken`, after the rest is
   * done.
   */
  async execute(signal: AbortSignal): Promise<void> {
    const now = this.deps.clock.now();
    const jobsBefore = tooOldAt(now, this.deps.kept.jobs);
    const logsBefore = tooOldAt(now, this.deps.kept.logs);
    if (jobsBefore !== null) {
      await this.#forgetBatches(jobsBefore, signal);
      await this.#untilDone(() => this.deps.history.forgetChanges(jobsBefore, CHANGES), signal);
      await this.#untilDone(() => this.deps.hostChanges.forget(jobsBefore, CHANGES), signal);
    }
    if (jobsBefore !== null || logsBefore !== null)
      await this.#forgetJobs({ jobsBefore, logsBefore }, signal);
    for (const step of STEPS) {
      const before = now - SAMPLE_STEPS[step].keptMs;
      await this.#untilDone(() => this.deps.inventories.forgetSamples(step, before, SAMPLES), signal);
    }
    const auditBefore = tooOldAt(now, this.deps.kept.audit);
    if (auditBefore !== null) await this.deps.pruneAudit.execute(HOUSE_KEEPING, auditBefore, signal);
  }

  async #forgetBatches(before: Instant, signal: AbortSignal): Promise<void> {
    for (let after: number | null = 0; after !== null && !signal.aborted; ) {
      const { batches, next } = await this.deps.history.oldBatches(before, after, JOBS);
      for (const id of batches)
        await this.#untilDone(() => this.deps.history.forgetBatch(id, MEMBERS), signal);
      after = next;
    }
  }

  async #forgetJobs(rule: Parameters<HistoryStore['oldJobs']>[0], signal: AbortSignal): Promise<void> {
    for (let look = 0; look < MAX_READS && !signal.aborted; look += 1) {
      const { jobs, logs, next } = await this.deps.history.oldJobs(rule, this.#after, JOBS);
      for (const id of logs) await this.#untilDone(() => this.deps.history.forgetLog(id, LOG_PIECES), signal);
      if (signal.aborted) return;
      if (jobs.length > 0) {
        await this.deps.history.forgetJobs(jobs);
        await this.deps.clock.sleep(PAUSE_MS, signal);
      }
      this.#after = next ?? 0;
      if (next === null) return;
    }
  }

  async #untilDone(step: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await step())) await this.deps.clock.sleep(PAUSE_MS, signal);
  }
}
