import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MasterKey } from '../../../../../src/adapters/outbound/storage/secrets/master-key.ts';
import {
  makeMasterKeyFile,
  masterKeyPath,
  readMasterKeyFile,
} from '../../../../../src/adapters/outbound/storage/secrets/master-key-file.ts';
import {
  masterKeyFits,
  openSecretBox,
} from '../../../../../src/adapters/outbound/storage/secrets/open-secret-box.ts';
import { RecordingLogger } from '../../../../fakes/recording-logger.ts';

const PLACE = { table: 'ssh_keys', column: 'private_key', row: 7 };
const keyOf = (byte: number) => new MasterKey(Buffer.alloc(32, byte));

function memorySettings() {
  const values = new Map<string, string>();
  return {
    values,
    get: async (name: string) => values.get(name) ?? null,
    set: async (name: string, value: string) => void values.set(name, value),
    setOnce: async (name: string, value: string) => !values.has(name) && values.set(name, value) === values,
  };
}

let dataDir: string;
let logger: RecordingLogger;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'drover-key-'));
  logger = new RecordingLogger();
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

describe('The first start', () => {
  test('makes a key file that only its owner can read, and says to back it up', async () => {
    const settings = memorySettings();
    const box = await openSecretBox({ configured: [], dataDir }, settings, logger);
    const path = masterKeyPath(dataDir);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(Buffer.from((await readFile(path, 'utf8')).trim(), 'base64')).toHaveLength(32);
    expect(logger.messages('warn')).toEqual([expect.stringMatching(/Back it up now/)]);
    expect(JSON.stringify(logger.lines)).not.toContain((await readFile(path, 'utf8')).trim());

    const again = await openSecretBox({ configured: [], dataDir }, settings, logger);
    expect(again.open(box.seal('hunter2', PLACE), PLACE)).toBe('hunter2');
    expect(logger.messages('warn')).toHaveLength(1);
  });

  test('creates the data directory if it is missing', async () => {
    await openSecretBox({ configured: [], dataDir: join(dataDir, 'a/b') }, memorySettings(), logger);
    expect(await readdir(join(dataDir, 'a/b'))).toEqual(['master.key']);
  });

  test('makes no file where the key is configured', async () => {
    await openSecretBox({ configured: [keyOf(1)], dataDir }, memorySettings(), logger);
    expect(await readdir(dataDir)).toEqual([]);
    expect(logger.lines).toEqual([]);
  });

  test('of many at once makes one key', async () => {
    const settings = memorySettings();
    const boxes = await Promise.all(
      Array.from({ length: 20 }, () => openSecretBox({ configured: [], dataDir }, settings, logger)),
    );
    const sealed = boxes.map((box) => box.seal('hunter2', PLACE));
    for (const [index, box] of boxes.entries()) {
      expect(box.open(sealed[(index + 1) % boxes.length] ?? '', PLACE)).toBe('hunter2');
    }
    expect(await readdir(dataDir)).toEqual(['master.key']);
    expect(logger.messages('warn')).toHaveLength(1);
  });
});

describe('A first start that the database breaks off', () => {
  test('leaves the key, which another process may already use', async () => {
    const settings = memorySettings();
    const broken = { ...settings, setOnce: () => Promise.reject(new Error('gone away')) };
    await expect(openSecretBox({ configured: [], dataDir }, broken, logger)).rejects.toThrow('gone away');
    expect(await readdir(dataDir)).toEqual(['master.key']);
  });
});

describe('A later start', () => {
  test('takes the key that another process made in between', async () => {
    const settings = memorySettings();
    const other = await openSecretBox({ configured: [], dataDir }, settings, logger);
    let asked = 0;
    const late = { ...settings, get: async (name: string) => (asked++ === 0 ? null : settings.get(name)) };
    const box = await openSecretBox({ configured: [], dataDir }, late, logger);
    expect(box.open(other.seal('hunter2', PLACE), PLACE)).toBe('hunter2');
  });

  test('is refused with another key, and says which', async () => {
    const settings = memorySettings();
    await openSecretBox({ configured: [keyOf(1)], dataDir }, settings, logger);
    const wrong = openSecretBox({ configured: [keyOf(2)], dataDir }, settings, logger);
    await expect(wrong).rejects.toMatchObject({
      code: 'secret_unreadable',
      message: expect.stringMatching(
        new RegExp(`SERVICE_MASTER_KEY \\(${keyOf(2).id}\\) does not match.*\\(${keyOf(1).id}\\)`),
      ),
    });
  });

  test('takes a new key as long as the old one is still there', async () => {
    const settings = memorySettings();
    const before = await openSecretBox({ configured: [keyOf(1)], dataDir }, settings, logger);
    const sealed = before.seal('hunter2', PLACE);
    const rotating = await openSecretBox({ configured: [keyOf(2), keyOf(1)], dataDir }, settings, logger);
    expect(rotating.open(sealed, PLACE)).toBe('hunter2');
  });

  test('is refused where the key file is lost, and makes no new one', async () => {
    const settings = memorySettings();
    await openSecretBox({ configured: [], dataDir }, settings, logger);
    await rm(masterKeyPath(dataDir));
    await expect(openSecretBox({ configured: [], dataDir }, settings, logger)).rejects.toThrow(
      /master key is missing/,
    );
    expect(await readdir(dataDir)).toEqual([]);
  });

  test('of a second replica with another key is refused, and its key file is removed again', async () => {
    const settings = memorySettings();
    await openSecretBox({ configured: [keyOf(1)], dataDir }, settings, logger);
    let asked = 0;
    const raced = {
      ...settings,
      get: async (name: string) => {
        asked += 1;
        return asked <= 2 ? null : settings.get(name);
      },
    };
    await expect(openSecretBox({ configured: [], dataDir }, raced, logger)).rejects.toThrow(
      /same SERVICE_MASTER_KEY/,
    );
    expect(await readdir(dataDir)).toEqual([]);
  });
});

describe('The key file', () => {
  test.each([0o644, 0o640, 0o604, 0o620])(
    'is refused with mode %o, with the command that fixes it',
    async (mode) => {
      const path = masterKeyPath(dataDir);
      await makeMasterKeyFile(path);
      await chmod(path, mode);
      await expect(readMasterKeyFile(path)).rejects.toThrow(`chmod 600 ${path}`);
    },
  );

  test.each(['', '\n', 'not a key\n'])('is refused when it holds %j', async (content) => {
    const path = masterKeyPath(dataDir);
    await writeFile(path, content, { mode: 0o600 });
    await expect(readMasterKeyFile(path)).rejects.toMatchObject({ code: 'secret_unreadable' });
  });

  test('is refused when it is a directory', async () => {
    await expect(readMasterKeyFile(dataDir)).rejects.toMatchObject({ code: 'secret_unreadable' });
  });

  test('is never overwritten', async () => {
    const path = masterKeyPath(dataDir);
    await writeFile(path, 'mine', { mode: 0o600 });
    expect(await makeMasterKeyFile(path)).toBe(false);
    expect(await readFile(path, 'utf8')).toBe('mine');
    expect(await readdir(dataDir)).toEqual(['master.key']);
  });
});

describe('masterKeyFits', () => {
  test('tells a fitting key from another, and from a database without secrets', async () => {
    const settings = memorySettings();
    expect(await masterKeyFits([keyOf(1)], settings)).toBeNull();
    await openSecretBox({ configured: [keyOf(1)], dataDir }, settings, logger);
    expect(await masterKeyFits([keyOf(1)], settings)).toBe(true);
    expect(await masterKeyFits([keyOf(2)], settings)).toBe(false);
  });
});
