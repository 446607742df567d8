import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { certificateProbe } from '../../../../src/adapters/outbound/tls/certificate-probe.ts';
import type { KeyPairFiles } from '../../../../src/adapters/outbound/tls/key-pair.ts';
import { WatchedKeyPair } from '../../../../src/adapters/outbound/tls/watched-key-pair.ts';
import { RecordingLogger } from '../../../fakes/recording-logger.ts';
import { LOCKED_KEY, OTHER_CERTIFICATE, RENEWED, SELF_SIGNED } from '../../../support/certificates.ts';
import { eventually } from '../../../support/processes.ts';

const WITHIN_MS = 30_000;

let directory: string;
let files: KeyPairFiles;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'drover-tls-'));
  files = { certPath: join(directory, 'cert.pem'), keyPath: join(directory, 'key.pem') };
  await write(SELF_SIGNED);
});
afterEach(() => rm(directory, { recursive: true }));

const write = async ({ cert, key }: { cert: string; key: string }): Promise<void> => {
  await writeFile(files.certPath, cert);
  await writeFile(files.keyPath, key);
};

describe('a certificate and its key', () => {
  it.each([
    [
      'another key',
      { cert: OTHER_CERTIFICATE, key: SELF_SIGNED.key },
      'keyPath',
      'does not belong to the certificate',
    ],
    ['a key with a passphrase', { cert: RENEWED.cert, key: LOCKED_KEY }, 'keyPath', 'has a passphrase'],
    ['no key', { cert: RENEWED.cert, key: 'nothing' }, 'keyPath', 'contains no PEM private key'],
    [
      'no certificate',
      { cert: 'nothing', key: SELF_SIGNED.key },
      'certPath',
      'does not start with a PEM certificate',
    ],
  ])('are refused with %s, without a word of what is in them', async (_, pair, file, why) => {
    await write(pair);
    const opening = WatchedKeyPair.open(files, new RecordingLogger());
    await expect(opening).rejects.toMatchObject({ file, message: expect.stringContaining(why) });
    await expect(opening).rejects.not.toThrow(/BEGIN|nothing/);
  });

  it('are refused where one cannot be read', async () => {
    await rm(files.keyPath);
    await expect(WatchedKeyPair.open(files, new RecordingLogger())).rejects.toMatchObject({
      file: 'keyPath',
      message: `the file ${files.keyPath} cannot be read (ENOENT)`,
    });
  });

  it('are reloaded when they change, and the previous ones stay if the new are invalid', async () => {
    const log = new RecordingLogger();
    const pair = await WatchedKeyPair.open(files, log);
    const taken: string[] = [];
    pair.onChange(({ cert }) => taken.push(cert));
    try {
      await write({ cert: OTHER_CERTIFICATE, key: SELF_SIGNED.key });
      await eventually('the bad pair is told of', WITHIN_MS, () =>
        Promise.resolve(log.messages('warn').length > 0 || undefined),
      );
      expect(pair.current.cert).toBe(SELF_SIGNED.cert);
      // As programs that renew do it: written beside, then put into place.
      await writeFile(join(directory, 'new'), RENEWED.cert);
      await rename(join(directory, 'new'), files.certPath);
      await writeFile(files.keyPath, RENEWED.key);
      await eventually('the new pair is taken', WITHIN_MS, () =>
        Promise.resolve(pair.current.cert === RENEWED.cert || undefined),
      );
      expect(taken).toEqual([RENEWED.cert]);
      expect(JSON.stringify(log.lines)).not.toContain('BEGIN');
    } finally {
      await pair.close();
    }
  });
});

describe('the doctor', () => {
  const look = (now: number) => certificateProbe(files, { now: () => now }).look();

  it.each([
    [Date.UTC(2126, 8, 27), 'ok', 'expires on 2126-10-27, in 30 days.'],
    [Date.UTC(2126, 9, 26), 'warn', 'expires on 2126-10-27, in 1 day.'],
    [Date.UTC(2126, 9, 28), 'fail', 'expired on 2126-10-27.'],
  ])('says when the certificate ends: %d', async (now, verdict, ends) => {
    expect(await look(now)).toMatchObject({
      verdict,
      detail: `The certificate in ${files.certPath} ${ends}`,
    });
  });

  it('reports faults of the files', async () => {
    await rm(files.certPath);
    expect(await look(0)).toMatchObject({
      verdict: 'fail',
      detail: `No HTTPS: the file ${files.certPath} cannot be read (ENOENT).`,
    });
  });
});
