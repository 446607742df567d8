import { beforeEach, describe, expect, it } from 'vitest';
import { expectRefusal } from '../support/expect-refusal.ts';
import {
  AT,
  addServer,
  brokenRecord,
  type MakeStores,
  newSnapshot,
  newSource,
  noRecord,
  type StoresSubject,
  trailOf,
} from '../support/stores-subject.ts';

/** What every `SourceStore` does. */
export function sourceStoreContract(name: string, makeStores: MakeStores): void {
  describe(`SourceStore: ${name}`, () => {
    let stores: StoresSubject;
    let server: number;
    beforeEach(async () => {
      stores = await makeStores();
      server = await addServer(stores, 'web');
    });

    it('keeps everything that was said, and has never succeeded', async () => {
      const asked = newSource(server, 'data', {
        paths: Array.from({ length: 100 }, (_, index) => `/${'p'.repeat(4_000)}/${index}`),
        kind: 'service',
        retention: { keepLast: 1, keepDaily: 2, keepWeekly: 3, keepMonthly: 4, keepYearly: 0 },
      });
      const source = await stores.sources.add(asked, trailOf('source.add', 'source'));
      expect(source).toEqual({ ...asked, id: source.id, lastSuccessAt: null });
      expect(await stores.sources.find(source.id)).toEqual(source);
      expect(await stores.sources.ofServer(server)).toEqual([source]);
      expect((await stores.record()).audit).toEqual([`source.add source:${source.id}`]);
    });

    it('lists all that ever were, also removed ones, a page at a time', async () => {
      const { sources } = stores;
      const ids: number[] = [];
      for (const each of ['a', 'b', 'c']) ids.push((await sources.add(newSource(server, each), noRecord)).id);
      await sources.remove(ids[1] ?? 0, AT, {});
      expect((await sources.history(0, 2)).map((each) => each.name)).toEqual(['a', 'b']);
      expect((await sources.history(ids[1] ?? 0, 2)).map((each) => each.name)).toEqual(['c']);
    });

    it('lists those of a server by name', async () => {
      const other = await addServer(stores, 'db');
      for (const each of ['www', 'etc', 'home']) await stores.sources.add(newSource(server, each), noRecord);
      await stores.sources.add(newSource(other, 'etc'), noRecord);
      expect((await stores.sources.ofServer(server)).map((source) => source.name)).toEqual([
        'etc',
        'home',
        'www',
      ]);
      expect(await stores.sources.ofServer(999_999)).toEqual([]);
      expect(await stores.sources.find(999_999)).toBeNull();
    });

    it('names each once, of some servers or of all, the most frequent first', async () => {
      const { sources } = stores;
      const other = await addServer(stores, 'db');
      await sources.add(newSource(server, 'etc'), noRecord);
      await sources.add(newSource(server, 'www'), noRecord);
      await sources.add(newSource(other, 'www'), noRecord);
      const gone = await sources.add(newSource(other, 'gone'), noRecord);
      await sources.remove(gone.id, AT, {});
      expect(await sources.names([server, other], 10)).toEqual(['www', 'etc']);
      expect(await sources.names(null, 1)).toEqual(['www']);
      expect(await sources.names([other], 10)).toEqual(['www']);
      expect(await sources.names([], 10)).toEqual([]);
    });

    it('refuses a name that the server has, and a server that is not there', async () => {
      await stores.sources.add(newSource(server), noRecord);
      await expectRefusal(stores.sources.add(newSource(server), noRecord), 'name_taken');
      await expectRefusal(stores.sources.add(newSource(999_999), noRecord), 'server_not_found');
      await stores.servers.remove(server, AT, {});
      await expectRefusal(stores.sources.add(newSource(server, 'home'), noRecord), 'server_not_found');
    });

    it('lets one of many at once have a name', async () => {
      const tries = Array.from({ length: 8 }, () => stores.sources.add(newSource(server), noRecord));
      const outcomes = await Promise.allSettled(tries);
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'name_taken' });
      }
    });

    it('changes what is backed up, and leaves the rest as it was', async () => {
      const source = await stores.sources.add(newSource(server), noRecord);
      await stores.snapshots.add(newSnapshot(source, 's1'));
      const retention = { keepLast: 1, keepDaily: 0, keepWeekly: 0, keepMonthly: 0, keepYearly: 9 };
      const hooks = [
        { kind: 'unit', name: 'nginx.service' },
        { kind: 'compose', name: 'shop' },
      ] as const;
      const after = { paths: ['/srv'], excludes: [], retention, compareContentEvery: 7, hooks };
      const record = trailOf('source.edit', 'source')(source);
      const changed = await stores.sources.change(source.id, after, record);
      expect(changed).toEqual({ ...source, ...after, lastSuccessAt: AT });
      expect(await stores.sources.find(source.id)).toEqual(changed);
      expect((await stores.record()).audit).toEqual([`source.edit source:${source.id}`]);
      const none = { ...after, hooks: [] };
      expect(await stores.sources.change(source.id, none, {})).toMatchObject(none);
      await stores.sources.remove(source.id, AT, {});
      await expectRefusal(stores.sources.change(source.id, after, {}), 'source_not_found');
    });

    it('keeps nothing where the record fails', async () => {
      await expect(stores.sources.add(newSource(server), brokenRecord)).rejects.toThrow('no record today');
      expect(await stores.sources.ofServer(server)).toEqual([]);
    });

    it('lists them, of all servers', async () => {
      const before = await stores.sources.identities();
      const kept = await stores.sources.add(newSource(server), noRecord);
      const removed = await stores.sources.add({ ...newSource(server), name: 'other' }, noRecord);
      await stores.sources.remove(removed.id, AT, {});
      expect(await stores.sources.identities()).toEqual([
        ...before,
        { id: kept.id, serverId: server, repositoryId: null },
      ]);
    });

    it('is gone and frees its name once removed, and its snapshots stay listed', async () => {
      const source = await stores.sources.add(newSource(server), noRecord);
      await stores.snapshots.add(newSnapshot(source, 's1'));
      await stores.sources.remove(source.id, AT, trailOf('source.remove', 'source')(source));
      expect(await stores.sources.find(source.id)).toBeNull();
      expect(await stores.sources.ofServer(server)).toEqual([]);
      expect((await stores.snapshots.list({ serverId: server }, { limit: 10, offset: 0 })).total).toBe(1);
      expect((await stores.record()).audit).toEqual([`source.remove source:${source.id}`]);
      await expectRefusal(stores.sources.remove(source.id, AT, {}), 'source_not_found');
      const again = await stores.sources.add(newSource(server), noRecord);
      expect(again.id).not.toBe(source.id);
    });
  });
}
