import type { Knex } from 'knex';
import type {
  KnownSnapshots,
  SnapshotStore,
} from '../../../../../application/ports/backups/snapshot-store.ts';
import type { ChangeRecord } from '../../../../../application/ports/events/change-record.ts';
import {
  type NewSnapshot,
  type Snapshot,
  type SnapshotCheck,
  type SourceCoverage,
  snapshotNotFound,
  snapshotPinned,
} from '../../../../../domain/backups/snapshot.ts';
import { batches } from '../../../../../domain/base/batches.ts';
import { DomainError } from '../../../../../domain/base/errors.ts';
import { DAY, type Instant } from '../../../../../domain/base/instant.ts';
import type { SnapshotOrder } from '../../../../../domain/base/list-orders.ts';
import type { Page, PageRequest } from '../../../../../domain/base/page.ts';
import { SqlStore } from '../database.ts';
import { orderedBy, pageOf } from '../page.ts';
import { isForeignKeyViolation, isUniqueViolation } from '../sql-errors.ts';
import {
  columns,
  hostWritten,
  int,
  named,
  nullable,
  oneOf,
  orElse,
  orNull,
  type Row,
  text,
} from '../tables/columns.ts';
import { recordChange } from './record-change.ts';

const CHECK = columns({
  lastVerifiedAt: orNull(int),
  check: nullable({
    at: named('checked_at', int),
    outcome: named('check_outcome', oneOf<SnapshotCheck['outcome']>()),
    files: named('check_files', orElse(int, 0)),
    bytes: named('check_bytes', orElse(int, 0)),
    detail: named('check_detail', orNull(hostWritten)),
  }),
});
const NEW = columns({
  serverId: int,
  sourceId: int,
  sourceName: text,
  jobId: orNull(int),
  engine: text,
  name: text,
  startedAt: int,
  finishedAt: int,
  fileCount: int,
  totalBytes: int,
  transferredBytes: int,
  vanishedCount: int,
  manifestSha256: text,
});
const SNAPSHOTS = columns({ id: int, ...NEW.shape, ...CHECK.shape, pinnedAt: orNull(int) });

type SnapshotRow = Row<typeof SNAPSHOTS>;
const SNAPSHOT_COLUMNS = SNAPSHOTS.names;
const toSnapshot: (row: SnapshotRow) => Snapshot = SNAPSHOTS.read;
const snapshotColumns = (snapshot: NewSnapshot): object => NEW.write(snapshot);

const checkColumns = (check: SnapshotCheck): object =>
  CHECK.write({ check, lastVerifiedAt: check.outcome === 'good' ? check.at : null });

const ORDERS = {
  source: ['source_name'],
  taken: ['started_at', 'id'],
  files: ['file_count'],
  size: ['total_bytes'],
  transferred: ['transferred_bytes'],
  verified: ['last_verified_at'],
} as const satisfies Record<SnapshotOrder['by'], readonly string[]>;
const NEWEST_FIRST: SnapshotOrder = { by: 'taken', descending: true };

const MAX_OF_A_SOURCE = 10_000;
/** More than any policy keeps. */
const MAX_KNOWN = 100_000;
/** Names in a statement. */
const BATCH = 500;

export class SqlSnapshotStore extends SqlStore implements SnapshotStore {
  async add(snapshot: NewSnapshot): Promise<Snapshot> {
    const { sourceId, name, startedAt } = snapshot;
    return this.database.transaction(async (trx) => {
      // The source's row first, so that two records of one source wait here and not for each other's locks.
      await trx('backup_sources')
        .where({ id: sourceId })
        .where((older) => void older.whereNull('last_success_at').orWhere('last_success_at', '<', startedAt))
        .update({ last_success_at: startedAt });
      await trx('snapshots').insert(snapshotColumns(snapshot)).catch(unlessThere(sourceId));
      const row = await trx('snapshots')
        .where({ source_id: sourceId, name })
        .first<SnapshotRow>(SNAPSHOT_COLUMNS);
      return toSnapshot(row);
    });
  }

  async find(id: number): Promise<Snapshot | null> {
    const row = await this.#one(id).first<SnapshotRow | undefined>(SNAPSHOT_COLUMNS);
    return row ? toSnapshot(row) : null;
  }

  async list(
    filter: { serverId: number; sourceId?: number },
    page: PageRequest,
    order = NEWEST_FIRST,
  ): Promise<Page<Snapshot>> {
    const filtered = this.database.knex('snapshots').where({ server_id: filter.serverId });
    if (filter.sourceId !== undefined) filtered.where({ source_id: filter.sourceId });
    return pageOf(filtered, page, (window) => inOrder(window, order));
  }

  async ofSource(sourceId: number): Promise<readonly Snapshot[]> {
    return inOrder(
      this.database.knex('snapshots').where({ source_id: sourceId }).limit(MAX_OF_A_SOURCE),
      NEWEST_FIRST,
    );
  }

