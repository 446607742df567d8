import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { must } from '../../../../../scripts/lib/programs.mjs';
import { SshKeyMaker } from '../../../../../src/adapters/outbound/hosts/ssh/ssh-keys.ts';
import { describeWith } from '../../../../support/capabilities.ts';

const TYPES = [
  ['ed25519', '256'],
  ['ecdsa', '256'],
  ['ecdsa', '384'],
  ['ecdsa', '521'],
  ['rsa', '2048'],
  ['rsa', '4096'],
] as const;

describeWith('ssh', 'SSH keys and OpenSSH', () => {
  const maker = new SshKeyMaker();
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'drover-keys-'));
  });
  afterAll(() => rm(directory, { recursive: true }));

  const fingerprintOf = async (file: string): Promise<string | undefined> =>
    (await must('ssh-keygen', ['-lf', file])).split(' ')[1];

  it('makes keys that OpenSSH reads', async () => {
    const pair = await maker.generate('drover web1');
    const file = join(directory, 'made');
    await writeFile(file, pair.privateKey, { mode: 0o600 });
    expect((await must('ssh-keygen', ['-yf', file])).trim()).toBe(pair.publicKey);
    expect(await fingerprintOf(file)).toBe(pair.fingerprint);
  });

  describe.each(TYPES)('%s of %s bits', (type, bits) => {
    const make = async (passphrase: string, ...more: readonly string[]): Promise<string> => {
      const file = join(directory, `${type}${bits}${passphrase}${more.join('')}`);
      const args = ['-q', '-t', type, '-b', bits, '-C', 'me@here', '-N', passphrase, '-f', file, ...more];
      await must('ssh-keygen', args);
      return file;
    };

    it('is read in OpenSSH format and written the same', async () => {
      const file = await make('');
      const pair = await maker.import(await readFile(file, 'utf8'));
      expect(pair.fingerprint).toBe(await fingerprintOf(`${file}.pub`));
      expect(pair.publicKey).toBe((await readFile(`${file}.pub`, 'utf8')).trim());
      const again = `${file}-again`;
      await writeFile(again, pair.privateKey, { mode: 0o600 });
      expect((await must('ssh-keygen', ['-yf', again])).trim()).toBe(pair.publicKey);
    });

    it('is read with its passphrase, and refused with another or none', async () => {
      const file = await make('secret', '-a', '4');
      const text = await readFile(file, 'utf8');
      const pair = await maker.import(text, 'secret');
      expect(pair.fingerprint).toBe(await fingerprintOf(`${file}.pub`));
      expect(pair.privateKey).not.toContain('bcrypt');
      await expect(maker.import(text, 'wrong')).rejects.toThrow('The passphrase of the key is wrong.');
      await expect(maker.import(text)).rejects.toThrow('The key is encrypted: enter its passphrase.');
    });
  });

  it('refuses a passphrase stretched so far that reading it would take minutes', async () => {
    const file = join(directory, 'slow');
    await must('ssh-keygen', ['-q', '-t', 'ed25519', '-N', 'secret', '-a', '4', '-f', file]);
    const body = Buffer.from((await readFile(file, 'utf8')).replace(/-----.*-----/g, ''), 'base64');
    // the number of rounds follows a salt of 16 bytes, and making a key with that many would take long as well
    body.writeUInt32BE(500, body.indexOf('bcrypt') + 'bcrypt'.length + 4 + 4 + 16);
    const text = `-----BEGIN OPENSSH PRIVATE KEY-----\n${body.toString('base64')}\n-----END OPENSSH PRIVATE KEY-----`;
    await expect(maker.import(text, 'secret')).rejects.toThrow(/ssh-keygen -p -a 24/);
  });
});
