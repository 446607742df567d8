import { beforeEach, describe, expect, it } from 'vitest';
import type { SshKey } from '../../src/domain/fleet/ssh-key.ts';
import { expectRefusal } from '../support/expect-refusal.ts';
import {
  AT,
  brokenRecord,
  type MakeStores,
  newServer,
  noRecord,
  type StoresSubject,
  trailOf,
} from '../support/stores-subject.ts';

const newKey = (name: string): Omit<SshKey, 'id' | 'sealedPrivateKey'> => ({
  name,
  algorithm: 'ssh-ed25519',
  publicKey: 'ssh-ed25519 AAAA drover',
  fingerprint: 'SHA256:abc',
  createdAt: AT,
});

const seal = (id: number): string => `sealed for ${id}`;

/** What every `KeyStore` does. */
export function keyStoreContract(name: string, makeStores: MakeStores): void {
  describe(`KeyStore: ${name}`, () => {
    let stores: StoresSubject;
    beforeEach(async () => {
      stores = await makeStores();
    });

    it('encrypts the private half for the id that the key gets, and finds it by id and name', async () => {
      const key = await stores.keys.add(newKey('default'), seal, trailOf('key.add', 'key'));
      expect(key).toEqual({ ...newKey('default'), id: key.id, sealedPrivateKey: seal(key.id) });
      expect(await stores.keys.find(key.id)).toEqual(key);
      expect(await stores.keys.findByName('default')).toEqual(key);
      expect(await stores.keys.find(key.id + 1)).toBeNull();
      expect(await stores.keys.findByName('Default')).toBeNull();
      expect(await stores.record()).toEqual({
        audit: [`key.add key:${key.id}`],
        events: ['server.recovered'],
      });
    });

    it('keeps a private half as long as they come', async () => {
      const sealed = 's'.repeat(20_000);
      const { id } = await stores.keys.add(newKey('rsa'), () => sealed, noRecord);
      expect((await stores.keys.find(id))?.sealedPrivateKey).toBe(sealed);
    });

    it('deletes a key, once no server is signed in to with it', async () => {
      const key = await stores.keys.add(newKey('old'), seal, noRecord);
      const other = await stores.keys.add(newKey('other'), seal, noRecord);
      const { id } = await stores.servers.add(
        newServer('web', { address: { sshKeyId: key.id } }),
        AT,
        noRecord,
      );
      const record = trailOf('key.remove', 'key')(key);
      await expectRefusal(stores.keys.remove(key.id, record), 'key_in_use');
      await stores.servers.remove(id, AT, {});
      await stores.keys.remove(key.id, record);
      expect(await stores.keys.list()).toEqual([other]);
      await expectRefusal(stores.keys.remove(key.id, record), 'key_not_found');
      expect((await stores.record()).audit).toEqual([`key.remove key:${key.id}`]);
    });

    it('refuses a name that is there', async () => {
      await stores.keys.add(newKey('default'), seal, noRecord);
      await expectRefusal(stores.keys.add(newKey('default'), seal, noRecord), 'name_taken');
    });

    it('keeps nothing if encrypting or recording fails', async () => {
      const unsealed = stores.keys.add(
        newKey('a'),
        () => {
          throw new Error('no seal today');
        },
        trailOf('key.add', 'key'),
      );
      await expect(unsealed).rejects.toThrow('no seal today');
      await expect(stores.keys.add(newKey('a'), seal, brokenRecord)).rejects.toThrow('no record today');
      expect(await stores.keys.list()).toEqual([]);
      expect((await stores.record()).audit).toEqual([]);
    });

    it('lists all in the order in which they came', async () => {
      for (const each of ['b', 'c', 'a']) await stores.keys.add(newKey(each), seal, noRecord);
      expect((await stores.keys.list()).map((key) => key.name)).toEqual(['b', 'c', 'a']);
    });
  });
}
