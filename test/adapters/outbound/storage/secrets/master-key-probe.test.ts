import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MasterKey } from '../../../../../src/adapters/outbound/storage/secrets/master-key.ts';
import { masterKeyPath } from '../../../../../src/adapters/outbound/storage/secrets/master-key-file.ts';
import { masterKeyProbe } from '../../../../../src/adapters/outbound/storage/secrets/master-key-probe.ts';
import { openSecretBox } from '../../../../../src/adapters/outbound/storage/secrets/open-secret-box.ts';
import type { SettingStore } from '../../../../../src/application/ports/service/setting-store.ts';
import { FakeClock } from '../../../../fakes/fake-clock.ts';
import { RecordingLogger } from '../../../../fakes/recording-logger.ts';
import { sceneDatabase } from '../../../../support/scene-database.ts';

let dataDir: string;
let settings: SettingStore;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'drover-key-'));
  ({ settings } = sceneDatabase(new FakeClock()));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const look = (configured: readonly MasterKey[] = []) =>
  masterKeyProbe({ configured, dataDir }, settings).look();
const start = () => openSecretBox({ configured: [], dataDir }, settings, new RecordingLogger());

describe('The probe of the master key', () => {
  test('finds nothing wrong before the first start, and makes nothing', async () => {
    expect(await look()).toMatchObject({
      verdict: 'ok',
      detail: expect.stringContaining('No secrets are stored yet'),
    });
    expect(await readdir(dataDir)).toEqual([]);
  });

  test('finds a key that fits', async () => {
    await start();
    expect(await look()).toMatchObject({
      verdict: 'ok',
      detail: expect.stringContaining(masterKeyPath(dataDir)),
    });
  });

  test('misses a key that is gone', async () => {
    await start();
    await rm(masterKeyPath(dataDir));
    expect(await look()).toMatchObject({ verdict: 'fail', detail: expect.stringContaining('is missing') });
  });

  test('finds a key that does not fit', async () => {
    await start();
    const other = new MasterKey(Buffer.alloc(32, 5));
    expect(await look([other])).toMatchObject({
      verdict: 'fail',
      detail: expect.stringContaining('SERVICE_MASTER_KEY does not match'),
    });
  });

  test('finds a key that others can read', async () => {
    await start();
    await chmod(masterKeyPath(dataDir), 0o644);
    expect(await look()).toMatchObject({ verdict: 'fail', detail: expect.stringContaining('chmod 600') });
  });
});
