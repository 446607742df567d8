import type { Knex } from 'knex';
import type {
  BackupBounds,
  BackupDay,
  BackupQuery,
  FleetBackups,
  ServerBackup,
} from '../../../../../application/ports/backups/fleet-backups.ts';
import type { BackupFilter, BackupTotals } from '../../../../../domain/backups/backup-totals.ts';
import { DAY, type Instant } from '../../../../../domain/base/instant.ts';
import type { BackupOrder } from '../../../../../domain/base/list-orders.ts';
import type { Page } from '../../../../../domain/base/page.ts';
import { SqlStore } from '../database.ts';
import { orderedBy, pageOf } from '../page.ts';
import { DRY_RUN_PARAMS } from '../tables/job-row.ts';
import { BACKUP_STALE, NO_BACKUP } from './fleet-totals.ts';

interface ServerRow {
  readonly id: number;
  readonly name: string;
  readonly created_at: number;
  readonly last_backup_at: number | null;
  readonly last_verified_at: number | null;
  readonly failed: number | string;
}

/** MariaDB gives sums as text. */
interface SizeRow {
  readonly server_id: number;
  readonly sources: number | string;
  readonly bytes: number | string | null;
}

interface EndedRow {
  readonly server_id: number;
  readonly day: number | string;
  readonly status: 'success' | 'failed';
  readonly jobs: number | string;
}

interface TakenRow {
  readonly server_id: number;
  readonly source_id: number;
  readonly day: number | string;
  readonly bytes: number | string;
}

interface PlaceRow {
  readonly server_id: number;
  readonly name: string | null;
}

const ORDERS = {
  server: ['name', 'id'],
  last_success: ['last_backup_at', 'id'],
  verified: ['last_verified_at', 'id'],
} as const satisfies Record<BackupOrder['by'], readonly string[]>;
const OLDEST_FIRST: BackupOrder = { by: 'last_success', descending: false };

/** Of one page of servers. */
const MAX_DAYS = 10_000;

type Sizes = Pick<ServerBackup, 'sources' | 'bytes'>;

export class SqlFleetBackups extends SqlStore implements FleetBackups {
  async list(ids: readonly number[] | null, query: BackupQuery): Promise<Page<ServerBackup>> {
    const filtered = this.#servers(ids);
    if (query.only !== undefined) filtered.where(needing(query.only, query));
    if (query.q) filtered.where(named(query.q));
    return pageOf(filtered, query, async (window) => {
      const rows: ServerRow[] = await window
        .select('id', 'name', 'created_at', 'last_backup_at', 'last_verified_at', {
          failed: this.database.knex.raw(`CASE WHEN ${FAILED} THEN 1 ELSE 0 END`),
        })
        .orderBy(orderedBy(query.order ?? OLDEST_FIRST, ORDERS));
      const shown = rows.map(({ id }) => id);
      const sizes = await this.#sizes(shown);
      const days = await this.#days(shown, query.daysFrom);
      const places = await this.#places(shown);
      return rows.map(({ id, name, ...row }) => ({
        serverId: id,
        serverName: name,
        addedAt: row.created_at,
        lastBackupAt: row.last_backup_at,
        lastVerifiedAt: row.last_verified_at,
        failed: Number(row.failed) === 1,
        ...(sizes.get(id) ?? { sources: 0, bytes: 0 }),
        days: days(id),
        destinations: places.filter((each) => each.server_id === id).map((each) => each.name),
      }));
    });
  }

  async totals(ids: readonly number[] | null, bounds: BackupBounds): Promise<BackupTotals> {
    const count = async (only?: (query: Knex.QueryBuilder) => void): Promise<number> => {
      const counted = this.#servers(ids);
      if (only !== undefined) counted.where(only);
      const row = await counted.count({ servers: '*' }).first<{ servers: number | string }>();
      return Number(row.servers);
    };
    const stored = await this.#newest()
      .whereIn('backup_sources.server_id', this.#servers(ids).select('id'))
      .sum({ bytes: 'snapshots.total_bytes' })
      .first<{ bytes: number | string | null }>();
    return {
      servers: await count(),
      notYet: await count((query) => void query.whereRaw(NO_BACKUP, [bounds.staleBefore])),
      overdue: await count(needing('overdue', bounds)),
      failed: await count(needing('failed', bounds)),
      unverified: await count(needing('unverified', bounds)),
      bytes: Number(stored.bytes ?? 0),
    };
  }

  #servers(ids: readonly number[] | null): Knex.QueryBuilder {
    const filtered = this.database.knex('servers').whereNull('removed_at').where({ feature_backup: 1 });
    return ids === null ? filtered : filtered.whereIn('id', ids);
  }

