import { Actor } from '../../domain/access/actor.ts';
import {
  type Batch,
  type BatchEnd,
  type BatchMember,
  nextStep,
  withStarted,
} from '../../domain/automation/batch.ts';
import { orderStep } from '../../domain/automation/order-step.ts';
import { DomainError, isDomainError } from '../../domain/base/errors.ts';
import { type Instant, SECOND } from '../../domain/base/instant.ts';
import { auditEntry } from '../../domain/events/audit-entry.ts';
import type { JobParams } from '../../domain/jobs/job.ts';
import { shortDetail } from '../../domain/jobs/job-text.ts';
import { UseCase } from '../base/use-case.ts';
import type { CancelJob } from '../jobs/cancel-job.ts';
import { requestOf } from '../jobs/job-params.ts';
import type { RequesterActors } from '../jobs/requester-actors.ts';
import type { TriggerJob } from '../jobs/trigger-job.ts';
import type { MemberSkip, RunningBatch } from '../ports/automation/batch-store.ts';
import type { OrderedBatches } from './ordered-batches.ts';

const PAGE = 50;
/** Maximum steps of one batch per run; each starts or skips at most as many hosts as run at once. */
const MAX_STEPS = 5;
/** A batch that waits for a ring or a window is read this often, since alerts may stop it. */
const ORDER_EVERY_MS = 10 * SECOND;

interface Deps {
  readonly requesters: RequesterActors;
  readonly triggerJob: Pick<TriggerJob, 'execute'>;
  readonly cancelJob: Pick<CancelJob, 'execute'>;
  readonly orderedBatches: Pick<OrderedBatches, 'stateOf'>;
}

/**
 * Advances batches: records how their jobs ended, and starts the next ones. Safe to run in several processes at once.
 */
export class AdvanceBatches extends UseCase<'batches' | 'clock' | 'log' | 'jobs.find', Deps> {
  /** When a batch that waits is read next, if none of its jobs ends earlier. */
  readonly #nextLooks = new Map<number, Instant>();

  /** Whether there is nothing to take on. */
  async isIdle(): Promise<boolean> {
    const page = await this.deps.batches.running(0, PAGE);
    return page.length < PAGE && page.every((each) => this.#hasNothingToDo(each));
  }

  /** Processes every running batch. */
  async execute(signal: AbortSignal): Promise<void> {
    const running = new Set<number>();
    for (let after = 0; ; ) {
      const page = await this.deps.batches.running(after, PAGE);
      for (const found of page) {
        if (signal.aborted) return;
        running.add(found.batch.id);
        await this.#advanceAlone(found, signal);
      }
      if (page.length < PAGE) break;
      after = page.at(-1)?.batch.id ?? after;
    }
    for (const id of this.#nextLooks.keys()) if (!running.has(id)) this.#nextLooks.delete(id);
  }

  #hasNothingToDo(found: RunningBatch): boolean {
    const { batch, ended } = found;
    return ended.length === 0 && (nextStep(batch).do === 'wait' || this.#isResting(batch));
  }

  #isResting({ id, cancelRequestedAt }: Batch): boolean {
    const next = this.#nextLooks.get(id);
    return next !== undefined && cancelRequestedAt === null && this.deps.clock.now() < next;
  }

  /** A failure of one batch must not stop the others. */
  async #advanceAlone(found: RunningBatch, signal: AbortSignal): Promise<void> {
    try {
      await this.#advance(found, signal);
    } catch (error) {
      // Another process took a step, or a user cancelled it: the next run reads the new state.
      if (isDomainError(error, 'lease_lost')) return;
      if (isDomainError(error, 'database_unavailable')) throw error;
      this.deps.log.error('could not advance a batch', { batchId: found.batch.id, error: String(error) });
    }
  }

  async #advance({ batch, ended }: RunningBatch, signal: AbortSignal): Promise<void> {
    if (ended.length === 0 && this.#isResting(batch)) return;
    this.#nextLooks.delete(batch.id);
    let now: Batch | null = ended.length > 0 ? await this.deps.batches.settle(batch, ended) : batch;
    for (let taken = 0; now && taken < MAX_STEPS && !signal.aborted; taken += 1) {
      now = await this.#step(now);
    }
  }

