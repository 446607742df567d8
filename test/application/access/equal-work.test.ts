import { expect, test } from 'vitest';
import { ScryptPasswordHasher } from '../../../src/adapters/outbound/system/scrypt-password-hasher.ts';
import { Actor } from '../../../src/domain/access/actor.ts';
import { accountsScene, BROWSER, PASSWORD } from '../../support/accounts-scene.ts';

/** Each derivation normalises its password once, and is all that takes time. */
function counted(word: string): { readonly password: string; readonly derivations: () => number } {
  let derivations = 0;
  const normalize = (form: string): string => {
    derivations += 1;
    return word.normalize(form);
  };
  return { password: Object.assign(Object(word), { normalize }) as string, derivations: () => derivations };
}

test('a password is derived once, whether there is a hash to hold it against or not', async () => {
  const hasher = new ScryptPasswordHasher({ logN: 4, r: 8, p: 1 });
  for (const hash of [await hasher.hash(PASSWORD), null, 'no hash at all']) {
    const { password, derivations } = counted('not the password');
    expect(await hasher.verify(password, hash)).toBe(false);
    expect(derivations(), String(hash)).toBe(1);
  }
});

test('a sign-in verifies one password, whether or not the user exists', async () => {
  const scene = accountsScene();
  await scene.setUp();
  const operator = Actor.operator('cli:root');
  await scene.manageUsers.invite(operator, { name: 'ann', role: 'viewer' });
  const verify = scene.hasher.verify.bind(scene.hasher);
  let verified = 0;
  scene.hasher.verify = (...given) => {
    verified += 1;
    return verify(...given);
  };
  for (const name of ['root', 'nobody', 'ann', 'a name\nof nobody', 'x'.repeat(500)]) {
    verified = 0;
    await scene.signIn.execute({ name, password: 'not the password' }, BROWSER).catch(() => undefined);
    expect(verified, name).toBe(1);
  }
});
