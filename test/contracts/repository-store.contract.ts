import { beforeEach, describe, expect, it } from 'vitest';
import type { NewBackupRepository } from '../../src/domain/backups/backup-repository.ts';
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

const newRepository = (name: string): NewBackupRepository => ({
  name,
  kind: 'rest',
  url: 'rest:https://backup.example.org/web',
  createdAt: AT,
});
const seal = (id: number): string => `sealed for ${id}`;

/** What every `RepositoryStore` does. */
export function repositoryStoreContract(name: string, makeStores: MakeStores): void {
  describe(`RepositoryStore: ${name}`, () => {
    let stores: StoresSubject;
    beforeEach(async () => {
      stores = await makeStores();
    });

    it('encrypts the secrets for the id that the repository gets, and finds it by id and name', async () => {
      const made = await stores.repositories.add(
        newRepository('offsite'),
        seal,
        trailOf('repository.add', 'r'),
      );
      expect(made).toEqual({
        ...newRepository('offsite'),
        id: made.id,
        initialisedAt: null,
        sealedSecrets: seal(made.id),
      });
      expect(await stores.repositories.find(made.id)).toEqual(made);
      expect(await stores.repositories.findByName('offsite')).toEqual(made);
      expect(await stores.repositories.findByName('Offsite')).toBeNull();
      expect((await stores.record()).audit).toEqual([`repository.add r:${made.id}`]);
    });

    it('keeps nothing where the name is taken or the record fails', async () => {
      await stores.repositories.add(newRepository('a'), seal, noRecord);
      await expectRefusal(stores.repositories.add(newRepository('a'), seal, noRecord), 'name_taken');
      await expect(stores.repositories.add(newRepository('b'), seal, brokenRecord)).rejects.toThrow(
        'no record',
      );
      expect((await stores.repositories.list()).map((each) => each.name)).toEqual(['a']);
    });

    it('changes what is named, and nothing where the name is taken', async () => {
      const { repositories } = stores;
      const made = await repositories.add(newRepository('a'), seal, noRecord);
      await repositories.add(newRepository('b'), seal, noRecord);
      const moved = { kind: 'local', url: '/mnt/backup', sealedSecrets: 'anew' } as const;
      const changed = await repositories.change(made.id, moved, trailOf('repository.edit', 'r'));
      expect(changed).toEqual({ ...made, ...moved });
      expect(await repositories.change(made.id, {}, noRecord)).toEqual(changed);
      await expectRefusal(repositories.change(made.id, { name: 'b' }, noRecord), 'name_taken');
      await expect(repositories.change(made.id, { name: 'c' }, brokenRecord)).rejects.toThrow('no record');
      expect(await repositories.findByName('a')).toEqual(changed);
      expect((await repositories.change(made.id, { name: 'c' }, noRecord)).name).toBe('c');
      expect(await repositories.findByName('a')).toBeNull();
      await expectRefusal(repositories.change(999, { name: 'd' }, noRecord), 'repository_not_found');
      await repositories.remove(made.id, AT, {});
      await expectRefusal(repositories.change(made.id, { name: 'd' }, noRecord), 'repository_not_found');
      expect((await stores.record()).audit).toEqual([`repository.edit r:${made.id}`]);
    });

    it('lists by name, and remembers when one was first made', async () => {
      for (const each of ['b', 'c', 'a']) await stores.repositories.add(newRepository(each), seal, noRecord);
      const [first] = await stores.repositories.list();
      await stores.repositories.markInitialised(first?.id ?? 0, AT + 5);
      await stores.repositories.markInitialised(first?.id ?? 0, AT + 9);
      const listed = await stores.repositories.list();
      expect(listed.map((each) => [each.name, each.initialisedAt])).toEqual([
        ['a', AT + 5],
        ['b', null],
        ['c', null],
      ]);
    });

    it('finds the one with the snapshots of a source, also of a removed source', async () => {
      const server = await addServer(stores, 'web');
      const { id } = await stores.repositories.add(newRepository('a'), seal, noRecord);
      const over = { engine: 'restic', repositoryId: id } as const;
      const source = await stores.sources.add(newSource(server, 'etc', over), noRecord);
      const plain = await stores.sources.add(newSource(server, 'srv'), noRecord);
      expect(source).toMatchObject(over);
      await stores.sources.remove(source.id, AT, {});
      expect((await stores.repositories.ofSource(source.id))?.id).toBe(id);
      expect(await stores.repositories.ofSource(plain.id)).toBeNull();
    });

    it('is not removed while a source or a snapshot needs it', async () => {
      const server = await addServer(stores, 'web');
      const { id } = await stores.repositories.add(newRepository('a'), seal, noRecord);
      const over = { engine: 'restic', repositoryId: id } as const;
      const source = await stores.sources.add(newSource(server, 'etc', over), noRecord);
      const snapshot = await stores.snapshots.add(newSnapshot(source, 's1'));
      const record = trailOf('repository.remove', 'r')({ id });
      await expectRefusal(stores.repositories.remove(id, AT, record), 'repository_in_use');
      await stores.sources.remove(source.id, AT, {});
      await expectRefusal(stores.repositories.remove(id, AT, record), 'repository_in_use');
      await stores.snapshots.remove(snapshot.id, {});
      await stores.repositories.remove(id, AT, record);
      expect(await stores.repositories.find(id)).toBeNull();
      expect((await stores.record()).audit).toEqual([`repository.remove r:${id}`]);
      await expectRefusal(stores.repositories.remove(id, AT, record), 'repository_not_found');
      await expectRefusal(stores.sources.add(newSource(server, 'x', over), noRecord), 'repository_not_found');
      expect((await stores.repositories.add(newRepository('a'), seal, noRecord)).id).not.toBe(id);
    });
  });
}
