import { describe, expect, it } from 'vitest';
import type { KeyMaker } from '../../src/application/ports/fleet/key-maker.ts';

/** Every `KeyMaker` does this. */
export function keyMakerContract(name: string, make: () => KeyMaker): void {
  describe(`KeyMaker: ${name}`, () => {
    it('makes an ed25519 pair with the comment in its public half', async () => {
      const pair = await make().generate('drover: web 1');
      expect(pair.algorithm).toBe('ssh-ed25519');
      expect(pair.publicKey).toMatch(/^ssh-ed25519 [A-Za-z0-9+/]{68} drover: web 1$/);
      expect(pair.fingerprint).toMatch(/^SHA256:[A-Za-z0-9+/]{43}$/);
      expect(pair.privateKey).toMatch(/^-----BEGIN OPENSSH PRIVATE KEY-----\n/);
    });

    it('never makes the same pair twice', async () => {
      const pairs = await Promise.all(Array.from({ length: 20 }, () => make().generate('x')));
      expect(new Set(pairs.map(({ fingerprint }) => fingerprint)).size).toBe(20);
    });

    it('reads what it made', async () => {
      const maker = make();
      const made = await maker.generate('again');
      const { algorithm, publicKey, fingerprint } = await maker.import(made.privateKey);
      expect({ algorithm, publicKey, fingerprint }).toEqual({
        algorithm: made.algorithm,
        publicKey: made.publicKey,
        fingerprint: made.fingerprint,
      });
    });

    it.each(['two\nlines', 'a\0b', 'x'.repeat(201)])('refuses the comment %j', async (comment) => {
      await expect(make().generate(comment)).rejects.toMatchObject({ code: 'invalid_input' });
    });

    it.each(['', 'hello', '-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----'])(
      'refuses %j as a key',
      async (pem) => {
        await expect(make().import(pem)).rejects.toMatchObject({ code: 'invalid_input' });
      },
    );

    it('refuses the public half, saying so', async () => {
      const { publicKey } = await make().generate('x');
      await expect(make().import(publicKey)).rejects.toThrow(/public key/);
    });
  });
}
