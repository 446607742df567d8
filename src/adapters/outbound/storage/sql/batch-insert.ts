import type { Knex } from 'knex';
import type { ApprovalTerms } from '../../../../domain/access/requester.ts';
import type { NewBatch, NewBatchMember } from '../../../../domain/automation/batch.ts';
import { requestForBatch } from './stores/approval-writes.ts';
import { countColumn, newBatchColumns } from './tables/batch-row.ts';

/** Rows a statement; SQLite takes 32,766 values in one, and a row has eight. */
const ROWS = 500;

/** Writes a batch with its members and returns its id. */
export async function insertBatch(
  trx: Knex,
  batch: NewBatch & { readonly approval?: ApprovalTerms },
  members: readonly NewBatchMember[],
): Promise<number> {
  const skipped = members.filter(({ code }) => code !== null).length;
  const [id] = await trx('batches').insert({
    ...newBatchColumns(batch, batch.approval ? 'awaiting_approval' : 'running'),
    [countColumn('waiting')]: members.length - skipped,
    [countColumn('skipped')]: skipped,
  });
  const rows = members.map((member, position) => ({
    batch_id: Number(id),
    position,
    server_id: member.serverId,
    server_name: member.serverName.slice(0, 255),
    status: member.code === null ? 'waiting' : 'skipped',
    not_before: member.notBefore,
    code: member.code,
    detail: member.detail,
  }));
  for (let at = 0; at < rows.length; at += ROWS) {
    await trx('batch_members').insert(rows.slice(at, at + ROWS));
  }
  if (batch.approval) await requestForBatch(trx, Number(id), batch, members.length, batch.approval);
  return Number(id);
}
