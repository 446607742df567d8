import type { Knex } from 'knex';
import type { ChangeRecord } from '../../../../../application/ports/events/change-record.ts';
import type {
  Approving,
  Decision,
  DecisionResult,
} from '../../../../../application/ports/jobs/approval-store.ts';
import { serverNotFound } from '../../../../../domain/access/actor.ts';
import {
  type ApprovalVote,
  alreadyApproved,
  approverRoleMissing,
  countingVotes,
  secondPersonRequired,
  voteFault,
  votersOn,
  withVote,
} from '../../../../../domain/access/approval-rule.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { type Approval, type ApprovalState, approvalNotFound } from '../../../../../domain/jobs/approval.ts';
import {
  JobAlreadyActive,
  type JobError,
  type JobParams,
  jobNotFound,
} from '../../../../../domain/jobs/job.ts';
import { shortDetail, shortSummary } from '../../../../../domain/jobs/job-text.ts';
import { lanesCollide } from '../../../../../domain/jobs/job-types.ts';
import { APPROVAL_COLUMNS, type ApprovalRow, toApproval, votesColumn } from '../tables/approval-row.ts';
import { USERS, type UserRow } from '../tables/user-row.ts';
import { findBatch, leaveOut } from './batch-reads.ts';
import { activeJobs, laneKey, lockLanes } from './job-lanes.ts';
import { readJob } from './job-reads.ts';
import { recordChange } from './record-change.ts';
import { usersOf } from './server-roles.ts';

/** Someone else decided: undoes the transaction. */
export class DecisionLost extends Error {}

/** Others approved in the meantime: undoes the transaction, which is tried again. */
class Misjudged extends Error {}

export function unlessMisjudged(error: unknown): null {
  if (error instanceof Misjudged) return null;
  throw error;
}

interface VoteCount {
  readonly votes: readonly ApprovalVote[];
  readonly isEnough: boolean;
}

/**
 * With this approval. `lock`: the request, and the users who approved, stay as they are until the transaction ends.
 * Throws what the store's `approve` does if this one does not count.
 */
export async function countVotes(
  knex: Knex,
  id: number,
  { voter, by, at, planId }: Approving,
  lock: boolean,
): Promise<VoteCount> {
  const locked = (query: Knex.QueryBuilder) => (lock ? query.forUpdate() : query);
  const row: ApprovalRow | undefined = await locked(knex('approvals').where({ id })).first(APPROVAL_COLUMNS);
  if (row === undefined) throw new DecisionLost();
  const { state, votes: before, planners, serverId } = toApproval(row);
  if (state !== 'waiting') throw new DecisionLost();
  if (voter === null) return { votes: before, isEnough: true };
  const { userId, rule, barred } = voter;
  const terms = { rule, planId, barred: [...barred, ...planners] };
  const vote = { userId, label: by ?? '', planId, at };
  const votes = withVote(before, vote);
  const ids = votes.map((each) => each.userId);
  const users: UserRow[] = await locked(knex('users').whereIn('id', ids).orderBy('id')).select(USERS.names);
  const voters = votersOn(serverId, await usersOf(knex, users));
  const fault = voteFault(vote, terms, voters);
  if (fault === 'role') throw approverRoleMissing(rule);
  if (fault === 'second person') {
    throw secondPersonRequired(
      'Someone else has to approve this: you started its dry run, asked for it, or know the secret of its token.',
    );
  }
  const counting = countingVotes(votes, terms, voters);
  const missing = rule.approvers - counting.length;
  if (missing > 0 && before.some((each) => each.userId === userId && each.planId === planId)) {
    throw alreadyApproved(id, missing);
  }
  return missing > 0 ? { votes, isEnough: false } : { votes: counting, isEnough: true };
}

/**
 * `decides`: what `countVotes` found before. The job or batch is locked before its request, so whether it starts has to
 * be known first.
 */
export async function approveOnce(
  trx: Knex,
  { id, jobId, batchId, serverId, change }: Approval,
  decision: Approving,
  decides: boolean,
  record: (decided: DecisionResult) => ChangeRecord,
): Promise<DecisionResult> {
  const { planId, by, at } = decision;
  if (decides) {
    if (jobId !== null && serverId !== null) await releaseJob(trx, { jobId, serverId, planId });
    else if (batchId !== null) await releaseBatch(trx, batchId, by);
  }
  const { votes, isEnough } = await countVotes(trx, id, decision, true);
  if (isEnough !== decides) throw new Misjudged();
  const columns = votesColumn(votes);
  const taken = await (decides
    ? decide(trx, id, 'approved', decision, columns)
    : trx('approvals').where({ id, state: 'waiting' }).update(columns)
  ).where('expires_at', '>', at);
  if (taken === 0) throw new DecisionLost();
  if (decides && change !== null) await trx('approvals').where({ id }).update({ change_outcome: 'running' });
  return written(trx, id, record);
}

export async function findApproval(knex: Knex, which: object): Promise<Approval | null> {
  const row = await knex('approvals').where(which).first<ApprovalRow | undefined>(APPROVAL_COLUMNS);
  return row ? toApproval(row) : null;
}

export const decide = (
  trx: Knex,
  id: number,
  state: ApprovalState,
  { at, by, note }: Decision,
  votes: object = {},
): Knex.QueryBuilder<object, number> =>
  trx('approvals')
    .where({ id, state: 'waiting' })
    .update({
      state,
      decided_at: at,
      decided_by: by,
      note,
      request_key: null,
      change_sealed: null,
      ...votes,
    });

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

export async function endJob(
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

export async function endBatch(
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

export async function written(
  trx: Knex,
  id: number,
  record: (decided: DecisionResult) => ChangeRecord,
): Promise<DecisionResult> {
  const approval = await findApproval(trx, { id });
  if (!approval) throw approvalNotFound(id);
  const { jobId, batchId } = approval;
  const job = jobId === null ? null : ((await readJob(trx('jobs').where({ id: jobId })))?.job ?? null);
  const decided = { approval, job, batch: batchId === null ? null : await findBatch(trx, batchId) };
  await recordChange(trx, record(decided));
  return decided;
}
