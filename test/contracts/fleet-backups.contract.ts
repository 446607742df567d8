import { beforeEach, describe, expect, it } from 'vitest';
import type { BackupQuery } from '../../src/application/ports/backups/fleet-backups.ts';
import { DAY } from '../../src/domain/base/instant.ts';
import { newJob } from '../support/job-subject.ts';
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

const BOUNDS = { staleBefore: AT - 1_000, verifiedBefore: AT - 1_000 };
const ALL = { ...BOUNDS, daysFrom: AT - 3 * DAY, limit: 10, offset: 0 };

/** What every `FleetBackups` does. */
export function fleetBackupsContract(name: string, makeStores: MakeStores): void {
  describe(`FleetBackups: ${name}`, () => {
    let stores: StoresSubject;
    beforeEach(async () => {
      stores = await makeStores();
    });
    const names = async (
      ids: readonly number[] | null = null,
      page: BackupQuery = ALL,
    ): Promise<readonly string[]> =>
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
      expect(await names(null, { ...ALL, order: { by: 'server', descending: false } })).toEqual([
        'fresh',
        'never',
        'old',
      ]);
      expect(await names(null, { ...ALL, order: { by: 'last_success', descending: true } })).toEqual([
        'fresh',
        'old',
        'never',
      ]);
      expect(await names([fresh, never])).toEqual(['never', 'fresh']);
      expect(await names(null, { ...ALL, limit: 1, offset: 1 })).toEqual(['old']);
      expect(await stores.fleetBackups.list(null, { ...ALL, limit: 1, offset: 1 })).toMatchObject({
        total: 3,
      });
    });

    it('finds servers by their name or that of a source', async () => {
      const web = await addServer(stores, 'Web_1');
      const db = await addServer(stores, 'db-1');
      await stores.sources.add(newSource(db, 'Orders'), noRecord);
      await stores.sources.add(newSource(web, 'site'), noRecord);
      expect(await names(null, { ...ALL, q: 'web_' })).toEqual(['Web_1']);
      expect(await names(null, { ...ALL, q: 'order' })).toEqual(['db-1']);
      expect(await names([web], { ...ALL, q: '1' })).toEqual(['Web_1']);
      expect(await names(null, { ...ALL, q: '%' })).toEqual([]);
    });

    it('finds and counts the overdue and the unverified, and names the days with snapshots', async () => {
      const { snapshots, sources, servers, fleetBackups } = stores;
      const good = await addServer(stores, 'good');
      const stale = await addServer(stores, 'stale');
      await servers.add(newServer('never'), AT - 5_000, noRecord);
      await addServer(stores, 'young');
      await servers.learn(good, { lastBackupAt: AT, lastVerifiedAt: AT });
      await servers.learn(stale, { lastBackupAt: AT - 5_000, lastVerifiedAt: AT });
      const source = await sources.add(newSource(good, 'etc'), noRecord);
      for (const [taken, startedAt] of [
        ['a', AT - 9 * DAY],
        ['b', AT - DAY],
        ['c', AT - DAY + 1],
        ['d', AT],
      ] as const)
        await snapshots.add(newSnapshot(source, taken, { startedAt, finishedAt: startedAt, totalBytes: 5 }));
      expect(await names(null, { ...ALL, only: 'overdue' })).toEqual(['never', 'stale']);
      expect(await names(null, { ...ALL, only: 'unverified' })).toEqual(['never', 'young']);
      expect(await fleetBackups.totals(null, BOUNDS)).toEqual({
        servers: 4,
        notYet: 1,
        overdue: 2,
        failed: 0,
        unverified: 2,
        bytes: 5,
      });
      expect(await fleetBackups.totals([good], BOUNDS)).toEqual({
        servers: 1,
        notYet: 0,
        overdue: 0,
        failed: 0,
        unverified: 0,
        bytes: 5,
      });
      const { items } = await fleetBackups.list([good], ALL);
      const today = AT - (AT % DAY);
      expect(items[0]?.days).toEqual([
        { day: today - DAY, succeeded: 1, failed: 0, bytes: 5 },
        { day: today, succeeded: 1, failed: 0, bytes: 5 },
      ]);
      expect(items[0]?.destinations).toEqual([null]);
    });

    it('finds and counts servers whose backup failed since the last one', async () => {
      const { jobs, queue, servers, fleetBackups } = stores;
      const end = async (serverId: number, status: 'failed' | 'success') => {
        await jobs.enqueue(newJob(serverId, 'backup'), noRecord);
        const [claim] = await queue.claim({
          owner: 'w',
          leaseMs: 60_000,
          limit: 1,
          at: AT,
          record: noRecord,
        });
        if (!claim) throw new Error('no job waits');
        const error = status === 'failed' ? { code: 'backup_failed' as const, detail: 'No.' } : null;
        await queue.finish(claim, { status, summary: '', error, result: null }, AT, noRecord);
      };
      const [broken, fixed, well] = [
        await addServer(stores, 'broken'),
        await addServer(stores, 'fixed'),
        await addServer(stores, 'well'),
      ];
      for (const id of [broken, fixed]) await end(id, 'failed');
      await end(well, 'success');
      await servers.learn(broken, { lastBackupAt: AT - 1 });
      await servers.learn(fixed, { lastBackupAt: AT });
      expect(await names(null, { ...ALL, only: 'failed' })).toEqual(['broken']);
      expect(await fleetBackups.totals(null, BOUNDS)).toMatchObject({ servers: 3, failed: 1 });
      const { items } = await fleetBackups.list(null, ALL);
      expect(items.filter(({ failed }) => failed).map(({ serverName }) => serverName)).toEqual(['broken']);
      const day = AT - (AT % DAY);
      const [bad, good] = [
        { day, succeeded: 0, failed: 1, bytes: 0 },
        { day, succeeded: 1, failed: 0, bytes: 0 },
      ];
      expect(Object.fromEntries(items.map(({ serverName, days }) => [serverName, days]))).toEqual({
        broken: [bad],
        fixed: [bad],
        well: [good],
      });
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
