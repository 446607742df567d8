import { beforeEach, describe, expect, it } from 'vitest';
import type { Service } from '../../src/domain/fleet/service.ts';
import { containerOf, inventoryOf } from '../support/inventories.ts';
import {
  AT,
  addServer,
  type MakeStores,
  newServer,
  noRecord,
  type StoresSubject,
} from '../support/stores-subject.ts';

const PAGE = { limit: 100, offset: 0 };
const named = ({ state, label }: Service): string => `${state} ${label}`;

/** The contract of `ServiceStore`, with the results of `InventoryStore.save`. */
export function serviceStoreContract(name: string, makeStores: MakeStores): void {
  describe(`ServiceStore: ${name}`, () => {
    let stores: StoresSubject;
    let web: number;
    beforeEach(async () => {
      stores = await makeStores();
      web = await addServer(stores, 'web');
    });

    const list = async (filter: Parameters<StoresSubject['services']['list']>[0] = {}, page = PAGE) =>
      (await stores.services.list(filter, page)).items;

    it('has what the inventory names, whole', async () => {
      await stores.inventories.save(
        web,
        inventoryOf({
          containers: [containerOf({ name: 'shop-db-1', project: 'Shop', status: 'Up 3 days – "fine"' })],
          failedUnits: [{ name: 'nginx.service', description: '' }],
        }),
      );
      expect(await list()).toEqual([
        {
          id: expect.any(Number),
          serverId: web,
          serverName: 'web',
          kind: 'unit',
          label: 'nginx.service',
          state: 'failed',
          message: 'The unit failed.',
          project: null,
          container: null,
          checkedAt: AT,
        },
        {
          id: expect.any(Number),
          serverId: web,
          serverName: 'web',
          kind: 'container',
          label: 'shop-db-1',
          state: 'ok',
          message: 'Up 3 days – "fine"',
          project: 'Shop',
          container: 'shop-db-1',
          checkedAt: AT,
        },
      ]);
    });

    it('keeps the id of a service as long as it exists, and deletes what is gone', async () => {
      const save = (at: number, ...containers: readonly (readonly [string, string])[]) =>
        stores.inventories.save(
          web,
          inventoryOf({
            at,
            containers: containers.map(([each, state]) => containerOf({ name: each, state })),
          }),
        );
      await save(AT, ['a', 'running'], ['b', 'running']);
      const [a, b] = await list();
      await save(AT + 1, ['c', 'running'], ['b', 'dead']);
      const after = await list();
      expect(after.map(named)).toEqual(['failed b', 'ok c']);
      expect(after[0]).toMatchObject({ id: b?.id, checkedAt: AT + 1 });
      expect([a?.id, b?.id]).not.toContain(after[1]?.id);
      await save(AT + 2, ['a', 'running']);
      expect((await list()).map(named)).toEqual(['ok a']);
    });

    it('has no state for those that the host could not report', async () => {
      await stores.inventories.save(web, inventoryOf({ containers: [containerOf({ name: 'db' })] }));
      const [db] = await list();
      await stores.inventories.save(web, inventoryOf({ at: AT + 5, containers: null }));
      expect(await list()).toEqual([
        { ...db, state: 'unknown', message: expect.stringMatching(/did not report/) },
      ]);
      await stores.inventories.save(web, inventoryOf({ containers: null, containerEngine: null }));
      expect(await list()).toEqual([]);
    });

    it('tells services of the same name apart by kind, case, accents and server', async () => {
      const shop = await addServer(stores, 'shop');
      const containers = ['x.service', 'X.service', 'ẋ.service'].map((each) => containerOf({ name: each }));
      const inventory = inventoryOf({ containers, failedUnits: [{ name: 'x.service', description: 'x' }] });
      for (const id of [web, shop]) await stores.inventories.save(id, inventory);
      expect(new Set((await list()).map(({ id }) => id)).size).toBe(8);
    });

    it('lists the worst first, then by server and label, in pages', async () => {
      const shop = await addServer(stores, 'a-shop');
      const containers = [
        containerOf({ name: 'b' }),
        containerOf({ name: 'a' }),
        containerOf({ name: 'z', state: 'dead' }),
        containerOf({ name: 'odd', state: 'thinking' }),
        containerOf({ name: 'old', state: 'exited', status: 'Exited (0) 2 days ago' }),
      ];
      for (const id of [shop, web]) await stores.inventories.save(id, inventoryOf({ containers }));
      const all = await list();
      expect(all.map((each) => `${named(each)} ${each.serverName}`)).toEqual([
        'failed z web',
        'failed z a-shop',
        'unknown odd web',
        'unknown odd a-shop',
        'stopped old web',
        'stopped old a-shop',
        'ok a web',
        'ok b web',
        'ok a a-shop',
        'ok b a-shop',
      ]);
      const page = await stores.services.list({}, { limit: 3, offset: 4 });
      expect(page).toEqual({ items: all.slice(4, 7), total: 10, limit: 3, offset: 4 });
    });

    it('filters by server, servers, state and text', async () => {
      const shop = (await stores.servers.add(newServer('Shop', { tags: ['Prod_1'] }), AT, noRecord)).id;
      const containers = [
        containerOf({ name: 'db', project: 'Wiki' }),
        containerOf({ name: 'app%1', state: 'dead' }),
      ];
      for (const id of [web, shop]) await stores.inventories.save(id, inventoryOf({ containers }));
      expect((await list({ serverId: shop })).map(({ serverId }) => serverId)).toEqual([shop, shop]);
      expect(await list({ serverIds: [web] })).toHaveLength(2);
      expect(await list({ serverIds: [] })).toEqual([]);
      expect(await list({ serverIds: [web], serverId: shop })).toEqual([]);
      expect((await list({ state: 'failed', serverId: web })).map(named)).toEqual(['failed app%1']);
      expect(await list({ q: 'wIKI' })).toHaveLength(2);
      expect((await list({ q: 'prod_1' })).map(({ serverId }) => serverId)).toEqual([shop, shop]);
      expect((await list({ q: 'P%1', state: 'failed' })).map(named)).toEqual([
        'failed app%1',
        'failed app%1',
      ]);
      for (const q of ['%', '_']) expect(await list({ q, serverId: web })).toHaveLength(q === '%' ? 1 : 0);
      expect(await list({ q: 'db\nwiki' })).toEqual([]);
    });

    it('keeps a thousand of a server, and takes that many again', async () => {
      const containers = Array.from({ length: 1_000 }, (_, index) => containerOf({ name: `c-${index}` }));
      const failedUnits = [{ name: 'x.service', description: 'x' }];
      await stores.inventories.save(web, inventoryOf({ containers, failedUnits }));
      const before = await stores.services.list({}, PAGE);
      expect(before.total).toBe(1_000);
      expect(before.items[0]).toMatchObject({ label: 'x.service' });
      await stores.inventories.save(web, inventoryOf({ containers, failedUnits, at: AT + 1 }));
      const after = await stores.services.list({}, PAGE);
      expect(after.items).toEqual(before.items.map((each) => ({ ...each, checkedAt: AT + 1 })));
    });

    it('takes the same server from several at once', async () => {
      const containers = ['a', 'b', 'c'].map((each) => containerOf({ name: each }));
      await Promise.all(
        Array.from({ length: 8 }, () => stores.inventories.save(web, inventoryOf({ containers }))),
      );
      expect((await list()).map(named)).toEqual(['ok a', 'ok b', 'ok c']);
    });

    it('deletes those of a server that is removed, and accepts none for it', async () => {
      const inventory = inventoryOf({ containers: [containerOf({ name: 'db' })] });
      await stores.inventories.save(web, inventory);
      await stores.servers.remove(web, AT, {});
      expect(await list()).toEqual([]);
      await stores.inventories.save(web, inventory);
      expect(await list()).toEqual([]);
      expect(await list({ serverId: web })).toEqual([]);
    });
  });
}
