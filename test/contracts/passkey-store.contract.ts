import { beforeEach, describe, expect, it } from 'vitest';
import type { NewPasskey } from '../../src/domain/access/passkey.ts';
import { expectRefusal } from '../support/expect-refusal.ts';
import {
  AT,
  brokenRecord,
  type MakeStores,
  noRecord,
  type StoresSubject,
  trailOf,
} from '../support/stores-subject.ts';

/** What every `PasskeyStore` does. */
export function passkeyStoreContract(name: string, makeStores: MakeStores): void {
  describe(`PasskeyStore: ${name}`, () => {
    let stores: StoresSubject;
    let userId: number;
    beforeEach(async () => {
      stores = await makeStores();
      const user = { name: 'ann', role: 'viewer', createdBy: 'test', createdAt: AT } as const;
      userId = (await stores.users.add(user, noRecord)).id;
    });

    const newPasskey = (credentialId: string, over: Partial<NewPasskey> = {}): NewPasskey => ({
      userId,
      name: 'Laptop',
      credentialId,
      publicKey: 'pQECAyYgASFY',
      rpId: 'drover.example.org',
      counter: 0,
      transports: ['usb', 'internal'],
      createdAt: AT,
      ...over,
    });
    const passkeysOf = async (): Promise<number | undefined> => (await stores.users.find(userId))?.passkeys;

    it('keeps every field, and finds one with its user', async () => {
      const { passkeys } = stores;
      const long = 'A_-'.repeat(454);
      const added = await passkeys.add(newPasskey(long), 10, trailOf('user.add_passkey', 'passkey'));
      expect(added).toEqual({ ...newPasskey(long), id: added.id, lastUsedAt: null });
      const user = await stores.users.find(userId);
      expect(await passkeys.find(long)).toEqual({ passkey: added, user });
      expect(user?.passkeys).toBe(1);
      expect(await passkeys.find(long.toLowerCase())).toBeNull();
      expect((await stores.record()).audit).toEqual([`user.add_passkey passkey:${added.id}`]);
    });

    it('refuses a known one and one too many, and keeps nothing if the record fails', async () => {
      const { passkeys } = stores;
      await passkeys.add(newPasskey('a'), 2, noRecord);
      await expectRefusal(passkeys.add(newPasskey('a'), 2, noRecord), 'passkey_refused');
      await expect(passkeys.add(newPasskey('b'), 2, brokenRecord)).rejects.toThrow('no record');
      expect(await passkeysOf()).toBe(1);
      const both = ['c', 'd'].map((id) =>
        passkeys.add(newPasskey(id), 2, noRecord).then(
          () => id,
          () => null,
        ),
      );
      expect((await Promise.all(both)).filter((id) => id !== null)).toHaveLength(1);
      await expectRefusal(passkeys.add(newPasskey('e'), 2, noRecord), 'invalid_input');
      expect(await passkeysOf()).toBe(2);
    });

    it('writes a use only if the counter is ahead, or stays 0', async () => {
      const { passkeys } = stores;
      const { id } = await passkeys.add(newPasskey('a'), 10, noRecord);
      expect(await passkeys.use(id, 0, AT + 1)).toBe(true);
      expect(await passkeys.use(id, 5, AT + 2)).toBe(true);
      for (const counter of [5, 4, 0]) expect(await passkeys.use(id, counter, AT + 3)).toBe(false);
      expect(await passkeys.list(userId)).toMatchObject([{ counter: 5, lastUsedAt: AT + 2 }]);
      const used = await Promise.all([passkeys.use(id, 6, AT + 4), passkeys.use(id, 6, AT + 4)]);
      expect(used.filter(Boolean)).toHaveLength(1);
    });

    it('renames and removes those of the user only', async () => {
      const { passkeys } = stores;
      const { id } = await passkeys.add(newPasskey('a'), 10, noRecord);
      await expectRefusal(passkeys.rename(userId + 1, id, 'x', {}), 'passkey_not_found');
      await expectRefusal(passkeys.remove(userId + 1, id, {}), 'passkey_not_found');
      await passkeys.rename(userId, id, 'Phone', {});
      expect(await passkeys.list(userId)).toMatchObject([{ name: 'Phone' }]);
      await passkeys.remove(userId, id, trailOf('user.remove_passkey', 'passkey')({ id }));
      expect(await passkeys.list(userId)).toEqual([]);
      expect(await passkeysOf()).toBe(0);
      await expectRefusal(passkeys.remove(userId, id, {}), 'passkey_not_found');
    });

    it('removes recovery codes only if two-factor authentication is off then', async () => {
      const { passkeys, users } = stores;
      const [a, b] = [
        await passkeys.add(newPasskey('a'), 10, noRecord),
        await passkeys.add(newPasskey('b'), 10, noRecord),
      ];
      await users.setRecoveryCodes(userId, ['f'.repeat(64)], {});
      await passkeys.remove(userId, a.id, {});
      expect(await users.countRecoveryCodes(userId)).toBe(1);
      await users.change(userId, { totpSecret: 'sealed' }, noRecord);
      await passkeys.remove(userId, b.id, {});
      expect(await users.countRecoveryCodes(userId)).toBe(1);
      await passkeys.add(newPasskey('c'), 10, noRecord);
      await users.change(userId, { totpSecret: null }, noRecord);
      expect(await users.countRecoveryCodes(userId)).toBe(1);
      expect(await users.change(userId, { passkeys: 0 }, noRecord)).toMatchObject({ passkeys: 0 });
      expect(await passkeys.list(userId)).toEqual([]);
      expect(await users.countRecoveryCodes(userId)).toBe(0);
    });

    it('ends a challenge once, while it is young, for its purpose and its browser', async () => {
      const { passkeys } = stores;
      const challenge = { purpose: 'code', boundTo: 'session:1', startedAt: AT } as const;
      expect(await passkeys.addChallenge('a', challenge, 2)).toBe(true);
      expect(
        await passkeys.addChallenge('b', { ...challenge, boundTo: 'session:2', startedAt: AT + 5 }, 2),
      ).toBe(true);
      expect(await passkeys.addChallenge('c', { ...challenge, boundTo: 'session:3' }, 2)).toBe(false);
      const wrong = [
        { ...challenge, purpose: 'confirm' },
        { ...challenge, boundTo: 'session:2' },
        { ...challenge, startedAt: AT + 1 },
      ] as const;
      for (const each of wrong) expect(await passkeys.takeChallenge('a', each)).toBe(false);
      const taken = await Promise.all([1, 2, 3].map(() => passkeys.takeChallenge('a', challenge)));
      expect(taken.filter(Boolean)).toHaveLength(1);
      expect(await passkeys.forgetChallengesBefore(AT + 5, 10)).toBe(0);
      expect(await passkeys.forgetChallengesBefore(AT + 6, 10)).toBe(1);
    });

    it('replaces an unanswered challenge of the same session and purpose', async () => {
      const { passkeys } = stores;
      const challenge = { purpose: 'code', boundTo: 'session:1', startedAt: AT } as const;
      for (const hash of ['a', 'b', 'c']) expect(await passkeys.addChallenge(hash, challenge, 1)).toBe(true);
      expect(await passkeys.takeChallenge('a', challenge)).toBe(false);
      expect(await passkeys.takeChallenge('c', challenge)).toBe(true);
    });
  });
}
