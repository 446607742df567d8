import type { ApprovalVote, VoteTerms } from '../../../domain/access/approval-rule.ts';
import type { ApprovalTerms, Requester } from '../../../domain/access/requester.ts';
import type { Batch } from '../../../domain/automation/batch.ts';
import type { Instant } from '../../../domain/base/instant.ts';
import type { ApprovalOrder } from '../../../domain/base/list-orders.ts';
import type { Page, PageRequest } from '../../../domain/base/page.ts';
import type { Approval, ApprovalState } from '../../../domain/jobs/approval.ts';
import type { Job, JobError } from '../../../domain/jobs/job.ts';
import type { ChangeRequest } from '../../../domain/jobs/requested-change.ts';
import type { ChangeRecord } from '../events/change-record.ts';

export interface Decision {
  readonly at: Instant;
  /** Null: expired. */
  readonly by: string | null;
  readonly note: string | null;
}

export interface Approving extends Decision {
  readonly planId: number | null;
  /** The user who approves, and what counts; null: this decides alone. */
  readonly voter: (Pick<ApprovalVote, 'userId'> & Omit<VoteTerms, 'planId'>) | null;
}

/** What was decided on, in its new state: a job or a batch. An approval that needs more users still waits. */
export interface DecisionResult {
  readonly approval: Approval;
  readonly job: Job | null;
  readonly batch: Batch | null;
}

export interface ApprovalFilter {
  readonly state?: ApprovalState;
  readonly requester?: Pick<Requester, 'kind' | 'id'>;
  readonly serverId?: number;
  /** Only those about one of these servers, and then no batch; `null` or absent: all. */
  readonly serverIds?: readonly number[] | null;
}

/** The request of a change to store. */
export interface NewChangeRequest {
  readonly serverId: number | null;
  readonly subject: string;
  readonly createdAt: Instant;
  readonly change: Pick<ChangeRequest, 'kind' | 'summary' | 'basis'>;
  /** The same for identical requests of one requester. */
  readonly key: string;
}

/**
 * Requests for approval. `JobStore.enqueue` and `BatchStore.create` write them with their job or batch; cancelling
 * that withdraws them. Of several concurrent decisions, in any processes, exactly one succeeds: the others throw
 * `approval_decided`. The contents of a change are deleted with the decision.
 */
export interface ApprovalStore {
  find(id: number): Promise<Approval | null>;
  /** Of a job; null if it needed none. */
  ofJob(jobId: number): Promise<Approval | null>;
  /** Newest first unless another order is given. */
  list(filter: ApprovalFilter, page: PageRequest, order?: ApprovalOrder): Promise<Page<Approval>>;
  /** `serverIds`: as in the filter. */
  countWaiting(serverIds?: readonly number[] | null): Promise<number>;
  /** States without a request are left out. `serverIds`: as in the filter. */
  countByState(serverIds?: readonly number[] | null): Promise<ReadonlyMap<ApprovalState, number>>;
  /** Those that wait and whose time is up, oldest first. */
  due(now: Instant, limit: number): Promise<readonly Approval[]>;
  /** Names the dry run that is shown with it, and who started it. Throws `approval_decided`. */
  setPlan(id: number, planJobId: number, startedBy: string | null): Promise<void>;
  /**
   * Writes the request of a change with its contents, which `seal` encrypts for the row with this id. If an identical
   * one waits, returns that one and writes nothing. Throws `too_many_approvals`.
   */
  request(
    asked: NewChangeRequest,
    terms: ApprovalTerms,
    seal: (id: number) => string,
    record: (written: Approval) => ChangeRecord,
  ): Promise<Approval>;
  /** The contents of a change that waits; null for anything else. */
  sealedOf(id: number): Promise<string | null>;
  /** Records the result of an approved change; false if it has one already. */
  settle(
    id: number,
    result: { readonly outcome: 'done' | 'failed' | 'unknown'; readonly detail: string | null },
    record: ChangeRecord,
  ): Promise<boolean>;
  /** Changes that were approved before this time and have no result yet, oldest first. */
  unsettled(before: Instant, limit: number): Promise<readonly Approval[]>;
  /**
   * Counts the approval of a user, as they and all who approved before are at this moment: of concurrent approvals,
   * none is lost or counted twice. With enough of them the job takes its lane and waits for a worker; the batch starts;
   * the change is `running`, and its caller makes it. `planId`: the plan that binds the job. Throws
   * `approval_not_found`, `approval_decided` (also if it has expired), `role_missing`, `second_person_required`,
   * `already_approved`, `server_not_found`, `plan_used`, and `JobAlreadyActive`, after which it waits as before.
   */
  approve(
    id: number,
    decision: Approving,
    record: (decided: DecisionResult) => ChangeRecord,
  ): Promise<DecisionResult>;
  /** The job or batch ends as cancelled, with the reason. Throws `approval_not_found`, `approval_decided`. */
  end(
    id: number,
    decision: Decision & { readonly state: 'refused' | 'expired'; readonly reason: JobError },
    record: (decided: DecisionResult) => ChangeRecord,
  ): Promise<DecisionResult>;
}
