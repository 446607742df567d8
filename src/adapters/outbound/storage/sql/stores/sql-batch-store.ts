import type { Knex } from 'knex';
import type {
  BatchFilter,
  BatchStore,
  MemberEnd,
  MemberFilter,
  MemberSkip,
  RunningBatch,
} from '../../../../../application/ports/automation/batch-store.ts';
import type { ChangeRecord } from '../../../../../application/ports/events/change-record.ts';
import type { ApprovalTerms } from '../../../../../domain/access/requester.ts';
import {
  BATCH_STATUSES,
  type Batch,
  type BatchMember,
  type BatchStatus,
  batchNotCancellable,
  batchNotFound,
  MAX_PARALLEL,
  type NewBatch,
  type NewBatchMember,
} from '../../../../../domain/automation/batch.ts';
import type { OrderedMember } from '../../../../../domain/automation/order-step.ts';
import { batches } from '../../../../../domain/base/batches.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import type { Page, PageRequest } from '../../../../../domain/base/page.ts';
import { TERMINAL_STATUSES, type TerminalStatus } from '../../../../../domain/jobs/job.ts';
import { SqlStore } from '../database.ts';
import { byIndex } from '../index-hint.ts';
import { pageOf } from '../page.ts';
import {
  BATCH_COLUMNS,
  type BatchRow,
  countColumn,
  MEMBER_COLUMNS,
  type MemberRow,
  newBatchColumns,
  type OrderedRow,
  toBatch,
  toMember,
  toOrdered,
} from '../tables/batch-row.ts';
import { requestForBatch, withdraw } from './approval-writes.ts';
import { findBatch, leaveOut, withFailures } from './batch-reads.ts';
import { stepBatch, tellOrigin } from './origins.ts';
import { recordChange } from './record-change.ts';

interface EndedRow {
  readonly batch_id: number;
  readonly server_id: number;
  readonly status: TerminalStatus;
}

export class SqlBatchStore extends SqlStore implements BatchStore {
  async create(...[batch, members, record, origin]: Parameters<BatchStore['create']>): Promise<Batch> {
    return this.database.transaction(async (trx) => {
      const id = await insertBatch(trx, batch, members);
      if (origin) await tellOrigin(trx, origin, { batch_id: id });
      return left(trx, id, record);
    });
  }

  async find(id: number): Promise<Batch | null> {
    return findBatch(this.database.knex, id);
  }

