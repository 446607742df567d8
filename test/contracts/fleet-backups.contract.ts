import { beforeEach, describe, expect, it } from 'vitest';
import {
  AT,
  addServer,
  type MakeStores,
  newServer,
  newSnapshot,
  newSource,
  noRecord,
  type StoresSubject,
} from '../support/stores-subject.ts';

const ALL = { limit: 10, offset: 0 };

/** What every `FleetBackups` does. */
export function fleetBackupsContract(name: string, makeStores: MakeStores): void {
  describe(`FleetBackups: ${name}`, () => {
    let stores: StoresSubject;
    beforeEach(async () => {
      stores = await makeStores();
    });
    const names = async (ids: readonly number[] | null = null, page = ALL): Promise<readonly string[]> =>
      (await stores.fleetBackups.list(ids, page)).items.map(({ serverName }) => serverName);

    it('lists servers to be backed up, the worst first, in pages', async () => {
      const fresh = await addServer(stores, 'fresh');
      const old = await addServer(stores, 'old');
      const never = await addServer(stores, 'never');
      const gone = await addServer(stores, 'gone');
      const features = { backup: false, os_patch: true, docker: false };
      await stores.servers.add(newServer('off', { features }), AT, noRecord);
      await stores.servers.learn(fresh, { lastBackupAt: AT });
      await stores.servers.learn(old, { lastBackupAt: AT - 9_000_000 });
      await stores.servers.remove(gone, AT, {});
      expect(await names()).toEqual(['never', 'old', 'fresh']);
      expect(await names([fresh, never])).toEqual(['never', 'fresh']);
      expect(await names(null, { limit: 1, offset: 1 })).toEqual(['old']);
      expect(await stores.fleetBackups.list(null, { limit: 1, offset: 1 })).toMatchObject({ total: 3 });
    });

    it('adds up the newest snapshot of each source', async () => {
      const id = await addServer(stores, 'web');
      await addServer(stores, 'empty');
      for (const [index, each] of ['etc', 'srv'].entries()) {
        const source = await stores.sources.add(newSource(id, each), noRecord);
        await stores.snapshots.add(newSnapshot(source, 'old', { startedAt: AT - 1, totalBytes: 7 }));
        await stores.snapshots.add(newSnapshot(source, 'new', { totalBytes: 10 ** 13 + index }));
      }
      await stores.servers.learn(id, { lastBackupAt: AT, lastVerifiedAt: AT - 5 });
      const { items } = await stores.fleetBackups.list(null, ALL);
      expect(items.map(({ sources, bytes }) => [sources, bytes])).toEqual([
        [0, 0],
        [2, 2 * 10 ** 13 + 1],
      ]);
      expect(items[1]).toMatchObject({ serverId: id, lastBackupAt: AT, lastVerifiedAt: AT - 5 });
    });
  });
}
