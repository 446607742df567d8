import type { FleetBackups, ServerBackup } from '../../src/application/ports/backups/fleet-backups.ts';
import type { SnapshotStore } from '../../src/application/ports/backups/snapshot-store.ts';
import type { Page, PageRequest } from '../../src/domain/base/page.ts';
import type { InMemoryWorld } from './in-memory-world.ts';
import { pageOf } from './page-of.ts';

export class InMemoryFleetBackups implements FleetBackups {
  readonly #world: InMemoryWorld;
  readonly #snapshots: Pick<SnapshotStore, 'ofSource'>;

  constructor(world: InMemoryWorld, snapshots: Pick<SnapshotStore, 'ofSource'>) {
    this.#world = world;
    this.#snapshots = snapshots;
  }

  async list(ids: readonly number[] | null, page: PageRequest): Promise<Page<ServerBackup>> {
    const servers = [...this.#world.servers.values()]
      .filter(({ id, features }) => features.backup && (ids === null || ids.includes(id)))
      .sort((a, b) => (a.facts.lastBackupAt ?? 0) - (b.facts.lastBackupAt ?? 0) || a.id - b.id);
    const found = pageOf(servers, page);
    const items = found.items.map(async ({ id, name, facts }) => {
      const sources = [...this.#world.sources.values()].filter(({ serverId }) => serverId === id);
      const newest = await Promise.all(
        sources.map(async (each) => (await this.#snapshots.ofSource(each.id))[0]),
      );
      return {
        serverId: id,
        serverName: name,
        lastBackupAt: facts.lastBackupAt,
        lastVerifiedAt: facts.lastVerifiedAt,
        sources: sources.length,
        bytes: newest.reduce((sum, snapshot) => sum + (snapshot?.totalBytes ?? 0), 0),
      };
    });
    return { ...found, items: await Promise.all(items) };
  }
}
