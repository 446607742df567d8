import type { Knex } from 'knex';
import type { ChangeRecord } from '../../../../../application/ports/events/change-record.ts';
import type {
  ApprovalFilter,
  ApprovalStore,
  Decision,
  DecisionResult,
  NewChangeRequest,
} from '../../../../../application/ports/jobs/approval-store.ts';
import { serverNotFound } from '../../../../../domain/access/actor.ts';
import type { ApprovalTerms } from '../../../../../domain/access/requester.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import type { ApprovalOrder } from '../../../../../domain/base/list-orders.ts';
import type { Page, PageRequest } from '../../../../../domain/base/page.ts';
import {
  APPROVAL_STATES,
  type Approval,
  type ApprovalState,
  approvalDecided,
  approvalNotFound,
} from '../../../../../domain/jobs/approval.ts';
import {
  JobAlreadyActive,
  type JobError,
  type JobParams,
  jobNotFound,
  planUsed,
} from '../../../../../domain/jobs/job.ts';
import { shortDetail, shortSummary } from '../../../../../domain/jobs/job-text.ts';
import { lanesCollide } from '../../../../../domain/jobs/job-types.ts';
import type { Database } from '../database.ts';
import { orderedBy, pageOf } from '../page.ts';
import { isUniqueViolation } from '../sql-errors.ts';
import { APPROVAL_COLUMNS, type ApprovalRow, toApproval } from '../tables/approval-row.ts';
import { requestForChange } from './approval-writes.ts';
import { findBatch, leaveOut } from './batch-reads.ts';
import { activeJobs, laneKey, lockLanes } from './job-lanes.ts';
import { readJob } from './job-reads.ts';
import { recordChange } from './record-change.ts';

const ORDERS = { since: ['id'], state: ['state', 'id'] } as const;

/** The job or batch comes before its request in every transaction, so that no two wait for each other. */
export class SqlApprovalStore implements ApprovalStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async find(id: number): Promise<Approval | null> {
    return find(this.#database.knex, { id });
  }

  async ofJob(jobId: number): Promise<Approval | null> {
    return find(this.#database.knex, { job_id: jobId });
  }

  async list(
    { state, requester, serverId }: ApprovalFilter,
    page: PageRequest,
    order: ApprovalOrder = { by: 'since', descending: true },
  ): Promise<Page<Approval>> {
    const query = this.#database.knex('approvals');
    if (state !== undefined) query.where({ state });
    if (requester !== undefined) {
      // The index of requesters starts with the state.
      query.whereIn('state', APPROVAL_STATES);
      query.where({ requester_kind: requester.kind, requester_id: requester.id });
    }
    if (serverId !== undefined) query.where({ server_id: serverId });
    return pageOf(query, page, async (window) => {
      const rows: ApprovalRow[] = await window.select(APPROVAL_COLUMNS).orderBy(orderedBy(order, ORDERS));
      return rows.map(toApproval);
    });
  }

  async countWaiting(): Promise<number> {
    const [row] = await this.#database.rows<{ total: number }>(
      "SELECT COUNT(*) AS total FROM approvals WHERE state = 'waiting'",
      [],
    );
    return row?.total ?? 0;
  }

  async due(now: Instant, limit: number): Promise<readonly Approval[]> {
    const rows: ApprovalRow[] = await this.#database
      .knex('approvals')
      .where({ state: 'waiting' })
      .where('expires_at', '<=', now)
      .orderBy('expires_at')
      .limit(limit)
      .select(APPROVAL_COLUMNS);
    return rows.map(toApproval);
  }

  async setPlan(id: number, planJobId: number): Promise<void> {
    const set = await this.#database.write((knex) =>
      knex('approvals').where({ id, state: 'waiting' }).update({ plan_job_id: planJobId }),
    );
    if (set === 0) throw await this.#lost(id);
  }

  async request(
    asked: NewChangeRequest,
    terms: ApprovalTerms,
    seal: (id: number) => string,
    record: (written: Approval) => ChangeRecord,
  ): Promise<Approval> {
    const write = () =>
      this.#database.transaction(async (trx) => {
        const { id, isNew } = await requestForChange(trx, asked, terms, seal);
        const approval = await find(trx, { id });
        if (!approval) throw approvalNotFound(id);
        if (isNew) await recordChange(trx, record(approval));
        return approval;
      });
    return write().catch((error: unknown) => {
      // An identical request was written just now, and is found this time.
      if (isUniqueViolation(error, 'approvals', ['request_key'])) return write();
      throw error;
    });
  }

  async sealedOf(id: number): Promise<string | null> {
    const row = await this.#database
      .knex('approvals')
      .where({ id, state: 'waiting' })
      .first<{ change_sealed: string | null } | undefined>('change_sealed');
    return row?.change_sealed ?? null;
  }

  async settle(
    id: number,
    { outcome, detail }: { readonly outcome: 'done' | 'failed' | 'unknown'; readonly detail: string | null },
    record: ChangeRecord,
  ): Promise<boolean> {
    return this.#database.transaction(async (trx) => {
      const settled = await trx('approvals')
        .where({ id, change_outcome: 'running' })
        .update({ change_outcome: outcome, change_detail: detail === null ? null : shortDetail(detail) });
      if (settled > 0) await recordChange(trx, record);
      return settled > 0;
    });
  }

  async unsettled(before: Instant, limit: number): Promise<readonly Approval[]> {
    const rows: ApprovalRow[] = await this.#database
      .knex('approvals')
      .where({ change_outcome: 'running' })
      .where('decided_at', '<', before)
      .orderBy('decided_at')
      .limit(limit)
      .select(APPROVAL_COLUMNS);
    return rows.map(toApproval);
  }

  async approve(
    id: number,
    decision: Decision & { readonly planId: number | null },
    record: (decided: DecisionResult) => ChangeRecord,
  ): Promise<DecisionResult> {
    const { planId } = decision;
    const { jobId, batchId, serverId, change } = await this.#waiting(id);
    try {
      return await this.#database.transaction(async (trx) => {
        if (jobId !== null && serverId !== null) await releaseJob(trx, { jobId, serverId, planId });
        else if (batchId !== null) await releaseBatch(trx, batchId, decision.by);
        const taken = await decide(trx, id, 'approved', decision).where('expires_at', '>', decision.at);
        if (taken === 0) throw new DecisionLost();
        if (change !== null) await trx('approvals').where({ id }).update({ change_outcome: 'running' });
        return written(trx, id, record);
      });
    } catch (error) {
      if (error instanceof DecisionLost) throw await this.#lost(id);
      if (planId !== null && isUniqueViolation(error, 'jobs', ['plan_key'])) throw planUsed(planId);
      throw error;
    }
  }

  async end(
    id: number,
    decision: Decision & { readonly state: 'refused' | 'expired'; readonly reason: JobError },
    record: (decided: DecisionResult) => ChangeRecord,
  ): Promise<DecisionResult> {
    const { jobId, batchId } = await this.#waiting(id);
    try {
      return await this.#database.transaction(async (trx) => {
        if (jobId !== null) await endJob(trx, jobId, decision);
        else if (batchId !== null) await endBatch(trx, batchId, decision);
        if ((await decide(trx, id, decision.state, decision)) === 0) throw new DecisionLost();
        return written(trx, id, record);
      });
    } catch (error) {
      if (error instanceof DecisionLost) throw await this.#lost(id);
      throw error;
    }
  }

  async #waiting(id: number): Promise<Approval> {
    const approval = await this.find(id);
    if (!approval) throw approvalNotFound(id);
    if (approval.state !== 'waiting') throw approvalDecided(approval);
    return approval;
  }

  async #lost(id: number): Promise<Error> {
    const approval = await this.find(id);
    return approval ? approvalDecided(approval) : approvalNotFound(id);
  }
}

