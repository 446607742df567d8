import type { Batch } from '../../../domain/automation/batch.ts';
import type { Instant } from '../../../domain/base/instant.ts';
import type { Page, PageRequest } from '../../../domain/base/page.ts';
import type { Approval, ApprovalState } from '../../../domain/jobs/approval.ts';
import type { Job, JobError } from '../../../domain/jobs/job.ts';
import type { ChangeRecord } from '../events/change-record.ts';

export interface Decision {
  readonly at: Instant;
  /** Null: expired. */
  readonly by: string | null;
  readonly note: string | null;
}

/** What was decided on, in its new state: a job or a batch. */
export interface DecisionResult {
  readonly approval: Approval;
  readonly job: Job | null;
  readonly batch: Batch | null;
}

/**
 * Requests for approval. `JobStore.enqueue` and `BatchStore.create` write them with their job or batch; cancelling
 * that withdraws them. Of several concurrent decisions, in any processes, exactly one succeeds: the others throw
 * `approval_decided`.
 */
export interface ApprovalStore {
  find(id: number): Promise<Approval | null>;
  /** Of a job; null if it needed none. */
  ofJob(jobId: number): Promise<Approval | null>;
  /** Newest first. */
  list(filter: { readonly state?: ApprovalState }, page: PageRequest): Promise<Page<Approval>>;
  countWaiting(): Promise<number>;
  /** Those that wait and whose time is up, oldest first. */
  due(now: Instant, limit: number): Promise<readonly Approval[]>;
  /** Names the dry run that is shown with it. Throws `approval_decided`. */
  setPlan(id: number, planJobId: number): Promise<void>;
  /**
   * The job takes its lane and waits for a worker; the batch starts. `planId`: the plan that binds the job. Throws
   * `approval_not_found`, `approval_decided` (also if it has expired), `server_not_found`, `plan_used`, and
   * `JobAlreadyActive`, after which it waits as before.
   */
  approve(
    id: number,
    decision: Decision & { readonly planId: number | null },
    record: (decided: DecisionResult) => ChangeRecord,
  ): Promise<DecisionResult>;
  /** The job or batch ends as cancelled, with the reason. Throws `approval_not_found`, `approval_decided`. */
  end(
    id: number,
    decision: Decision & { readonly state: 'refused' | 'expired'; readonly reason: JobError },
    record: (decided: DecisionResult) => ChangeRecord,
  ): Promise<DecisionResult>;
}
