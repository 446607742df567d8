import type { Knex } from 'knex';
import { MEMBER_STATUSES, type MemberCounts } from '../../../../../domain/automation/batch.ts';
import { type JobOrigin, originLost } from '../../../../../domain/jobs/job-origin.ts';
import { countColumn } from '../tables/batch-row.ts';

/**
 * Links a job or batch to its origin, in the caller's transaction. Throws `lease_lost`, which rolls back, if the
 * origin has one already or no longer needs one.
 */
export async function tellOrigin(
  trx: Knex,
  origin: JobOrigin,
  made: { readonly job_id: number } | { readonly batch_id: number },
): Promise<void> {
  if (origin.kind === 'schedule_run') {
    const updated = await trx('schedule_runs')
      .where({ id: origin.runId, outcome: 'starting' })
      .update({ outcome: 'started', ...made });
    if (updated === 0) throw originLost('The run of the schedule');
    return;
  }
  const { batchId, version, serverId } = origin;
  await stepBatch(trx, { id: batchId, version }, { waiting: -1, active: 1 });
  const updated = await trx('batch_members')
    .where({ batch_id: batchId, server_id: serverId, status: 'waiting' })
    .update({ status: 'active', ...made });
  if (updated === 0) throw originLost('The host of the batch');
}

/** Increments a running batch's version, and updates its counts. Throws `lease_lost` if it has another version. */
export async function stepBatch(
  trx: Knex,
  { id, version }: { readonly id: number; readonly version: number },
  moved: Partial<MemberCounts>,
  columns: object = {},
): Promise<void> {
  const counts = MEMBER_STATUSES.flatMap((status) => {
    const by = moved[status] ?? 0;
    const column = countColumn(status);
    return by === 0 ? [] : [[column, trx.raw('?? + ?', [column, by])] as const];
  });
  const stepped = await trx('batches')
    .where({ id, version, status: 'running' })
    .update({ version: version + 1, ...Object.fromEntries(counts), ...columns });
  if (stepped === 0) throw originLost(`Batch ${id}`);
}
