import type { Actor } from '../../domain/access/actor.ts';
import type { Batch, BatchMember } from '../../domain/automation/batch.ts';
import type { Page, PageRequest } from '../../domain/base/page.ts';
import { type Approval, type ApprovalState, approvalNotFound } from '../../domain/jobs/approval.ts';
import type { Job } from '../../domain/jobs/job.ts';
import type { BatchStore } from '../ports/automation/batch-store.ts';
import type { ApprovalStore } from '../ports/jobs/approval-store.ts';
import type { JobStore } from '../ports/jobs/job-store.ts';

/** How many hosts of a batch the reviewer sees. */
const HOSTS_SHOWN = 100;

const PLAN_LINES = 200;

export interface ApprovalQuery extends PageRequest {
  readonly state?: ApprovalState | undefined;
}

interface ListApprovalsDeps {
  readonly approvals: ApprovalStore;
}

/** Requests for approval, newest first. For users: a token sees the state of its own jobs. */
export class ListApprovals {
  readonly #deps: ListApprovalsDeps;

  constructor(deps: ListApprovalsDeps) {
    this.#deps = deps;
  }

  async execute(actor: Actor, { state, limit, offset }: ApprovalQuery): Promise<Page<Approval>> {
    actor.requireRole('viewer');
    return this.#deps.approvals.list(state === undefined ? {} : { state }, { limit, offset });
  }

  /** How many wait. */
  async countWaiting(actor: Actor): Promise<number> {
    actor.requireRole('viewer');
    return this.#deps.approvals.countWaiting();
  }
}

/** A request with everything that a reviewer needs. */
export interface ApprovalDetail {
  readonly approval: Approval;
  readonly job: Job | null;
  /** The dry run, as far as it is. */
  readonly plan: Job | null;
  /** The last lines of its log, which list what would change. */
  readonly planLog: readonly string[];
  readonly batch: Batch | null;
  readonly hosts: Page<BatchMember> | null;
}

interface GetApprovalDeps {
  readonly approvals: ApprovalStore;
  readonly jobs: JobStore;
  readonly batches: BatchStore;
}

export class GetApproval {
  readonly #deps: GetApprovalDeps;

  constructor(deps: GetApprovalDeps) {
    this.#deps = deps;
  }

  /** Throws `role_missing`, `approval_not_found`. */
  async execute(actor: Actor, id: number): Promise<ApprovalDetail> {
    actor.requireRole('viewer');
    const approval = await this.#deps.approvals.find(id);
    if (!approval) throw approvalNotFound(id);
    const { jobId, batchId, planJobId } = approval;
    return {
      approval,
      job: jobId === null ? null : await this.#deps.jobs.find(jobId),
      plan: planJobId === null ? null : await this.#deps.jobs.find(planJobId),
      planLog: planJobId === null ? [] : await this.#deps.jobs.tail(planJobId, PLAN_LINES),
      batch: batchId === null ? null : await this.#deps.batches.find(batchId),
      hosts:
        batchId === null
          ? null
          : await this.#deps.batches.members(batchId, {}, { limit: HOSTS_SHOWN, offset: 0 }),
    };
  }

  /** Of a job; null if it needed none. */
  async ofJob(actor: Actor, jobId: number): Promise<Approval | null> {
    actor.requireRole('viewer');
    return this.#deps.approvals.ofJob(jobId);
  }
}