/** Someone else decided: undoes the transaction. */
class DecisionLost extends Error {}

async function find(knex: Knex, which: object): Promise<Approval | null> {
  const row = await knex('approvals').where(which).first<ApprovalRow | undefined>(APPROVAL_COLUMNS);
  return row ? toApproval(row) : null;
}

const decide = (
  trx: Knex,
  id: number,
  state: ApprovalState,
  { at, by, note }: Decision,
): Knex.QueryBuilder<object, number> =>
  trx('approvals')
    .where({ id, state: 'waiting' })
    .update({ state, decided_at: at, decided_by: by, note, request_key: null, change_sealed: null });

/** As an enqueue: the lanes of the server are decided on by one transaction after the other. */
async function releaseJob(
  trx: Knex,
  {
    jobId,
    serverId,
    planId,
  }: { readonly jobId: number; readonly serverId: number; readonly planId: number | null },
): Promise<void> {
  if (!(await lockLanes(trx, serverId))) throw serverNotFound(serverId);
  const found = await readJob(trx('jobs').where({ id: jobId }).forUpdate());
  if (!found) throw jobNotFound(jobId);
  if (found.job.status !== 'awaiting_approval') throw new DecisionLost();
  const { lane, params } = found.job;
  const holder = (await activeJobs(trx, serverId)).find((active) => lanesCollide(active.lane, lane));
  if (holder) throw new JobAlreadyActive(holder);
  await trx('jobs')
    .where({ id: jobId })
    .update({
      status: 'pending',
      lane_key: laneKey(serverId, lane),
      params: JSON.stringify(withPlan(params, planId)),
      plan_key: planId,
      current: null,
    });
}

function withPlan(asked: JobParams, planId: number | null): JobParams {
  const { planId: _, ...params } = asked;
  return planId === null ? params : { ...params, planId };
}

async function releaseBatch(trx: Knex, id: number, by: string | null): Promise<void> {
  const begun = await trx('batches')
    .where({ id, status: 'awaiting_approval' })
    .update({ status: 'running', approved_by: by, version: trx.raw('version + 1') });
  if (begun === 0) throw new DecisionLost();
}

async function endJob(
  trx: Knex,
  id: number,
  { at, reason }: { readonly at: Instant; readonly reason: JobError },
): Promise<void> {
  const ended = await trx('jobs')
    .where({ id, status: 'awaiting_approval' })
    .update({
      status: 'cancelled',
      current: null,
      summary: shortSummary(reason.detail),
      error_code: reason.code,
      error_detail: shortDetail(reason.detail),
      finished_at: at,
    });
  if (ended === 0) throw new DecisionLost();
}

async function endBatch(
  trx: Knex,
  id: number,
  { at, reason }: { readonly at: Instant; readonly reason: JobError },
): Promise<void> {
  const ended = await trx('batches')
    .where({ id, status: 'awaiting_approval' })
    .update({
      status: 'cancelled',
      stop_reason: shortDetail(reason.detail),
      finished_at: at,
      version: trx.raw('version + 1'),
    });
  if (ended === 0) throw new DecisionLost();
  await leaveOut(trx, id);
}

async function written(
  trx: Knex,
  id: number,
  record: (decided: DecisionResult) => ChangeRecord,
): Promise<DecisionResult> {
  const approval = await find(trx, { id });
  if (!approval) throw approvalNotFound(id);
  const { jobId, batchId } = approval;
  const job = jobId === null ? null : ((await readJob(trx('jobs').where({ id: jobId })))?.job ?? null);
  const decided = { approval, job, batch: batchId === null ? null : await findBatch(trx, batchId) };
  await recordChange(trx, record(decided));
  return decided;
}
