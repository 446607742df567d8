import type { FleetBackups, ServerBackup } from '../../../../../application/ports/backups/fleet-backups.ts';
import type { Page, PageRequest } from '../../../../../domain/base/page.ts';
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

type Sizes = Pick<ServerBackup, 'sources' | 'bytes'>;

export class SqlFleetBackups implements FleetBackups {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async list(ids: readonly number[] | null, page: PageRequest): Promise<Page<ServerBackup>> {
    const filtered = this.#database.knex('servers').whereNull('removed_at').where({ feature_backup: 1 });
    if (ids !== null) filtered.whereIn('id', ids);
    return pageOf(filtered, page, async (window) => {
      const rows: ServerRow[] = await window
        .select('id', 'name', 'last_backup_at', 'last_verified_at')
        .orderByRaw('last_backup_at IS NOT NULL, last_backup_at, id');
      const sizes = await this.#sizes(rows.map(({ id }) => id));
      return rows.map(({ id, name, last_backup_at: lastBackupAt, last_verified_at: lastVerifiedAt }) => {
        const { sources, bytes } = sizes.get(id) ?? { sources: 0, bytes: 0 };
        return { serverId: id, serverName: name, lastBackupAt, lastVerifiedAt, sources, bytes };
      });
    });
  }

  /** A source's newest snapshot is that of its last success. */
  async #sizes(serverIds: readonly number[]): Promise<ReadonlyMap<number, Sizes>> {
    const rows: SizeRow[] = await this.#database
      .knex('backup_sources')
      .leftJoin('snapshots', (join) => {
        join
          .on('snapshots.source_id', 'backup_sources.id')
          .andOn('snapshots.started_at', 'backup_sources.last_success_at');
      })
      .whereIn('backup_sources.server_id', serverIds)
      .whereNull('backup_sources.removed_at')
      .groupBy('backup_sources.server_id')
      .select({ server_id: 'backup_sources.server_id' })
      .countDistinct({ sources: 'backup_sources.id' })
      .sum({ bytes: 'snapshots.total_bytes' });
    return new Map(
      rows.map((row) => [row.server_id, { sources: Number(row.sources), bytes: Number(row.bytes ?? 0) }]),
    );
  }
}
