import { beforeEach, describe, expect, it } from 'vitest';
import { MAX_DUMPS, type NewDump } from '../../src/domain/backups/dump.ts';
import { expectRefusal } from '../support/expect-refusal.ts';
import {
  AT,
  addServer,
  brokenRecord,
  type MakeStores,
  newSource,
  noRecord,
  type StoresSubject,
  trailOf,
} from '../support/stores-subject.ts';

/** What every `DumpStore` does. */
export function dumpStoreContract(name: string, makeStores: MakeStores): void {
  describe(`DumpStore: ${name}`, () => {
    let stores: StoresSubject;
    let source: number;
    beforeEach(async () => {
      stores = await makeStores();
      source = (await stores.sources.add(newSource(await addServer(stores, 'web')), noRecord)).id;
    });

    const dump = (over: Partial<NewDump> = {}): NewDump => ({
      sourceId: source,
      name: 'shop',
      kind: 'postgres',
      client: 'podman',
      container: 'db_1',
      database: `shop "x" 'y' é`,
      user: 'backup',
      host: '/run/postgresql',
      port: 5433,
      hasPassword: true,
      createdAt: AT,
      ...over,
    });
    const plain = (over: Partial<NewDump> = {}): NewDump => ({
      ...dump({ kind: 'mysql', client: 'host', container: null, database: null }),
      user: null,
      host: null,
      port: null,
      hasPassword: false,
      ...over,
    });

    it('keeps everything that was said, the password encrypted for the id that it gets', async () => {
      const added = await stores.dumps.add(
        dump(),
        (id) => `sealed for ${id}`,
        trailOf('source.edit', 'dump'),
      );
      expect(added).toEqual({ ...dump(), id: added.id, sealedPassword: `sealed for ${added.id}` });
      const other = await stores.dumps.add(plain({ name: 'all' }), null, noRecord);
      expect(await stores.dumps.ofSource(source)).toEqual([other, added]);
      expect(other).toMatchObject({ sealedPassword: null, hasPassword: false });
      expect(await stores.dumps.ofSource(999_999)).toEqual([]);
      expect((await stores.record()).audit).toEqual([`source.edit dump:${added.id}`]);
    });

    it('refuses a name twice in a source, a source that is not there, and one too many', async () => {
      await stores.dumps.add(plain(), null, noRecord);
      await expectRefusal(stores.dumps.add(plain(), null, noRecord), 'name_taken');
      await expectRefusal(stores.dumps.add(plain({ sourceId: 999_999 }), null, noRecord), 'source_not_found');
      for (let n = 1; n < MAX_DUMPS; n += 1) await stores.dumps.add(plain({ name: `d${n}` }), null, noRecord);
      await expectRefusal(stores.dumps.add(plain({ name: 'more' }), null, noRecord), 'invalid_input');
      expect(await stores.dumps.ofSource(source)).toHaveLength(MAX_DUMPS);
    });

    it('keeps nothing where the record fails', async () => {
      await expect(stores.dumps.add(plain(), null, brokenRecord)).rejects.toThrow('no record today');
      expect(await stores.dumps.ofSource(source)).toEqual([]);
    });

    it('changes the connection and the password, at once or not at all', async () => {
      const added = await stores.dumps.add(dump(), (id) => `sealed for ${id}`, noRecord);
      const to = { client: 'host', container: null, database: 'other', user: null, port: null } as const;
      const changed = await stores.dumps.change(
        source,
        'shop',
        (before) => ({ ...before, ...to, sealedPassword: `another for ${before.id}` }),
        {},
      );
      expect(changed).toEqual({ ...added, ...to, sealedPassword: `another for ${added.id}` });
      expect(await stores.dumps.ofSource(source)).toEqual([changed]);
      const none = await stores.dumps.change(
        source,
        'shop',
        (before) => ({ ...before, sealedPassword: null, hasPassword: false }),
        {},
      );
      expect(none).toMatchObject({ hasPassword: false, sealedPassword: null });
      const refused = stores.dumps.change(
        source,
        'shop',
        () => {
          throw new Error('not so');
        },
        {},
      );
      await expect(refused).rejects.toThrow('not so');
      expect(await stores.dumps.ofSource(source)).toEqual([none]);
      await expectRefusal(
        stores.dumps.change(source, 'nothing', (same) => same, {}),
        'dump_not_found',
      );
    });

    it('lists those of all sources of a server', async () => {
      const server = await addServer(stores, 'db');
      const [one, two] = [
        (await stores.sources.add({ ...newSource(server), name: 'one' }, noRecord)).id,
        (await stores.sources.add({ ...newSource(server), name: 'two' }, noRecord)).id,
      ];
      await stores.dumps.add(plain(), null, noRecord);
      await stores.dumps.add(plain({ sourceId: two, name: 'b' }), null, noRecord);
      await stores.dumps.add(plain({ sourceId: one, name: 'a' }), null, noRecord);
      expect((await stores.dumps.ofServer(server)).map((each) => each.name)).toEqual(['a', 'b']);
      await stores.sources.remove(one, AT, {});
      expect((await stores.dumps.ofServer(server)).map((each) => each.name)).toEqual(['b']);
    });

    it('is gone once removed, and with its source', async () => {
      await stores.dumps.add(plain(), null, noRecord);
      await stores.dumps.add(plain({ name: 'other' }), null, noRecord);
      await stores.dumps.remove(source, 'shop', {});
      expect((await stores.dumps.ofSource(source)).map((each) => each.name)).toEqual(['other']);
      await expectRefusal(stores.dumps.remove(source, 'shop', {}), 'dump_not_found');
      await stores.sources.remove(source, AT, {});
      expect(await stores.dumps.ofSource(source)).toEqual([]);
      await expectRefusal(stores.dumps.add(plain(), null, noRecord), 'source_not_found');
    });
  });
}
