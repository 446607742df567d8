import type {
  ApprovalFilter,
  ApprovalStore,
  DecisionResult,
} from '../../../../../application/ports/jobs/approval-store.ts';
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
import { planUsed } from '../../../../../domain/jobs/job.ts';
import { shortDetail } from '../../../../../domain/jobs/job-text.ts';
import { SqlStore } from '../database.ts';
import { orderedBy, pageOf } from '../page.ts';
import { isUniqueViolation } from '../sql-errors.ts';
import { APPROVAL_COLUMNS, type ApprovalRow, toApproval } from '../tables/approval-row.ts';
import {
  approveOnce,
  countVotes,
  DecisionLost,
  decide,
  endBatch,
  endJob,
  findApproval,
  unlessMisjudged,
  written,
} from './approval-decisions.ts';
import { requestForChange, setPlan } from './approval-writes.ts';
import { recordChange } from './record-change.ts';

/** More users than that do not approve one request at the same moment. */
const MAX_ATTEMPTS = 20;

const ORDERS = { since: ['id'], state: ['state', 'id'] } as const;

/** The job or batch comes before its request in every transaction, so that no two wait for each other. */
export class SqlApprovalStore extends SqlStore implements ApprovalStore {
  async find(id: number): Promise<Approval | null> {
    return findApproval(this.database.knex, { id });
  }

  async ofJob(jobId: number): Promise<Approval | null> {
    return findApproval(this.database.knex, { job_id: jobId });
  }

  async list(
    { state, requester, serverId, serverIds }: ApprovalFilter,
    page: PageRequest,
    order: ApprovalOrder = { by: 'since', descending: true },
  ): Promise<Page<Approval>> {
    const query = this.database.knex('approvals');
    if (state !== undefined) query.where({ state });
    if (requester !== undefined) {
      // The index of requesters starts with the state.
      query.whereIn('state', APPROVAL_STATES);
      query.where({ requester_kind: requester.kind, requester_id: requester.id });
    }
    if (serverId !== undefined) query.where({ server_id: serverId });
    if (serverIds) query.whereIn('server_id', serverIds);
    return pageOf(query, page, async (window) => {
      const rows: ApprovalRow[] = await window.select(APPROVAL_COLUMNS).orderBy(orderedBy(order, ORDERS));
      return rows.map(toApproval);
    });
  }

  async countWaiting(serverIds: readonly number[] | null = null): Promise<number> {
    if (serverIds !== null) {
      const page = { limit: 1, offset: 0 };
      return (await this.list({ state: 'waiting', serverIds }, page)).total;
    }
    const [row] = await this.database.rows<{ total: number }>(
      "SELECT COUNT(*) AS total FROM approvals WHERE state = 'waiting'",
      [],
    );
    return row?.total ?? 0;
  }

  async countByState(
    serverIds: readonly number[] | null = null,
  ): Promise<ReadonlyMap<ApprovalState, number>> {
    const query = this.database.knex('approvals');
    if (serverIds !== null) query.whereIn('server_id', serverIds);
    const rows: readonly { readonly state: ApprovalState; readonly requests: number }[] = await query
      .groupBy('state')
      .select('state')
      .count({ requests: '*' });
    return new Map(rows.map(({ state, requests }) => [state, requests]));
  }

  async due(now: Instant, limit: number): Promise<readonly Approval[]> {
    const rows: ApprovalRow[] = await this.database
      .knex('approvals')
      .where({ state: 'waiting' })
      .where('expires_at', '<=', now)
      .orderBy('expires_at')
      .limit(limit)
      .select(APPROVAL_COLUMNS);
    return rows.map(toApproval);
  }

  async setPlan(id: number, planJobId: number, startedBy: string | null): Promise<void> {
    const isSet = await this.database.transaction((trx) => setPlan(trx, id, planJobId, startedBy));
    if (!isSet) throw await this.#lost(id);
  }

  async request(...[asked, terms, seal, record]: Parameters<ApprovalStore['request']>): Promise<Approval> {
    const write = () =>
      this.database.transaction(async (trx) => {
        const { id, isNew } = await requestForChange(trx, asked, terms, seal);
        const approval = await findApproval(trx, { id });
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
    const row = await this.database
      .knex('approvals')
      .where({ id, state: 'waiting' })
      .first<{ change_sealed: string | null } | undefined>('change_sealed');
    return row?.change_sealed ?? null;
  }

  async settle(...[id, { outcome, detail }, record]: Parameters<ApprovalStore['settle']>): Promise<boolean> {
    return this.database.transaction(async (trx) => {
      const settled = await trx('approvals')
        .where({ id, change_outcome: 'running' })
        .update({ change_outcome: outcome, change_detail: detail === null ? null : shortDetail(detail) });
      if (settled > 0) await recordChange(trx, record);
      return settled > 0;
    });
  }

  async unsettled(before: Instant, limit: number): Promise<readonly Approval[]> {
    const rows: ApprovalRow[] = await this.database
      .knex('approvals')
      .where({ change_outcome: 'running' })
      .where('decided_at', '<', before)
      .orderBy('decided_at')
      .limit(limit)
      .select(APPROVAL_COLUMNS);
    return rows.map(toApproval);
  }

  async approve(...[id, decision, record]: Parameters<ApprovalStore['approve']>): Promise<DecisionResult> {
    const { planId } = decision;
    const approval = await this.#waiting(id);
    try {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
        const { isEnough } = await countVotes(this.database.knex, id, decision, false);
        const result = await this.database
          .transaction((trx) => approveOnce(trx, approval, decision, isEnough, record))
          .catch(unlessMisjudged);
        if (result !== null) return result;
      }
      throw new DecisionLost();
    } catch (error) {
      if (error instanceof DecisionLost) throw await this.#lost(id);
      if (planId !== null && isUniqueViolation(error, 'jobs', ['plan_key'])) throw planUsed(planId);
      throw error;
    }
  }

  async end(...[id, decision, record]: Parameters<ApprovalStore['end']>): Promise<DecisionResult> {
    const { jobId, batchId } = await this.#waiting(id);
    try {
      return await this.database.transaction(async (trx) => {
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
