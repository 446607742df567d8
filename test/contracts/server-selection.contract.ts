import { beforeEach, describe, expect, it } from 'vitest';
import type { HostSelector } from '../../src/domain/fleet/host-selector.ts';
import { AT, type MakeStores, newServer, noRecord, type StoresSubject } from '../support/stores-subject.ts';

/** What every `ServerSelection` does. */
export function serverSelectionContract(name: string, makeStores: MakeStores): void {
  describe(`ServerSelection: ${name}`, () => {
    let stores: StoresSubject;
    const ids = new Map<string, number>();
    beforeEach(async () => {
      stores = await makeStores();
      const servers: [string, string[]][] = [
        ['b', ['web', 'eu']],
        ['a', ['db', 'eu']],
        ['d', ['web-old', 'x.web']],
        ['c', []],
      ];
      for (const [each, tags] of servers) {
        const features = { backup: false, os_patch: each === 'b', docker: true };
        const { id } = await stores.servers.add(newServer(each, { tags, features }), AT, noRecord);
        ids.set(each, id);
      }
    });

    const idsOf = (...names: string[]): number[] => names.map((each) => ids.get(each) ?? 0);
    const select = async (selector: HostSelector, within: number[] | null = null, limit = 100) =>
      (await stores.selection.select(selector, within, limit)).map((server) => server.name);

    it('finds servers by any of the tags, to the letter, by name', async () => {
      expect(await select({ by: 'tags', tags: ['web'] })).toEqual(['b']);
      expect(await select({ by: 'tags', tags: ['db', 'web'] })).toEqual(['a', 'b']);
      expect(await select({ by: 'tags', tags: ['eu', 'web'] })).toEqual(['a', 'b']);
      expect(await select({ by: 'tags', tags: ['we', 'WEB', '%', '_eb'] })).toEqual([]);
    });

    it('finds servers by id, and leaves out those that are not there', async () => {
      await stores.servers.remove(idsOf('a')[0] ?? 0, AT, {});
      expect(await select({ by: 'ids', ids: [...idsOf('d', 'a', 'b'), 999_999] })).toEqual(['b', 'd']);
      expect(await select({ by: 'all' })).toEqual(['b', 'c', 'd']);
      expect(await select({ by: 'tags', tags: ['eu'] })).toEqual(['b']);
    });

    it('stays within the given servers, and takes no more than are asked for', async () => {
      expect(await select({ by: 'all' }, idsOf('c', 'a'))).toEqual(['a', 'c']);
      expect(await select({ by: 'tags', tags: ['eu'] }, idsOf('a'))).toEqual(['a']);
      expect(await select({ by: 'ids', ids: idsOf('b') }, idsOf('a'))).toEqual([]);
      expect(await select({ by: 'all' }, [])).toEqual([]);
      expect(await select({ by: 'all' }, null, 2)).toEqual(['a', 'b']);
    });

    it('has for each what it takes to start a job there', async () => {
      expect(await stores.selection.select({ by: 'ids', ids: idsOf('b') }, null, 1)).toEqual([
        {
          id: ids.get('b'),
          name: 'b',
          tags: ['web', 'eu'],
          features: { backup: false, os_patch: true, docker: true },
        },
      ]);
    });
  });
}
