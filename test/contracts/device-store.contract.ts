import { beforeEach, describe, expect, it } from 'vitest';
import type { User } from '../../src/domain/access/user.ts';
import { AT, type MakeStores, noRecord, type StoresSubject } from '../support/stores-subject.ts';

const KEEP = 3;
const hash = (letter: string): string => letter.repeat(64);

/** What every `DeviceStore` does. */
export function deviceStoreContract(name: string, makeStores: MakeStores): void {
  describe(`DeviceStore: ${name}`, () => {
    let stores: StoresSubject;
    let ann: User;
    let bob: User;
    beforeEach(async () => {
      stores = await makeStores();
      const by = { role: 'viewer', createdBy: 'test', createdAt: AT } as const;
      ann = await stores.users.add({ ...by, name: 'ann' }, noRecord);
      bob = await stores.users.add({ ...by, name: 'bob' }, noRecord);
    });

    const remember = (user: User, letter: string, former: string | null = null, at = AT): Promise<number> =>
      stores.devices.remember(
        user.id,
        { hash: hash(letter), formerHash: former === null ? null : hash(former) },
        at,
        KEEP,
      );

    it('knows a browser by its secret, for the user and the time it signed in', async () => {
      const { devices } = stores;
      const id = await remember(ann, 'a');
      expect(await devices.find(ann.id, hash('a'), AT)).toBe(id);
      expect(await devices.find(ann.id, hash('b'), AT)).toBeNull();
      expect(await devices.find(bob.id, hash('a'), AT)).toBeNull();
      expect(await devices.find(ann.id, hash('a'), AT + 1)).toBeNull();
    });

    it('replaces the previous secret for all accounts of the browser, and keeps its id', async () => {
      const { devices } = stores;
      const anns = await remember(ann, 'a');
      const bobs = await remember(bob, 'b', 'a', AT + 1);
      expect(bobs).not.toBe(anns);
      expect(await devices.find(ann.id, hash('a'), 0)).toBeNull();
      expect(await devices.find(ann.id, hash('b'), 0)).toBe(anns);
      expect(await remember(ann, 'c', 'b', AT + 2)).toBe(anns);
      expect(await devices.find(bob.id, hash('c'), 0)).toBe(bobs);
      expect(await devices.find(ann.id, hash('c'), AT + 2)).toBe(anns);
      expect(await remember(ann, 'd', 'never seen', AT)).not.toBe(anns);
    });

    it('keeps the latest of a user, this one among them', async () => {
      const { devices } = stores;
      const first = await remember(ann, 'a');
      for (const [i, letter] of ['b', 'c'].entries()) await remember(ann, letter, null, AT + 1 + i);
      await remember(bob, 'e');
      expect(await remember(ann, 'd', 'a', AT)).toBe(first);
      await remember(ann, 'f', null, AT);
      const known = await Promise.all(
        ['d', 'b', 'c', 'f'].map((each) => devices.find(ann.id, hash(each), 0)),
      );
      expect(known.map((id) => id !== null)).toEqual([false, true, true, true]);
      expect(await devices.find(bob.id, hash('e'), 0)).not.toBeNull();
    });

    it('deletes one of its user, all of them, or all but one', async () => {
      const { devices } = stores;
      const [a, b] = [await remember(ann, 'a'), await remember(ann, 'b')];
      await remember(ann, 'c');
      await remember(bob, 'd');
      await devices.remove(bob.id, a);
      expect(await devices.find(ann.id, hash('a'), 0)).toBe(a);
      await devices.remove(ann.id, a);
      await devices.remove(ann.id, a);
      expect(await devices.find(ann.id, hash('a'), 0)).toBeNull();
      expect(await devices.removeAll(ann.id, b)).toBe(1);
      expect(await devices.removeAll(ann.id, null)).toBe(1);
      expect(await devices.find(bob.id, hash('d'), 0)).not.toBeNull();
    });

    it('deletes those that did not sign in since, a limited number at a time', async () => {
      const { devices } = stores;
      for (const letter of ['a', 'b', 'c']) await remember(ann, letter);
      await remember(bob, 'd', null, AT + 5);
      expect(await devices.forgetUnusedSince(AT + 5, 2)).toBe(2);
      expect(await devices.forgetUnusedSince(AT + 5, 2)).toBe(1);
      expect(await devices.forgetUnusedSince(AT + 5, 2)).toBe(0);
      expect(await devices.find(bob.id, hash('d'), 0)).not.toBeNull();
    });
  });
}
