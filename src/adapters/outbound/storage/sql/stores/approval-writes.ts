import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import type { NewChangeRequest } from '../../../../../application/ports/jobs/approval-store.ts';
import type { ApprovalTerms, Requester } from '../../../../../domain/access/requester.ts';
import type { NewBatch } from '../../../../../domain/automation/batch.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { MAX_WAITING, requestKey, tooManyApprovals } from '../../../../../domain/jobs/approval.ts';
import { JobAlreadyActive, type NewJob } from '../../../../../domain/jobs/job.ts';
import {
  APPROVAL_COLUMNS,
  type ApprovalRow,
  newApprovalColumns,
  newChangeColumns,
  plannersColumn,
  toApproval,
} from '../tables/approval-row.ts';
import { readJob } from './job-reads.ts';

/** Writes the approval request of a job. Throws `JobAlreadyActive` if an identical one is open. */
export async function requestForJob(
  trx: Knex,
  jobId: number,
  job: NewJob,
  terms: ApprovalTerms,
): Promise<void> {
  await refuseMany(trx, terms.requester);
  const { jobType, serverId, serverName: subject, createdAt } = job;
  const request_key = keyOf(job, terms.requester);
  const same = await trx('approvals').where({ request_key }).first<{ job_id: number } | undefined>('job_id');
  const waiting = same && (await readJob(trx('jobs').where({ id: same.job_id })));
  if (waiting) throw new JobAlreadyActive(waiting.job);
  await trx('approvals').insert({
    ...newApprovalColumns(terms, { jobType, subject, createdAt }),
    job_id: jobId,
    server_id: serverId,
    request_key,
  });
}

/** Writes the request of a batch. */
export async function requestForBatch(
  trx: Knex,
  batchId: number,
  { jobType, createdAt }: NewBatch,
  hosts: number,
  terms: ApprovalTerms,
): Promise<void> {
  await refuseMany(trx, terms.requester);
  const subject = hosts === 1 ? '1 server' : `${hosts} servers`;
  await trx('approvals').insert({
    ...newApprovalColumns(terms, { jobType, subject, createdAt }),
    batch_id: batchId,
  });
}

/** Writes the request of a change; returns the id of an identical one that waits instead. */
export async function requestForChange(
  trx: Knex,
  asked: NewChangeRequest,
  terms: ApprovalTerms,
  seal: (id: number) => string,
): Promise<{ readonly id: number; readonly isNew: boolean }> {
  const request_key = createHash('sha256').update(asked.key).digest('hex');
  const same = await trx('approvals').where({ request_key }).first<{ id: number } | undefined>('id');
  if (same) return { id: same.id, isNew: false };
  await refuseMany(trx, terms.requester);
  const [id = 0] = await trx('approvals').insert({ ...newChangeColumns(terms, asked), request_key });
  await trx('approvals')
    .where({ id })
    .update({ change_sealed: seal(id) });
  return { id, isNew: true };
}

/** False if it was decided. */
export async function setPlan(
  trx: Knex,
  id: number,
  planJobId: number,
  startedBy: string | null,
): Promise<boolean> {
  const row: ApprovalRow | undefined = await trx('approvals')
    .where({ id, state: 'waiting' })
    .forUpdate()
    .first(APPROVAL_COLUMNS);
  if (row === undefined) return false;
  const { planners } = toApproval(row);
  const all = startedBy === null ? planners : [...new Set([...planners, startedBy])];
  await trx('approvals')
    .where({ id })
    .update({ plan_job_id: planJobId, ...plannersColumn(all) });
  return true;
}

/** The job or batch is cancelled before a decision. */
export const withdraw = (
  trx: Knex,
  of: { readonly job_id: number } | { readonly batch_id: number },
  at: Instant,
): Promise<number> =>
  trx('approvals')
    .where({ ...of, state: 'waiting' })
    .update({ state: 'withdrawn', decided_at: at, request_key: null });

async function refuseMany(trx: Knex, { kind, id, name }: Requester): Promise<void> {
  const { total } = (await trx('approvals')
    .where({ state: 'waiting', requester_kind: kind, requester_id: id, requester_name: name })
    .count({ total: '*' })
    .first()) as { total: number };
  if (total >= MAX_WAITING) throw tooManyApprovals();
}

const keyOf = (job: NewJob, requester: Requester): string =>
  createHash('sha256').update(requestKey(job, requester)).digest('hex');
