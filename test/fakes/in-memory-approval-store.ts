import type { ChangeRecord } from '../../src/application/ports/events/change-record.ts';
import type {
  ApprovalStore,
  Decision,
  DecisionResult,
} from '../../src/application/ports/jobs/approval-store.ts';
import { serverNotFound } from '../../src/domain/access/actor.ts';
import type { ApprovalTerms } from '../../src/domain/access/requester.ts';
import { type Batch, NO_MEMBERS } from '../../src/domain/automation/batch.ts';
import type { Instant } from '../../src/domain/base/instant.ts';
import type { Page, PageRequest } from '../../src/domain/base/page.ts';
import {
  type Approval,
  type ApprovalState,
  approvalDecided,
  approvalNotFound,
  MAX_WAITING,
  requestKey,
  tooManyApprovals,
} from '../../src/domain/jobs/approval.ts';
import { isActive, type Job, JobAlreadyActive, type JobError, planUsed } from '../../src/domain/jobs/job.ts';
import { lanesCollide } from '../../src/domain/jobs/job-types.ts';
import { InMemoryWorld } from './in-memory-world.ts';
import { pageOf } from './page-of.ts';

const waits = ({ state }: Approval): boolean => state === 'waiting';

/** Whether a request may be made; throws as the ports say. */
export function checkRequest(world: InMemoryWorld, { requester }: ApprovalTerms, job?: Job): void {
  const waiting = [...world.approvals.values()].filter(waits);
  const own = waiting.filter(
    (each) =>
      each.requester.kind === requester.kind &&
      each.requester.id === requester.id &&
      each.requester.name === requester.name,
  );
  if (own.length >= MAX_WAITING) throw tooManyApprovals();
  if (!job) return;
  const key = requestKey(job, requester);
  for (const { jobId } of own) {
    const other = jobId === null ? undefined : world.jobs.get(jobId);
    if (other && requestKey(other, requester) === key) throw new JobAlreadyActive(other);
  }
}

export function writeRequest(
  world: InMemoryWorld,
  terms: ApprovalTerms,
  of: Pick<Approval, 'jobId' | 'batchId' | 'serverId' | 'jobType' | 'subject' | 'createdAt'>,
): void {
  const id = world.nextId('approvals');
  world.approvals.set(id, {
    ...of,
    ...terms,
    id,
    state: 'waiting',
    decidedAt: null,
    decidedBy: null,
    note: null,
    planJobId: null,
  });
}

export function withdrawRequest(
  world: InMemoryWorld,
  of: { readonly jobId: number } | { readonly batchId: number },
  at: Instant,
): void {
  for (const approval of world.approvals.values()) {
    const isMeant = 'jobId' in of ? approval.jobId === of.jobId : approval.batchId === of.batchId;
    if (isMeant && waits(approval))
      world.approvals.set(approval.id, { ...approval, state: 'withdrawn', decidedAt: at });
  }
}

export class InMemoryApprovalStore implements ApprovalStore {
  readonly #world: InMemoryWorld;

  constructor(world = new InMemoryWorld()) {
    this.#world = world;
  }

  async find(id: number): Promise<Approval | null> {
    return this.#world.approvals.get(id) ?? null;
  }

  async ofJob(jobId: number): Promise<Approval | null> {
    return this.#all().find((each) => each.jobId === jobId) ?? null;
  }

  async list({ state }: { readonly state?: ApprovalState }, page: PageRequest): Promise<Page<Approval>> {
    return pageOf(
      this.#all()
        .filter((each) => state === undefined || each.state === state)
        .toReversed(),
      page,
    );
  }

  async countWaiting(): Promise<number> {
    return this.#all().filter(waits).length;
  }

  async due(now: Instant, limit: number): Promise<readonly Approval[]> {
    return this.#all()
      .filter((each) => waits(each) && each.expiresAt <= now)
      .slice(0, limit);
  }

