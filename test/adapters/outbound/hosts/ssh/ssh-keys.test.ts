import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import ssh2 from 'ssh2';
import { describe, expect, it } from 'vitest';
import { SshKeyMaker } from '../../../../../src/adapters/outbound/hosts/ssh/ssh-keys.ts';
import { keyMakerContract } from '../../../../contracts/key-maker.contract.ts';

keyMakerContract('SSH', () => new SshKeyMaker());

const maker = new SshKeyMaker();

const PEM_KEYS = [
  ['RSA 2048 in PKCS#1', 'ssh-rsa', generateKeyPairSync('rsa', { modulusLength: 2048 }), 'pkcs1'],
  ['RSA 3072 in PKCS#8', 'ssh-rsa', generateKeyPairSync('rsa', { modulusLength: 3072 }), 'pkcs8'],
  ['P-256 in SEC1', 'ecdsa-sha2-nistp256', generateKeyPairSync('ec', { namedCurve: 'P-256' }), 'sec1'],
  ['P-384 in PKCS#8', 'ecdsa-sha2-nistp384', generateKeyPairSync('ec', { namedCurve: 'P-384' }), 'pkcs8'],
  ['P-521 in SEC1', 'ecdsa-sha2-nistp521', generateKeyPairSync('ec', { namedCurve: 'P-521' }), 'sec1'],
  ['ed25519 in PKCS#8', 'ssh-ed25519', generateKeyPairSync('ed25519'), 'pkcs8'],
] as const;

describe('import', () => {
  it.each(PEM_KEYS)('reads %s, with and without a passphrase', async (_, algorithm, { privateKey }, type) => {
    const plain = privateKey.export({ format: 'pem', type }).toString();
    const encrypted = privateKey
      .export({ format: 'pem', type, cipher: 'aes-256-cbc', passphrase: 'correct horse' })
      .toString();
    const pair = await maker.import(plain);
    expect(pair.algorithm).toBe(algorithm);
    expect(await maker.import(plain, '')).toMatchObject({ fingerprint: pair.fingerprint });
    expect(await maker.import(encrypted, 'correct horse')).toMatchObject({ fingerprint: pair.fingerprint });
    await expect(maker.import(encrypted)).rejects.toThrow('The key is encrypted: enter its passphrase.');
    await expect(maker.import(encrypted, 'wrong')).rejects.toThrow('The passphrase of the key is wrong.');
  });

  it.each(PEM_KEYS)(
    'writes %s so that ssh2 reads the same key',
    async (_, algorithm, { privateKey }, type) => {
      const { privateKey: pem } = await maker.import(privateKey.export({ format: 'pem', type }).toString());
      const parsed = ssh2.utils.parseKey(pem);
      if (parsed instanceof Error) throw parsed;
      const key = Array.isArray(parsed) ? parsed[0] : parsed;
      expect(key?.type).toBe(algorithm);
      const again = createPrivateKey(key?.getPrivatePEM() ?? '');
      expect(again.export({ format: 'jwk' })).toEqual(privateKey.export({ format: 'jwk' }));
    },
  );

  const pemOf = ({ privateKey }: { privateKey: KeyObject }): string =>
    privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();

  it.each([
    ['RSA of 1024 bits', () => generateKeyPairSync('rsa', { modulusLength: 1024 }), /1024 bits/],
    ['ed448', () => generateKeyPairSync('ed448'), /type ed448/],
    ['secp256k1', () => generateKeyPairSync('ec', { namedCurve: 'secp256k1' }), /type secp256k1/],
    ['DSA', () => generateKeyPairSync('dsa', { modulusLength: 1024, divisorLength: 160 }), /type ssh-dss/],
  ])('refuses %s, saying why', async (_, generate, reason) => {
    await expect(maker.import(pemOf(generate()))).rejects.toThrow(reason);
  });

  it.each([
    ['PuTTY-User-Key-File-2: ssh-rsa\n', /puttygen KEY -O private-openssh-new/],
    ['-----BEGIN CERTIFICATE-----\n', /certificate/],
    ['-----BEGIN PUBLIC KEY-----\n', /public key/],
    ['---- BEGIN SSH2 PUBLIC KEY ----\n', /public key/],
    ['ecdsa-sha2-nistp256 AAAA me@here', /public key/],
  ])('refuses %j, saying what it is', async (text, reason) => {
    await expect(maker.import(text)).rejects.toThrow(reason);
  });

  it('refuses a key that was cut off, without quoting it', async () => {
    const { privateKey } = await maker.generate('x');
    const cut = privateKey.split('\n').slice(0, 3).join('\n');
    await expect(maker.import(cut)).rejects.toThrow(/damaged|cut off/);
    await expect(maker.import(cut)).rejects.not.toThrow(new RegExp(privateKey.slice(50, 70)));
  });

  it('refuses a key whose halves do not belong together', async () => {
    const first = await maker.generate('x');
    const second = await maker.generate('x');
    const [, ...lines] = first.privateKey.split('\n');
    const file = Buffer.from(lines.slice(0, -2).join(''), 'base64');
    const publicHalf = (line: string): Buffer =>
      Buffer.from(line.split(' ')[1] ?? '', 'base64').subarray(-32);
    const at = file.lastIndexOf(publicHalf(first.publicKey).subarray(0, 32));
    publicHalf(second.publicKey).copy(file, at);
    const mixed = `-----BEGIN OPENSSH PRIVATE KEY-----\n${file.toString('base64')}\n-----END OPENSSH PRIVATE KEY-----\n`;
    const read = await maker.import(mixed).catch((error: unknown) => error);
    // the private half counts: either the file is refused, or its true public half is returned
    if (!(read instanceof Error)) expect(read).toMatchObject({ fingerprint: first.fingerprint });
  });

  it('refuses texts of any size quickly', async () => {
    await expect(maker.import('x'.repeat(10_000_000))).rejects.toThrow(/too long/);
  });
});
