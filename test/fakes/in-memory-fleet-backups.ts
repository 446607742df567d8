import type {
  BackupBounds,
  BackupQuery,
  FleetBackups,
  ServerBackup,
} from '../../src/application/ports/backups/fleet-backups.ts';
import type { SnapshotStore } from '../../src/application/ports/backups/snapshot-store.ts';
import type { BackupFilter, BackupTotals } from '../../src/domain/backups/backup-totals.ts';
import { DAY } from '../../src/domain/base/instant.ts';
import type { Page } from '../../src/domain/base/page.ts';
import type { Server } from '../../src/domain/fleet/server.ts';
import type { InMemoryWorld } from './in-memory-world.ts';
import { pageOf } from './page-of.ts';

export class InMemoryFleetBackups implements FleetBackups {
  readonly #world: InMemoryWorld;
  readonly #snapshots: Pick<SnapshotStore, 'ofSource'>;

  constructor(world: InMemoryWorld, snapshots: Pick<SnapshotStore, 'ofSource'>) {
    this.#world = world;
    this.#snapshots = snapshots;
  }

  async list(ids: readonly number[] | null, query: BackupQuery): Promise<Page<ServerBackup>> {
    const servers = this.#servers(ids)
      .filter((each) => query.only === undefined || isOlder(each, query.only, query))
      .sort((a, b) => (a.facts.lastBackupAt ?? 0) - (b.facts.lastBackupAt ?? 0) || a.id - b.id);
    const found = pageOf(servers, query);
    const items = found.items.map(async ({ id, name, facts }) => {
      const sources = [...this.#world.sources.values()].filter(({ serverId }) => serverId === id);
      const all = await Promise.all(sources.map((each) => this.#snapshots.ofSource(each.id)));
      const newest = all.map(([snapshot]) => snapshot);
      const days = all
        .flat()
        .filter(({ startedAt }) => startedAt >= query.daysFrom)
        .map(({ startedAt }) => startedAt - (startedAt % DAY));
      return {
        serverId: id,
        serverName: name,
        lastBackupAt: facts.lastBackupAt,
        lastVerifiedAt: facts.lastVerifiedAt,
        sources: sources.length,
        bytes: newest.reduce((sum, snapshot) => sum + (snapshot?.totalBytes ?? 0), 0),
        days: [...new Set(days)].toSorted((a, b) => a - b),
      };
    });
    return { ...found, items: await Promise.all(items) };
  }

  async totals(ids: readonly number[] | null, bounds: BackupBounds): Promise<BackupTotals> {
    const servers = this.#servers(ids);
    const count = (only: BackupFilter): number =>
      servers.filter((each) => isOlder(each, only, bounds)).length;
    const page = { ...bounds, daysFrom: 0, limit: servers.length, offset: 0 };
    const { items } = await this.list(ids, page);
    return {
      servers: servers.length,
      overdue: count('overdue'),
      unverified: count('unverified'),
      bytes: items.reduce((sum, { bytes }) => sum + bytes, 0),
    };
  }

  #servers(ids: readonly number[] | null): Server[] {
    return [...this.#world.servers.values()].filter(
      ({ id, features }) => features.backup && (ids === null || ids.includes(id)),
    );
  }
}

const isOlder = ({ facts }: Server, filter: BackupFilter, bounds: BackupBounds): boolean =>
  filter === 'overdue'
    ? (facts.lastBackupAt ?? Number.NEGATIVE_INFINITY) < bounds.staleBefore
    : (facts.lastVerifiedAt ?? Number.NEGATIVE_INFINITY) < bounds.verifiedBefore;