  async setPlan(id: number, planJobId: number): Promise<void> {
    this.#world.approvals.set(id, { ...this.#waiting(id), planJobId });
  }

  async approve(
    id: number,
    decision: Decision & { readonly planId: number | null },
    record: (decided: DecisionResult) => ChangeRecord,
  ): Promise<DecisionResult> {
    const approval = this.#waiting(id);
    if (approval.expiresAt <= decision.at) throw approvalDecided(approval);
    const { jobId, batchId } = approval;
    const job = jobId === null ? null : this.#release(jobId, decision.planId);
    const found = batchId === null ? undefined : this.#world.batches.get(batchId);
    const batch: Batch | null = found
      ? { ...found, status: 'running', approvedBy: decision.by, version: found.version + 1 }
      : null;
    return this.#keep({ approval: decided(approval, 'approved', decision), job, batch }, record);
  }

  async end(
    id: number,
    decision: Decision & { readonly state: 'refused' | 'expired'; readonly reason: JobError },
    record: (decided: DecisionResult) => ChangeRecord,
  ): Promise<DecisionResult> {
    const approval = this.#waiting(id);
    const { at, reason } = decision;
    const { jobId, batchId } = approval;
    const found = jobId === null ? undefined : this.#world.jobs.get(jobId);
    const job: Job | null = found
      ? {
          ...found,
          status: 'cancelled',
          current: null,
          summary: reason.detail,
          error: reason,
          finishedAt: at,
        }
      : null;
    const whole = batchId === null ? undefined : this.#world.batches.get(batchId);
    const batch = whole ? this.#leftOut(whole, { stopReason: reason.detail, finishedAt: at }) : null;
    return this.#keep({ approval: decided(approval, decision.state, decision), job, batch }, record);
  }

  #all(): readonly Approval[] {
    return [...this.#world.approvals.values()];
  }

  #waiting(id: number): Approval {
    const approval = this.#world.approvals.get(id);
    if (!approval) throw approvalNotFound(id);
    if (!waits(approval)) throw approvalDecided(approval);
    return approval;
  }

  #release(jobId: number, planId: number | null): Job {
    const job = this.#world.jobs.get(jobId);
    if (!job || !this.#world.servers.has(job.serverId)) throw serverNotFound(job?.serverId ?? 0);
    const others = [...this.#world.jobs.values()].filter(({ id }) => id !== jobId);
    const holder = others.find(
      (other) =>
        other.serverId === job.serverId && isActive(other.status) && lanesCollide(other.lane, job.lane),
    );
    if (holder) throw new JobAlreadyActive(holder);
    if (planId !== null && others.some(({ params }) => params.planId === planId)) throw planUsed(planId);
    const { planId: _, ...params } = job.params;
    return {
      ...job,
      status: 'pending',
      current: null,
      params: planId === null ? params : { ...params, planId },
    };
  }

  #leftOut(batch: Batch, over: Partial<Batch>): Batch {
    const members = this.#world.batchMembers.get(batch.id) ?? [];
    this.#world.batchMembers.set(
      batch.id,
      members.map((each) => (each.status === 'waiting' ? { ...each, status: 'left_out' } : each)),
    );
    const counts = {
      ...NO_MEMBERS,
      left_out: batch.counts.waiting,
      skipped: batch.counts.skipped,
    };
    return { ...batch, ...over, status: 'cancelled', counts, version: batch.version + 1 };
  }

  #keep(after: DecisionResult, record: (decided: DecisionResult) => ChangeRecord): DecisionResult {
    const left = record(after);
    this.#world.approvals.set(after.approval.id, after.approval);
    if (after.job) this.#world.jobs.set(after.job.id, after.job);
    if (after.batch) this.#world.batches.set(after.batch.id, after.batch);
    this.#world.record.write(left);
    return after;
  }
}

const decided = (approval: Approval, state: ApprovalState, { at, by, note }: Decision): Approval => ({
  ...approval,
  state,
  decidedAt: at,
  decidedBy: by,
  note,
});
