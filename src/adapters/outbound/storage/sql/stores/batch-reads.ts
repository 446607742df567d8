import type { Knex } from 'knex';
import type { Batch, BatchMember } from '../../../../../domain/automation/batch.ts';
import { BATCH_COLUMNS, type BatchRow, countColumn, toBatch } from '../tables/batch-row.ts';
import { errorCode } from '../tables/job-row.ts';

export async function findBatch(knex: Knex, id: number): Promise<Batch | null> {
  const row = await knex('batches').where({ id }).first<BatchRow | undefined>(BATCH_COLUMNS);
  return row ? toBatch(row) : null;
}

/** All hosts that wait get no job; or only those of the given servers. */
export async function leaveOut(trx: Knex, id: number, serverIds?: readonly number[]): Promise<void> {
  const waiting = trx('batch_members').where({ batch_id: id, status: 'waiting' });
  if (serverIds) waiting.whereIn('server_id', serverIds);
  const count = await waiting.update({ status: 'left_out' });
  await trx('batches').where({ id }).decrement(countColumn('waiting'), count);
  await trx('batches').where({ id }).increment(countColumn('left_out'), count);
}

interface FailureRow {
  readonly id: number;
  readonly error_code: string;
  readonly error_detail: string | null;
}

/** Failed members show their jobs' errors: one more query for a page that has any. */
export async function withFailures(
  knex: Knex,
  members: readonly BatchMember[],
): Promise<readonly BatchMember[]> {
  const failed = members.flatMap(({ status, jobId }) =>
    status === 'failed' && jobId !== null ? [jobId] : [],
  );
  if (failed.length === 0) return members;
  const rows: FailureRow[] = await knex('jobs')
    .whereIn('id', failed)
    .whereNotNull('error_code')
    .select(['id', 'error_code', 'error_detail']);
  const failures = new Map(
    rows.map((row) => [row.id, { code: errorCode.read(row.error_code), detail: row.error_detail }]),
  );
  return members.map((member) => ({ ...member, ...failures.get(member.jobId ?? 0) }));
}
