import { beforeEach, describe, expect, it } from 'vitest';
import { DAY, HOUR } from '../../src/domain/base/instant.ts';
import { type HostState, MAX_FACT_NAME, STATE_KINDS } from '../../src/domain/fleet/host-state.ts';
import { AT, addServer, type MakeStores, type StoresSubject } from '../support/stores-subject.ts';

const PAGE = { limit: 100, offset: 0 };
const EMPTY = Object.fromEntries(STATE_KINDS.map((kind) => [kind, null])) as unknown as HostState;
const packages = (versions: Readonly<Record<string, string>>): HostState => ({
  ...EMPTY,
  package: new Map(Object.entries(versions)),
});

/** The contract of `HostChangeStore`. */
export function hostChangeStoreContract(name: string, makeStores: MakeStores): void {
  describe(`HostChangeStore: ${name}`, () => {
    let stores: StoresSubject;
    let web: number;
    beforeEach(async () => {
      stores = await makeStores();
      web = await addServer(stores, 'web');
    });
    const list = async (
      filter: Partial<Parameters<StoresSubject['hostChanges']['list']>[0]> = {},
      page = PAGE,
    ) => (await stores.hostChanges.list({ serverIds: null, ...filter }, page)).items;

    it('records nothing for the first state, and each difference of the next', async () => {
      expect(await stores.hostChanges.record(web, packages({ a: '1', b: '1', c: '1' }), AT)).toBe(0);
      const found = packages({ b: '2', c: '1', d: 'ö "1"' });
      expect(await stores.hostChanges.record(web, found, AT + HOUR)).toBe(3);
      const common = {
        id: expect.any(Number),
        serverId: web,
        serverName: 'web',
        kind: 'package',
        since: AT,
        at: AT + HOUR,
        snapshotId: null,
      };
      expect(await list()).toEqual([
        { ...common, name: 'a', before: '1', after: null },
        { ...common, name: 'b', before: '1', after: '2' },
        { ...common, name: 'd', before: null, after: 'ö "1"' },
      ]);
      expect(await stores.hostChanges.record(web, found, AT + 2 * HOUR)).toBe(0);
    });

    it('compares with the last known state of a kind that a host did not report', async () => {
      await stores.hostChanges.record(web, packages({ a: '1' }), AT);
      await stores.hostChanges.record(web, EMPTY, AT + 1);
      await stores.hostChanges.record(web, packages({ a: '2' }), AT + 2);
      expect(await list()).toMatchObject([{ name: 'a', before: '1', after: '2', since: AT + 1, at: AT + 2 }]);
    });

    it('ignores a reading that is not newer than the latest, and those of a removed server', async () => {
      await stores.hostChanges.record(web, packages({ a: '2' }), AT);
      expect(await stores.hostChanges.record(web, packages({ a: '1' }), AT)).toBe(0);
      expect(await stores.hostChanges.record(web, packages({ a: '1' }), AT - 1)).toBe(0);
      await stores.hostChanges.record(web, packages({ a: '3' }), AT + 1);
      expect(await list()).toHaveLength(1);
      await stores.servers.remove(web, AT + 2, {});
      expect(await stores.hostChanges.record(web, packages({ a: '4' }), AT + 3)).toBe(0);
      expect(await list()).toEqual([]);
    });

    it('stores the differences of two replicas that read at once only once', async () => {
      await stores.hostChanges.record(web, packages({ a: '1' }), AT);
      const both = [1, 2].map((ms) => stores.hostChanges.record(web, packages({ a: '2' }), AT + ms));
      const counts = await Promise.all(both);
      expect(counts.toSorted((a, b) => a - b)).toEqual([0, 1]);
      expect(await list()).toHaveLength(1);
    });

    it('lists by server, kind and time, newest first, in pages', async () => {
      const db = await addServer(stores, 'db');
      const unit = (value: string): HostState => ({
        ...packages({ a: value }),
        unit: new Map([['u', value]]),
      });
      for (const [at, value] of [
        [AT, '1'],
        [AT + HOUR, '2'],
        [AT + DAY, '3'],
      ] as const) {
        await stores.hostChanges.record(web, unit(value), at);
        await stores.hostChanges.record(db, packages({ z: value }), at);
      }
      const named = async (...of: Parameters<typeof list>) =>
        (await list(...of)).map(({ serverName, kind, after }) => `${serverName} ${kind} ${after}`);
      expect(await named({ serverIds: [web] })).toEqual([
        'web package 3',
        'web unit 3',
        'web package 2',
        'web unit 2',
      ]);
      expect(await named({ serverIds: [] })).toEqual([]);
      expect(await named({ kind: 'unit' })).toEqual(['web unit 3', 'web unit 2']);
      expect(await named({ since: AT + DAY, serverIds: [db] })).toEqual(['db package 3']);
      expect(await named({ before: AT + DAY, serverIds: [db] })).toEqual(['db package 2']);
      expect(await named({ serverIds: [web], q: 'A' })).toEqual(['web package 3', 'web package 2']);
      const page = await stores.hostChanges.list({ serverIds: [web] }, { limit: 1, offset: 1 });
      expect(page).toMatchObject({ total: 4, items: [{ kind: 'unit', after: '3' }] });
    });

    it('stores what a snapshot found once, also if two services record it at once', async () => {
      const found = {
        serverId: web,
        snapshotId: 12,
        differences: [{ kind: 'file', name: '/etc/ö', before: null, after: 'file, 1 byte' }],
        since: AT,
        at: AT + HOUR,
      } as const;
      await Promise.all([1, 2].map(() => stores.hostChanges.recordFiles(found)));
      const [{ serverId: _serverId, differences, ...row }] = [found];
      expect(await list({ kind: 'file' })).toEqual([
        { ...row, ...differences[0], id: expect.any(Number), serverId: web, serverName: 'web' },
      ]);
      const gone = await addServer(stores, 'gone');
      await stores.servers.remove(gone, AT, {});
      await stores.hostChanges.recordFiles({ ...found, serverId: gone, snapshotId: 13 });
      expect(await list()).toHaveLength(1);
    });

    it('holds thousands of long facts, and deletes old changes in steps', async () => {
      const names = Array.from({ length: 3_000 }, (_, index) => `${index}`.padEnd(MAX_FACT_NAME, 'ü'));
      const all = (version: string) => packages(Object.fromEntries(names.map((each) => [each, version])));
      await stores.hostChanges.record(web, all('1'), AT);
      expect(await stores.hostChanges.record(web, all('2'), AT + 1)).toBe(3_000);
      expect(await stores.hostChanges.forget(AT + 1, 2_000)).toBe(false);
      expect(await stores.hostChanges.forget(AT + 2, 2_000)).toBe(true);
      expect(await stores.hostChanges.forget(AT + 2, 2_000)).toBe(false);
      expect(await list()).toEqual([]);
    });
  });
}