  /** How the backup jobs ended; a snapshot proves that one succeeded, after its job is deleted too. */
  async #days(
    serverIds: readonly number[],
    from: Instant,
  ): Promise<(serverId: number) => readonly BackupDay[]> {
    const { knex } = this.database;
    const day = knex.raw('finished_at - finished_at % ? AS day', [DAY]);
    const ended: readonly EndedRow[] = await knex('jobs')
      .whereIn('server_id', serverIds)
      .whereIn('status', ['success', 'failed'])
      .where({ job_type: 'backup' })
      .where('finished_at', '>=', from)
      .whereNot('params', 'like', DRY_RUN_PARAMS)
      .groupBy('server_id', 'day', 'status')
      .count({ jobs: '*' })
      .select<EndedRow[]>('server_id', day, 'status')
      .limit(MAX_DAYS);
    const taken: readonly TakenRow[] = await knex('snapshots')
      .whereIn('server_id', serverIds)
      .where('started_at', '>=', from - DAY)
      .where('finished_at', '>=', from)
      .groupBy('server_id', 'source_id', 'day')
      .max({ bytes: 'total_bytes' })
      .select<TakenRow[]>('server_id', 'source_id', day)
      .limit(MAX_DAYS);
    return (serverId) => {
      const jobs = ended.filter((each) => each.server_id === serverId);
      const snapshots = taken.filter((each) => each.server_id === serverId);
      const days = [...new Set([...jobs, ...snapshots].map((each) => Number(each.day)))];
      return days
        .toSorted((a, b) => a - b)
        .map((at) => {
          const jobsOf = (status: EndedRow['status']): number =>
            Number(jobs.find((each) => Number(each.day) === at && each.status === status)?.jobs ?? 0);
          const ofDay = snapshots.filter((each) => Number(each.day) === at);
          return {
            day: at,
            succeeded: Math.max(jobsOf('success'), ofDay.length > 0 ? 1 : 0),
            failed: jobsOf('failed'),
            bytes: ofDay.reduce((sum, { bytes }) => sum + Number(bytes), 0),
          };
        });
    };
  }

  #places(serverIds: readonly number[]): Promise<readonly PlaceRow[]> {
    return this.database
      .knex('backup_sources')
      .leftJoin('backup_repositories', 'backup_repositories.id', 'backup_sources.repository_id')
      .whereIn('backup_sources.server_id', serverIds)
      .whereNull('backup_sources.removed_at')
      .distinct('backup_sources.server_id', 'backup_repositories.name')
      .orderBy('backup_repositories.name')
      .limit(MAX_DAYS);
  }

  /** A source's newest snapshot is that of its last success. */
  async #sizes(serverIds: readonly number[]): Promise<ReadonlyMap<number, Sizes>> {
    const rows: SizeRow[] = await this.#newest()
      .whereIn('backup_sources.server_id', serverIds)
      .groupBy('backup_sources.server_id')
      .select({ server_id: 'backup_sources.server_id' })
      .countDistinct({ sources: 'backup_sources.id' })
      .sum({ bytes: 'snapshots.total_bytes' });
    return new Map(
      rows.map((row) => [row.server_id, { sources: Number(row.sources), bytes: Number(row.bytes ?? 0) }]),
    );
  }

  /** The sources that are backed up, each with its newest snapshot. */
  #newest(): Knex.QueryBuilder {
    return this.database
      .knex('backup_sources')
      .leftJoin('snapshots', (join) => {
        join
          .on('snapshots.source_id', 'backup_sources.id')
          .andOn('snapshots.started_at', 'backup_sources.last_success_at');
      })
      .whereNull('backup_sources.removed_at');
  }
}

/** By the index of a server's jobs by their status: few of them failed. */
const FAILED = `EXISTS (SELECT 1 FROM jobs WHERE jobs.server_id = servers.id AND jobs.status = 'failed'
  AND jobs.job_type = 'backup' AND jobs.finished_at > COALESCE(servers.last_backup_at, -1))`;

/** `INSTR` takes `%` and `_` as they are. */
const named =
  (text: string) =>
  (query: Knex.QueryBuilder): void => {
    const q = text.toLowerCase();
    void query.whereRaw('INSTR(LOWER(servers.name), ?) > 0', [q]).orWhereRaw(SOURCE_NAMED, [q]);
  };

const SOURCE_NAMED = `EXISTS (SELECT 1 FROM backup_sources WHERE backup_sources.server_id = servers.id
  AND backup_sources.removed_at IS NULL AND INSTR(LOWER(backup_sources.name), ?) > 0)`;

const needing =
  (filter: BackupFilter, { staleBefore, verifiedBefore }: BackupBounds) =>
  (query: Knex.QueryBuilder): void => {
    if (filter === 'failed') return void query.whereRaw(FAILED);
    if (filter === 'overdue') return void query.whereRaw(BACKUP_STALE, [staleBefore]);
    void query.whereNull('last_verified_at').orWhere('last_verified_at', '<', verifiedBefore);
  };
