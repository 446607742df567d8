import type { Knex } from 'knex';
import type {
  BackupBounds,
  BackupQuery,
  FleetBackups,
  ServerBackup,
} from '../../../../../application/ports/backups/fleet-backups.ts';
import type { BackupFilter, BackupTotals } from '../../../../../domain/backups/backup-totals.ts';
import { DAY, type Instant } from '../../../../../domain/base/instant.ts';
import type { Page } from '../../../../../domain/base/page.ts';
import type { Database } from '../database.ts';
import { pageOf } from '../page.ts';

interface ServerRow {
  readonly id: number;
  readonly name: string;
  readonly last_backup_at: number | null;
  readonly last_verified_at: number | null;
}

/** MariaDB gives sums as text. */
interface SizeRow {
  readonly server_id: number;
  readonly sources: number | string;
  readonly bytes: number | string | null;
}

interface DayRow {
  readonly server_id: number;
  readonly day: number | string;
}

/** Of one page of servers. */
const MAX_DAYS = 10_000;

type Sizes = Pick<ServerBackup, 'sources' | 'bytes'>;

export class SqlFleetBackups implements FleetBackups {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async list(ids: readonly number[] | null, query: BackupQuery): Promise<Page<ServerBackup>> {
    const filtered = this.#servers(ids);
    if (query.only !== undefined) filtered.where(isOlder(query.only, query));
    return pageOf(filtered, query, async (window) => {
      const rows: ServerRow[] = await window
        .select('id', 'name', 'last_backup_at', 'last_verified_at')
        .orderByRaw('last_backup_at IS NOT NULL, last_backup_at, id');
      const shown = rows.map(({ id }) => id);
      const [sizes, days] = [await this.#sizes(shown), await this.#days(shown, query.daysFrom)];
      return rows.map(({ id, name, last_backup_at: lastBackupAt, last_verified_at: lastVerifiedAt }) => {
        const { sources, bytes } = sizes.get(id) ?? { sources: 0, bytes: 0 };
        const own = days.filter((each) => each.server_id === id).map(({ day }) => Number(day));
        return { serverId: id, serverName: name, lastBackupAt, lastVerifiedAt, sources, bytes, days: own };
      });
    });
  }

  async totals(ids: readonly number[] | null, bounds: BackupBounds): Promise<BackupTotals> {
    const count = async (only?: BackupFilter): Promise<number> => {
      const counted = this.#servers(ids);
      if (only !== undefined) counted.where(isOlder(only, bounds));
      const row = await counted.count({ servers: '*' }).first<{ servers: number | string }>();
      return Number(row.servers);
    };
    const stored = await this.#newest()
      .whereIn('backup_sources.server_id', this.#servers(ids).select('id'))
      .sum({ bytes: 'snapshots.total_bytes' })
      .first<{ bytes: number | string | null }>();
    return {
      servers: await count(),
      overdue: await count('overdue'),
      unverified: await count('unverified'),
      bytes: Number(stored.bytes ?? 0),
    };
  }

  #servers(ids: readonly number[] | null): Knex.QueryBuilder {
    const filtered = this.#database.knex('servers').whereNull('removed_at').where({ feature_backup: 1 });
    return ids === null ? filtered : filtered.whereIn('id', ids);
  }

  async #days(serverIds: readonly number[], from: Instant): Promise<readonly DayRow[]> {
    const day = this.#database.knex.raw('started_at - started_at % ? AS day', [DAY]);
    return this.#database
      .knex('snapshots')
      .whereIn('server_id', serverIds)
      .where('started_at', '>=', from)
      .distinct<DayRow[]>('server_id', day)
      .orderBy('day')
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
    return this.#database
      .knex('backup_sources')
      .leftJoin('snapshots', (join) => {
        join
          .on('snapshots.source_id', 'backup_sources.id')
          .andOn('snapshots.started_at', 'backup_sources.last_success_at');
      })
      .whereNull('backup_sources.removed_at');
  }
}

/** Servers whose last backup or verification is older, or missing. */
const isOlder =
  (filter: BackupFilter, { staleBefore, verifiedBefore }: BackupBounds) =>
  (query: Knex.QueryBuilder): void => {
    const isBackup = filter === 'overdue';
    const column = isBackup ? 'last_backup_at' : 'last_verified_at';
    void query.whereNull(column).orWhere(column, '<', isBackup ? staleBefore : verifiedBefore);
  };
