import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  readArchive,
  writeArchive,
} from '../../../../../src/adapters/outbound/storage/archive/archive-file.ts';
import {
  identitiesIn,
  type Key,
  type Lock,
  makeKeyPair,
} from '../../../../../src/adapters/outbound/storage/archive/lock.ts';
import {
  type ArchiveItem,
  archiveValues,
  openArchive,
} from '../../../../../src/adapters/outbound/storage/archive/service-archive.ts';

/** Fast, and useless to attackers. */
const WORK = 4;
const LOCK: Lock = { kind: 'passphrase', passphrase: 'a long passphrase' };
/** age's chunk size. */
const CHUNK = 64 * 1024;
const SEAL = 16;
const HEAD = {
  service: '0.1.0',
  createdAt: '2026-11-20T05:00:00.000Z',
  engine: 'sqlite' as const,
  migrations: ['0001'],
  masterKeys: ['S2V5'],
};

let directory: string;
let path: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'drover-archive-'));
  path = join(directory, 'backup.age');
});
afterEach(() => rm(directory, { recursive: true }));

/** Rows that gzip cannot make small. */
async function* items(rows: number): AsyncGenerator<ArchiveItem> {
  yield { kind: 'table', table: 'jobs', columns: ['id', 'text'] };
  let state = 1;
  for (let id = 0; id < rows; id += 1) {
    let text = '';
    for (let n = 0; n < 60; n += 1) {
      state = (state * 48_271) % 2_147_483_647;
      text += String.fromCharCode(33 + (state % 90));
    }
    yield { kind: 'row', values: [id, text] };
  }
  yield { kind: 'table', table: 'empty', columns: ['id'] };
}

const write = (rows: number, lock: Lock = LOCK): Promise<void> =>
  writeArchive(
    path,
    lock,
    archiveValues(HEAD, items(rows), () => {}),
    WORK,
  );

async function readAll(key: Key = LOCK as Key): Promise<number> {
  const archive = await openArchive(readArchive(path, key));
  expect(archive.head).toEqual(HEAD);
  let rows = 0;
  for await (const item of archive.items) if (item.kind === 'row') rows += 1;
  expect(archive.total()).toEqual({ tables: 2, rows });
  return rows;
}

describe('a backup in a file', () => {
  it('comes back as it was, is for its owner alone, and leaves nothing else behind', async () => {
    await write(10_000);
    expect(await readAll()).toBe(10_000);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(directory)).toEqual(['backup.age']);
    const bytes = await readFile(path, 'latin1');
    expect(bytes.startsWith('age-encryption.org/v1\n')).toBe(true);
    expect(bytes).not.toMatch(/drover-backup|S2V5/);
  });

  it('is not written over another', async () => {
    await writeFile(path, 'mine');
    await expect(write(1)).rejects.toMatchObject({ code: 'file_exists' });
    expect(await readFile(path, 'utf8')).toBe('mine');
    expect(await readdir(directory)).toEqual(['backup.age']);
  });

  it('does not appear if it could not be written completely', async () => {
    async function* broken(): AsyncGenerator {
      yield* archiveValues(HEAD, items(5_000), () => {});
      throw new Error('the database is away');
    }
    await expect(writeArchive(path, LOCK, broken(), WORK)).rejects.toThrow('the database is away');
    expect(await readdir(directory)).toEqual([]);
  });

  it('opens for each key that it was made for, and for no other', async () => {
    const [mine, yours, other] = [await makeKeyPair(), await makeKeyPair(), await makeKeyPair()];
    await write(10, { kind: 'recipients', recipients: [mine.recipient, yours.recipient] });
    const withKey = (...identities: string[]): Promise<number> => readAll({ kind: 'identities', identities });
    expect(await withKey(mine.identity)).toBe(10);
    expect(await withKey(other.identity, yours.identity)).toBe(10);
    await expect(withKey(other.identity)).rejects.toMatchObject({
      code: 'backup_unreadable',
      message: `The key is wrong for ${path}.`,
    });
    await expect(readAll()).rejects.toMatchObject({ code: 'backup_unreadable' });
  });

  it('does not open with another passphrase', async () => {
    await write(10);
    await expect(readAll({ kind: 'passphrase', passphrase: 'another passphrase' })).rejects.toMatchObject({
      code: 'backup_unreadable',
      message: `The passphrase is wrong for ${path}.`,
    });
  });

  it('says if there is none', async () => {
    await expect(readAll()).rejects.toMatchObject({ code: 'file_not_found' });
  });

  it('is refused where it is cut off, anywhere', async () => {
    await write(6_000);
    const whole = await readFile(path);
    const payload = whole.indexOf('\n--- ');
    const cuts = [0, 10, payload, whole.length - 1, whole.length - SEAL - 1];
    // Also between two chunks, if each remaining one is valid.
    const start = whole.indexOf('\n', payload + 1) + 1 + 16;
    expect(whole.length - start).toBeGreaterThan(3 * CHUNK);
    for (let parts = 0; parts < 4; parts += 1) cuts.push(start + parts * (CHUNK + SEAL));
    for (const cut of cuts) {
      await writeFile(path, whole.subarray(0, cut));
      await expect(readAll(), `cut at ${cut}`).rejects.toMatchObject({ code: 'backup_unreadable' });
    }
  });

  it('is refused where a bit is another, anywhere', async () => {
    await write(3_000);
    const whole = await readFile(path);
    for (let n = 0; n < 60; n += 1) {
      const changed = Buffer.from(whole);
      const at = Math.floor((n * whole.length) / 60);
      changed[at] = (changed[at] ?? 0) ^ (1 << (n % 8));
      await writeFile(path, changed);
      await expect(readAll(), `byte ${at}`).rejects.toMatchObject({ code: 'backup_unreadable' });
    }
  });

  it('is refused where its parts come in another order, twice, or are followed by more', async () => {
    await write(6_000);
    const whole = await readFile(path);
    const start = whole.indexOf('\n', whole.indexOf('\n--- ') + 1) + 1 + 16;
    const part = (n: number): Buffer =>
      whole.subarray(start + n * (CHUNK + SEAL), start + (n + 1) * (CHUNK + SEAL));
    const rest = whole.subarray(start + 2 * (CHUNK + SEAL));
    const head = whole.subarray(0, start);
    for (const parts of [
      [head, part(1), part(0), rest],
      [head, part(0), part(0), part(1), rest],
      [head, part(1), rest],
      [whole, Buffer.from('more')],
      [whole, part(0)],
    ]) {
      await writeFile(path, Buffer.concat(parts));
      await expect(readAll()).rejects.toMatchObject({ code: 'backup_unreadable' });
    }
  });
});

describe('a file of keys', () => {
  it('may have comments, and has to have a key', async () => {
    const { identity, recipient } = await makeKeyPair();
    expect(identitiesIn(`# public key: ${recipient}\n\n${identity}\n`)).toEqual([identity]);
    for (const text of ['', '# nothing', recipient, `${identity}\nnonsense`]) {
      expect(() => identitiesIn(text)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
    }
  });
});