  async hold(id: number, ms: number): Promise<void> {
    const until = this.database.nowPlus(ms);
    const later = this.database.knex.raw('CASE WHEN held_until > ? THEN held_until ELSE ? END', [
      until,
      until,
    ]);
    const held = await this.database.write(() => this.#one(id).update({ held_until: later }));
    if (held === 0) throw snapshotNotFound(id);
  }

  async remove(id: number, record: ChangeRecord): Promise<void> {
    await this.database.transaction(async (trx) => {
      const row = await trx('snapshots')
        .where({ id })
        .first<{ source_id: number; name: string } | undefined>('source_id', 'name');
      const removed = await trx('snapshots')
        .where({ id, pinned_at: null })
        .where((free) => void free.whereNull('held_until').orWhere('held_until', '<=', this.database.nowMs()))
        .delete();
      if (removed === 0 || row === undefined) throw await whyNotRemoved(trx, id);
      await trx('removed_snapshots')
        .insert({ ...row, removed_at: this.database.nowMs() })
        .onConflict(['source_id', 'name'])
        .merge();
      await recordChange(trx, record);
    });
  }

  async pin(id: number, since: Instant | null, record: ChangeRecord): Promise<Snapshot> {
    return this.database.transaction(async (trx) => {
      await trx('snapshots').where({ id }).update({ pinned_at: since });
      const row = await trx('snapshots').where({ id }).first<SnapshotRow | undefined>(SNAPSHOT_COLUMNS);
      if (!row) throw snapshotNotFound(id);
      await recordChange(trx, record);
      return toSnapshot(row);
    });
  }

  /** The list first: a snapshot that is removed in between is in both, and counts as listed until the next run. */
  async known(sourceId: number): Promise<KnownSnapshots> {
    const { knex } = this.database;
    const namesIn = async (table: string): Promise<ReadonlySet<string>> => {
      const query = knex(table).where({ source_id: sourceId }).orderBy('id', 'desc');
      const rows: { name: string }[] = await query.select('name').limit(MAX_KNOWN);
      return new Set(rows.map(({ name }) => name));
    };
    const listed = await namesIn('snapshots');
    return { listed, removed: await namesIn('removed_snapshots') };
  }

  async forgetRemoved(sourceId: number, names: readonly string[]): Promise<void> {
    for (const each of batches(names, BATCH)) {
      await this.database.write((knex) =>
        knex('removed_snapshots')
          .where({ source_id: sourceId })
          .whereIn('name', each)
          .where('removed_at', '<', this.database.nowPlus(-DAY))
          .delete(),
      );
    }
  }

  async recordCheck(id: number, check: SnapshotCheck): Promise<void> {
    await this.database.write(() => this.#one(id).update(checkColumns(check)));
  }

  async coverage(serverId: number, upTo: Instant): Promise<readonly SourceCoverage[]> {
    const { knex } = this.database;
    return knex('backup_sources')
      .leftJoin('snapshots', (join) => {
        join
          .on('snapshots.source_id', 'backup_sources.id')
          .andOnVal('snapshots.started_at', '<=', upTo)
          .andOn((good) => {
            good.onNull('snapshots.check_outcome').orOnVal('snapshots.check_outcome', '<>', 'damaged');
          });
      })
      .where('backup_sources.server_id', serverId)
      .whereNull('backup_sources.removed_at')
      .groupBy('backup_sources.id')
      .orderBy('backup_sources.id')
      .select<SourceCoverage[]>({ sourceId: 'backup_sources.id' })
      .max({ backedUpAt: 'snapshots.started_at', verifiedAt: 'snapshots.last_verified_at' });
  }

  #one(id: number): Knex.QueryBuilder {
    return this.database.knex('snapshots').where({ id });
  }
}

async function inOrder(query: Knex.QueryBuilder, order: SnapshotOrder): Promise<readonly Snapshot[]> {
  const ties = order.by === 'taken' ? [] : orderedBy(NEWEST_FIRST, ORDERS);
  const rows: SnapshotRow[] = await query
    .select(SNAPSHOT_COLUMNS)
    .orderBy([...orderedBy(order, ORDERS), ...ties]);
  return rows.map(toSnapshot);
}

const unlessThere =
  (sourceId: number) =>
  (error: unknown): void => {
    if (isUniqueViolation(error)) return;
    if (!isForeignKeyViolation(error)) throw error;
    throw new DomainError('source_not_found', `There is no backup source with id ${sourceId}.`);
  };

async function whyNotRemoved(trx: Knex, id: number): Promise<DomainError> {
  const there = await trx('snapshots')
    .where({ id })
    .first<{ pinned_at: number | null } | undefined>('pinned_at');
  if (!there) return snapshotNotFound(id);
  if (there.pinned_at !== null) return snapshotPinned(id);
  return new DomainError(
    'snapshot_in_use',
    `Snapshot ${id} is being read by a restore or a verification, or was in the last two minutes; try again later.`,
  );
}