  /** Returns the batch if another step can follow immediately. */
  async #step(batch: Batch): Promise<Batch | null> {
    const step = nextStep(batch);
    if (step.do === 'start' && batch.orders.length > 0) return this.#startOrdered(batch, step.count);
    if (step.do === 'start') {
      return this.#start(batch, await this.deps.batches.waiting(batch.id, step.count));
    }
    if (step.do === 'stop') return this.deps.batches.stop(batch, step.reason);
    if (step.do === 'finish') await this.#finish(batch, step.status);
    if (step.do === 'cancel_jobs') await this.#cancelJobs(batch);
    return null;
  }

  /** Starts those whose turn has come by the order of their policies. */
  async #startOrdered(batch: Batch, count: number): Promise<Batch | null> {
    const state = await this.deps.orderedBatches.stateOf(batch);
    const { start, stops, nextAt } = orderStep(state);
    const [stop] = stops;
    if (stop !== undefined) {
      const left = state.members.filter(
        ({ status, place }) => status === 'waiting' && place?.policyId === stop.policyId,
      );
      return this.deps.batches.stop(
        batch,
        stop.reason,
        left.map(({ serverId }) => serverId),
      );
    }
    if (start.length > 0) return this.#start(batch, start.slice(0, count));
    this.#nextLooks.set(batch.id, Math.min(nextAt ?? Infinity, state.now + ORDER_EVERY_MS));
    return null;
  }

  async #start(
    batch: Batch,
    waiting: readonly Pick<BatchMember, 'serverId' | 'notBefore'>[],
  ): Promise<Batch | null> {
    const now = this.deps.clock.now();
    const due = waiting.filter(({ notBefore }) => notBefore === null || notBefore <= now);
    if (due.length === 0) return null;
    const { requester, requireApproval, approvedBy } = batch;
    const actor = await this.deps.requesters.find(requester, {
      requireApproval,
      approved: approvedBy !== null,
    });
    if (!actor) {
      return this.deps.batches.stop(
        batch,
        `The requester (${batch.requester.label}) may no longer start jobs.`,
      );
    }
    let after = batch;
    const skipped: MemberSkip[] = [];
    for (const member of due) {
      try {
        await this.#startJob(actor, after, member);
        after = withStarted(after);
      } catch (error) {
        if (isDomainError(error) && LOST_RIGHT.has(error.code)) {
          return this.deps.batches.stop(await this.#skip(after, skipped), error.message);
        }
        skipped.push(this.#skipOf(batch, member, error));
      }
    }
    return this.#skip(after, skipped);
  }

  async #startJob(actor: Actor, batch: Batch, { serverId }: Pick<BatchMember, 'serverId'>): Promise<void> {
    const { id, version, jobType, params, outsideWindow, scheduled } = batch;
    const planId = await this.#planOf(params, serverId);
    await this.deps.triggerJob.execute(
      actor,
      { serverId, jobType, ...requestOf(params), outsideWindow, ...(planId === null ? {} : { planId }) },
      { kind: 'batch_member', batchId: id, serverId, version, scheduled },
    );
  }

  /** The dry run that limits a server's job; `null` if the job is not limited. */
  async #planOf({ planBatchId }: JobParams, serverId: number): Promise<number | null> {
    if (planBatchId === undefined) return null;
    const page = { limit: 1, offset: 0 };
    const { items } = await this.deps.batches.members(planBatchId, { serverIds: [serverId] }, page);
    const jobId = items[0]?.jobId ?? null;
    const dryRun = jobId === null ? null : await this.deps.jobs.find(jobId);
    if (dryRun?.status !== 'success')
      throw new DomainError(
        'plan_not_found',
        `Batch ${planBatchId} has no successful dry run of this server.`,
      );
    // A plan that was too long was shown as such, and cannot be used.
    return typeof dryRun.result?.['plan_expires_at'] === 'string' ? dryRun.id : null;
  }

  async #skip(batch: Batch, skipped: readonly MemberSkip[]): Promise<Batch> {
    return skipped.length === 0 ? batch : this.deps.batches.skip(batch, skipped);
  }

  /** Rethrows what makes this process unable to continue. */
  #skipOf(batch: Batch, { serverId }: Pick<BatchMember, 'serverId'>, error: unknown): MemberSkip {
    if (isDomainError(error, 'lease_lost') || isDomainError(error, 'database_unavailable')) throw error;
    if (isDomainError(error)) return { serverId, code: error.code, detail: shortDetail(error.message) };
    this.deps.log.error('a job of a batch could not be started', {
      batchId: batch.id,
      serverId,
      error: error instanceof Error ? error.stack : String(error),
    });
    return { serverId, code: 'internal', detail: 'Internal error. See the service log.' };
  }

  async #cancelJobs({ id }: Batch): Promise<void> {
    const actor = Actor.system(`batch ${id}`);
    for (const jobId of await this.deps.batches.jobsToCancel(id)) {
      await this.deps.cancelJob.execute(actor, jobId).catch((error: unknown) => {
        // It ended, or someone else asked, in the meantime.
        if (!isDomainError(error, 'job_not_cancellable')) throw error;
      });
    }
  }

  async #finish(batch: Batch, status: BatchEnd): Promise<void> {
    const at = this.deps.clock.now();
    await this.deps.batches.finish(batch, status, at, (ended) => ({
      audit: [
        auditEntry(Actor.system('batches'), at, 'batch.finish', `batch:${ended.id}`, {
          status,
          counts: ended.counts,
          ...(ended.stopReason === null ? {} : { reason: ended.stopReason }),
        }),
      ],
    }));
  }
}

/** The caller may start no such job anywhere. */
const LOST_RIGHT: ReadonlySet<DomainError['code']> = new Set([
  'scope_missing',
  'read_scope_missing',
  'feature_not_allowed',
]);
