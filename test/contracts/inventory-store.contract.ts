import { beforeEach, describe, expect, it } from 'vitest';
import { DAY, HOUR } from '../../src/domain/base/instant.ts';
import { type Inventory, MAX_DISKS } from '../../src/domain/fleet/inventory.ts';
import type { SampleStep } from '../../src/domain/fleet/sample-steps.ts';
import { AT, addServer, type MakeStores, noRecord, type StoresSubject } from '../support/stores-subject.ts';

const INVENTORY: Inventory = {
  at: AT,
  hostname: 'web',
  osType: 'linux',
  osId: 'debian',
  osFamily: 'debian',
  osVersion: '13',
  osPretty: 'Debian "13" – trixie',
  kernel: '6.12',
  arch: 'x86_64',
  hardware: null,
  cpuModel: 'EPYC',
  cpuCores: 2,
  cpuLoad: 0.25,
  memoryTotalBytes: 8_000_000_000,
  memoryUsedBytes: 1,
  diskTotalBytes: 2,
  diskUsedBytes: 3,
  disks: [{ mount: '/', filesystem: 'ext4', totalBytes: 4, usedBytes: 5 }],
  uptimeSeconds: 60,
  activity: {
    bootId: null,
    receivedBytes: 9_007_199_254_740_991,
    sentBytes: null,
    readBytes: 0,
    writtenBytes: 512,
    swapTotalBytes: 0,
    swapUsedBytes: 0,
  },
  bootId: 'b',
  packagesCount: 431,
  updates: Array.from({ length: 2_000 }, (_, index) => ({
    name: `lib-${index}`,
    from: index % 2 === 0 ? null : '1.0',
    to: '1.1',
    security: index % 3 === 0,
    origin: null,
    held: false,
  })),
  packagesStamp: 'a'.repeat(64),
  packagesNotes: ['Two are kept back.'],
  packageLists: {
    stamp: 'b'.repeat(64),
    until: 1_800_000_000_000,
    sources: [
      { uri: 'https://deb.example.org/debian/dists/trixie/InRelease', changedAtSeconds: 1_700_000_000 },
    ],
    notes: ['A key is kept where it should not be.'],
  },
  rebootPending: false,
  containerEngine: 'docker',
  containers: [
    {
      id: 'c'.repeat(64),
      name: 'db',
      state: 'running',
      running: true,
      image: 'mariadb:11',
      status: 'Up 3 days',
      project: 'shop',
      service: null,
      path: '/srv/shop',
      ports: [{ address: '127.0.0.1', hostPort: 3306, containerPort: 3306, protocol: 'tcp', count: 1 }],
      cpuPercent: 0.5,
      memoryBytes: 104_857_600,
      restarts: 2,
      update: null,
    },
  ],
  failedUnits: [{ name: 'x.service', description: 'X' }],
};

const POOR: Inventory = {
  ...INVENTORY,
  osId: null,
  osFamily: null,
  packagesCount: null,
  updates: null,
  containerEngine: null,
  containers: null,
  failedUnits: null,
};

