import type { Knex } from 'knex';
import type { Batch } from '../../domain/batch.ts';
import { BATCH_COLUMNS, type BatchRow, countColumn, toBatch } from './rows/batch-row.ts';

export async function findBatch(knex: Knex, id: number): Promise<Batch | null> {
  const row = await knex('batches').where({ id }).first<BatchRow | undefined>(BATCH_COLUMNS);
  return row ? toBatch(row) : null;
}

/** All hosts that wait get no job. */
export async function leaveOut(trx: Knex, id: number): Promise<void> {
  const count = await trx('batch_members')
    .where({ batch_id: id, status: 'waiting' })
    .update({ status: 'left_out' });
  await trx('batches').where({ id }).decrement(countColumn('waiting'), count);
  await trx('batches').where({ id }).increment(countColumn('left_out'), count);
}