  async list(filter: BatchFilter, page: PageRequest): Promise<Page<Batch>> {
    return pageOf(this.#matching(filter), page, async (window) => {
      const rows: BatchRow[] = await window.select(BATCH_COLUMNS).orderBy('id', 'desc');
      return rows.map(toBatch);
    });
  }

  async countByStatus(filter: BatchFilter): Promise<Readonly<Record<BatchStatus, number>>> {
    const rows: { status: BatchStatus; total: number | string }[] = await this.#matching(filter)
      .groupBy('status')
      .select('status')
      .count({ total: '*' });
    const counts = new Map(rows.map(({ status, total }) => [status, Number(total)]));
    const each = BATCH_STATUSES.map((status) => [status, counts.get(status) ?? 0] as const);
    return Object.fromEntries(each) as Record<BatchStatus, number>;
  }

  #matching(filter: BatchFilter): Knex.QueryBuilder {
    const query = this.database.knex('batches');
    if (filter.status !== undefined) query.where({ status: filter.status });
    if (filter.scheduleId !== undefined) query.where({ schedule_id: filter.scheduleId });
    if (filter.requester) {
      query.where({ requester_kind: filter.requester.kind, requester_id: filter.requester.id });
    }
    return query;
  }

  async ofJob(jobId: number): Promise<Batch | null> {
    const row = await this.database
      .knex('batch_members')
      .where({ job_id: jobId })
      .first<{ batch_id: number }>();
    return row === undefined ? null : this.find(row.batch_id);
  }

  async members(id: number, filter: MemberFilter, page: PageRequest): Promise<Page<BatchMember>> {
    const query = this.database.knex('batch_members').where({ batch_id: id });
    if (filter.status !== undefined) query.where({ status: filter.status });
    if (filter.serverIds) query.whereIn('server_id', filter.serverIds);
    return pageOf(query, page, async (window) => {
      const rows: MemberRow[] = await window.select(MEMBER_COLUMNS).orderBy('position');
      return withFailures(this.database.knex, rows.map(toMember));
    });
  }

  async running(after: number, limit: number): Promise<readonly RunningBatch[]> {
    const { knex } = this.database;
    const found = byIndex(knex, 'batches', ['status', 'id'])
      .where({ status: 'running' })
      .where('id', '>', after);
    const rows = await this.database.rowsOf<BatchRow>(found.orderBy('id').limit(limit).select(BATCH_COLUMNS));
    if (rows.length === 0) return [];
    const over = knex('batch_members')
      .join('jobs', 'jobs.id', 'batch_members.job_id')
      .whereIn(
        'batch_members.batch_id',
        rows.map(({ id }) => id),
      )
      .where('batch_members.status', 'active')
      .whereIn('jobs.status', TERMINAL_STATUSES)
      .select(['batch_members.batch_id', 'batch_members.server_id', 'jobs.status']);
    const ended = await this.database.rowsOf<EndedRow>(over);
    return rows.map((row) => ({
      batch: toBatch(row),
      ended: ended
        .filter(({ batch_id }) => batch_id === row.id)
        .map(({ server_id, status }) => ({ serverId: server_id, status })),
    }));
  }

  async waiting(id: number, limit: number): Promise<readonly BatchMember[]> {
    const rows: MemberRow[] = await this.database
      .knex('batch_members')
      .where({ batch_id: id, status: 'waiting' })
      .orderBy('position')
      .limit(limit)
      .select(MEMBER_COLUMNS);
    return rows.map(toMember);
  }

  async ordered(id: number): Promise<readonly OrderedMember[]> {
    const own = ['server_id', 'server_name', 'status', 'place', 'not_before'];
    const rows: OrderedRow[] = await this.database
      .knex({ m: 'batch_members' })
      .leftJoin({ j: 'jobs' }, 'j.id', 'm.job_id')
      .where({ 'm.batch_id': id })
      .orderBy('m.position')
      .select(own.map((name) => `m.${name}`))
      .select({ job_started_at: 'j.created_at', job_ended_at: 'j.finished_at' });
    return rows.map(toOrdered);
  }

  async jobsToCancel(id: number): Promise<readonly number[]> {
    const rows = await this.database
      .knex('batch_members')
      .join('jobs', 'jobs.id', 'batch_members.job_id')
      .where({ 'batch_members.batch_id': id, 'batch_members.status': 'active' })
      .whereNotIn('jobs.status', TERMINAL_STATUSES)
      .whereNull('jobs.cancel_requested_at')
      .limit(MAX_PARALLEL)
      .select<{ id: number }[]>('jobs.id');
    return rows.map((row) => row.id);
  }

  async settle(batch: Batch, ended: readonly MemberEnd[]): Promise<Batch> {
    return this.#step(batch, async (trx) => {
      const moved: Partial<Record<TerminalStatus | 'active', number>> = { active: 0 };
      for (const status of TERMINAL_STATUSES) {
        const ids = ended.filter((end) => end.status === status).map(({ serverId }) => serverId);
        if (ids.length === 0) continue;
        const count = await trx('batch_members')
          .where({ batch_id: batch.id, status: 'active' })
          .whereIn('server_id', ids)
          .update({ status });
        moved[status] = count;
        moved.active = (moved.active ?? 0) - count;
      }
      return { moved };
    });
  }

  async skip(batch: Batch, skipped: readonly MemberSkip[]): Promise<Batch> {
    return this.#step(batch, async (trx) => {
      const each = (column: 'code' | 'detail'): Knex.Raw =>
        trx.raw(
          `CASE server_id ${skipped.map(() => 'WHEN ? THEN ?').join(' ')} END`,
          skipped.flatMap((skip) => [skip.serverId, skip[column]]),
        );
      const count = await trx('batch_members')
        .where({ batch_id: batch.id, status: 'waiting' })
        .whereIn(
          'server_id',
          skipped.map(({ serverId }) => serverId),
        )
        .update({ status: 'skipped', code: each('code'), detail: each('detail') });
      return { moved: { waiting: -count, skipped: count } };
    });
  }

  async stop(batch: Batch, reason: string, serverIds?: readonly number[]): Promise<Batch> {
    return this.#step(batch, async (trx) => {
      await leaveOut(trx, batch.id, serverIds);
      return { moved: {}, columns: { stop_reason: reason } };
    });
  }

  async finish(...[batch, status, at, record]: Parameters<BatchStore['finish']>): Promise<Batch> {
    return this.database.transaction(async (trx) => {
      await stepBatch(trx, batch, {}, { status, finished_at: at });
      return left(trx, batch.id, record);
    });
  }

  async requestCancel(id: number, at: Instant, record: (batch: Batch) => ChangeRecord): Promise<Batch> {
    return this.database.transaction(async (trx) => {
      const ask = (status: BatchStatus, columns: object): Promise<number> =>
        trx('batches')
          .where({ id, status })
          .whereNull('cancel_requested_at')
          .update({ cancel_requested_at: at, version: trx.raw('version + 1'), ...columns });
      const unbegun = await ask('awaiting_approval', { status: 'cancelled', finished_at: at });
      if (unbegun > 0) await withdraw(trx, { batch_id: id }, at);
      else if ((await ask('running', {})) === 0) {
        const there = await findBatch(trx, id);
        throw there ? batchNotCancellable(there) : batchNotFound(id);
      }
      await leaveOut(trx, id);
      return left(trx, id, record);
    });
  }

  /** The batch's row comes first, and so blocks other writers of its members. */
  async #step(
    batch: Batch,
    change: (trx: Knex) => Promise<{ moved: Parameters<typeof stepBatch>[2]; columns?: object }>,
  ): Promise<Batch> {
    return this.database.transaction(async (trx) => {
      await stepBatch(trx, batch, {});
      const { moved, columns } = await change(trx);
      await stepBatch(trx, { id: batch.id, version: batch.version + 1 }, moved, columns);
      return left(trx, batch.id, () => ({}));
    });
  }
}

async function left(trx: Knex, id: number, record: (batch: Batch) => ChangeRecord): Promise<Batch> {
  const batch = await findBatch(trx, id);
  if (!batch) throw batchNotFound(id);
  await recordChange(trx, record(batch));
  return batch;
}

/** Rows a statement; SQLite takes 32,766 values in one, and a row has nine. */
const ROWS = 500;

/** Writes a batch with its members and returns its id. */
async function insertBatch(
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
    place: member.place && JSON.stringify(member.place),
  }));
  for (const each of batches(rows, ROWS)) await trx('batch_members').insert(each);
  if (batch.approval) await requestForBatch(trx, Number(id), batch, members.length, batch.approval);
  return Number(id);
}
