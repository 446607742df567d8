import type { Batch } from '../../../domain/automation/batch.ts';
import type { Instant } from '../../../domain/base/instant.ts';
import type { Page, PageRequest } from '../../../domain/base/page.ts';
import type { Approval, ApprovalState } from '../../../domain/jobs/approval.ts';
import type { Job, JobError } from '../../../domain/jobs/job.ts';
import type { ChangeRecord } from '../events/change-record.ts';

export interface Decision {
  readonly at: Instant;
  /** Null: nobody, its time was up. */
  readonly by: string | null;
  readonly note: string | null;
}

/** What was decided on, as it is afterwards: a job or a batch. */
export interface DecisionResult {
  readonly approval: Approval;
  readonly job: Job | null;
  readonly batch: Batch | null;
}

/**
 * Requests for approval. `JobStore.enqueue` and `BatchStore.create` write them with what they are for; cancelling that
 * withdraws them. Of several that decide at once, in whatever processes, exactly one gets through: the others are
 * told `approval_decided`.
 */
export interface ApprovalStore {
  find(id: number): Promise<Approval | null>;
  /** Of a job; null where it needed none. */
  ofJob(jobId: number): Promise<Approval | null>;
  /** Newest first. */
  list(filter: { readonly state?: ApprovalState }, page: PageRequest): Promise<Page<Approval>>;
  countWaiting(): Promise<number>;
  /** Those that wait and whose time is up, oldest first. */
  due(now: Instant, limit: number): Promise<readonly Approval[]>;
  /** Names the dry run that is shown with it. Throws `approval_decided`. */
  setPlan(id: number, planJobId: number): Promise<void>;
  /**
   * The job takes its lane and waits for a worker; the batch begins. `planId`: the plan that the job has to keep to.
   * Throws `approval_not_found`, `approval_decided` (also where its time is up), `server_not_found`, `plan_used`, and
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