/** What every `InventoryStore` does. */
export function inventoryStoreContract(name: string, makeStores: MakeStores): void {
  describe(`InventoryStore: ${name}`, () => {
    let stores: StoresSubject;
    beforeEach(async () => {
      stores = await makeStores();
    });

    it('returns the latest inventory of a server, whole', async () => {
      const id = await addServer(stores, 'web');
      await stores.inventories.save(id, POOR);
      expect(await stores.inventories.find(id)).toEqual(POOR);
      await stores.inventories.save(id, INVENTORY);
      expect(await stores.inventories.find(id)).toEqual(INVENTORY);
    });

    it("writes what the server's record keeps of it, and leaves the rest of that as it was", async () => {
      const id = await addServer(stores, 'web');
      await stores.servers.learn(id, { osUpdatesCount: 4 });
      await stores.inventories.save(id, POOR, { rebootPending: true, inventoryAt: AT });
      const facts = (await stores.servers.find(id))?.facts;
      expect(facts).toMatchObject({ osUpdatesCount: 4, rebootPending: true, inventoryAt: AT });
    });

    it('has none for a server that was never looked at', async () => {
      expect(await stores.inventories.find(await addServer(stores, 'web'))).toBeNull();
    });

    it('finds those of many servers that have one', async () => {
      const ids = [];
      for (const each of ['a', 'b', 'c']) ids.push(await addServer(stores, each));
      const [a = 0, b = 0, c = 0] = ids;
      await stores.inventories.save(a, { ...POOR, hostname: 'a' });
      await stores.inventories.save(c, { ...POOR, hostname: 'c' });
      const found = await stores.inventories.findMany([a, b, 999_999]);
      expect([...found].map(([id, { hostname }]) => [id, hostname])).toEqual([[a, 'a']]);
      expect((await stores.inventories.findMany([])).size).toBe(0);
      expect((await stores.inventories.findMany(ids)).size).toBe(2);
    });

    it('takes the same server from several at once', async () => {
      const id = await addServer(stores, 'web');
      await Promise.all(Array.from({ length: 8 }, () => stores.inventories.save(id, POOR)));
      expect(await stores.inventories.find(id)).toEqual(POOR);
    });

    describe('samples', () => {
      const query = (step: SampleStep, from = 0, limit = 100) => ({ step, from, limit });
      const saved = (serverId: number, at: number, cpuLoad = 1): Promise<void> =>
        stores.inventories.save(serverId, { ...INVENTORY, at, cpuLoad }, { osUpdatesCount: 4 });

      it('has one of each hour and of each day: the latest', async () => {
        const web = await addServer(stores, 'web');
        const other = await addServer(stores, 'other');
        await saved(other, AT, 9);
        for (const [at, load] of [
          [AT, 1],
          [AT + 10, 2],
          [AT + HOUR, 3],
          [AT + DAY, 4],
        ] as const)
          await saved(web, at, load);
        const loads = async (step: SampleStep) =>
          (await stores.inventories.samples(web, query(step))).map(({ load }) => load);
        expect(await loads('hour')).toEqual([2, 3, 4]);
        expect(await loads('day')).toEqual([3, 4]);
        expect(await stores.inventories.samples(other, query('hour'))).toEqual([
          {
            at: AT,
            load: 9,
            memoryTotalBytes: 8_000_000_000,
            memoryUsedBytes: 1,
            disks: [{ mount: '/', totalBytes: 4, usedBytes: 5 }],
            updates: 4,
            securityUpdates: null,
            containers: 1,
            activity: INVENTORY.activity ?? null,
          },
        ]);
      });

      it('has as many file systems as fit, with the longest names', async () => {
        const web = await addServer(stores, 'web');
        const disk = (at: number) => ({
          mount: `/${'ह'.repeat(180)}${at}`,
          filesystem: 'ext4',
          totalBytes: Number.MAX_SAFE_INTEGER,
          usedBytes: Number.MAX_SAFE_INTEGER,
        });
        const disks = Array.from({ length: MAX_DISKS }, (_, at) => disk(at));
        await stores.inventories.save(web, { ...INVENTORY, disks });
        const [sample] = await stores.inventories.samples(web, query('hour'));
        expect(sample?.disks.map(({ mount }) => mount)).toEqual(disks.slice(0, 64).map(({ mount }) => mount));
      });

      it('gives the latest of those since then, the oldest first', async () => {
        const web = await addServer(stores, 'web');
        for (const hours of [0, 1, 2, 3]) await saved(web, AT + hours * HOUR, hours);
        const found = await stores.inventories.samples(web, query('hour', AT + HOUR + 1, 2));
        expect(found.map(({ load }) => load)).toEqual([2, 3]);
        expect(await stores.inventories.samples(web, query('hour', AT + HOUR + 1))).toHaveLength(3);
      });

      it('gives the file systems of each day since then, the oldest first', async () => {
        const web = await addServer(stores, 'web');
        for (const days of [0, 1, 2]) await saved(web, AT + days * DAY);
        const found = await stores.inventories.diskDays(web, AT + DAY);
        const disks = [{ mount: '/', totalBytes: 4, usedBytes: 5 }];
        expect(found).toEqual([1, 2].map((days) => ({ at: AT + days * DAY, disks })));
      });

      it('takes samples of before', async () => {
        const web = await addServer(stores, 'web');
        await saved(web, AT, 9);
        const [latest] = await stores.inventories.samples(web, query('hour'));
        if (!latest) throw new Error('no sample');
        const past = [3, 2, 1].map((hours) => ({ ...latest, at: AT - hours * HOUR, load: hours }));
        await stores.inventories.addSamples(web, past);
        const loads = (await stores.inventories.samples(web, query('hour'))).map(({ load }) => load);
        expect(loads).toEqual([3, 2, 1, 9]);
      });

      it('sums up the servers of each day', async () => {
        const [web, db] = [await addServer(stores, 'web'), await addServer(stores, 'db')];
        const midnight = AT - (AT % DAY);
        for (const [id, at, securityUpdatesCount] of [
          [web, midnight, 0],
          [web, midnight + HOUR, 3],
          [db, midnight, 0],
          [web, midnight + DAY, 0],
          [web, midnight + 2 * DAY, 1],
        ] as const) {
          await stores.inventories.save(id, { ...INVENTORY, at }, { securityUpdatesCount });
        }
        expect(await stores.inventories.fleetDays(midnight, midnight + 2 * DAY)).toEqual([
          { day: midnight, servers: 2, withSecurityUpdates: 1 },
          { day: midnight + DAY, servers: 1, withSecurityUpdates: 0 },
        ]);
      });

      it('deletes old ones of one step, a few at a time', async () => {
        const web = await addServer(stores, 'web');
        for (const hours of [0, 1, 2]) await saved(web, AT + hours * HOUR);
        expect(await stores.inventories.forgetSamples('hour', AT + 2 * HOUR, 1)).toBe(true);
        expect(await stores.inventories.forgetSamples('hour', AT + 2 * HOUR, 5)).toBe(false);
        expect(await stores.inventories.samples(web, query('hour'))).toHaveLength(1);
        expect(await stores.inventories.samples(web, query('day'))).toHaveLength(1);
      });

      it('keeps none of a server that was removed', async () => {
        const web = await addServer(stores, 'web');
        await stores.servers.remove(web, AT, noRecord());
        await saved(web, AT);
        expect(await stores.inventories.samples(web, query('hour'))).toEqual([]);
      });
    });
  });
}
