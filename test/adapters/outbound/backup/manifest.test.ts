import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ByteString,
  bytesOfText,
  compareWalkOrder,
} from '../../../../src/adapters/outbound/backup/byte-string.ts';
import {
  decodeEntry,
  ENTRY_TYPES,
  encodeEntry,
  type ManifestEntry,
} from '../../../../src/adapters/outbound/backup/manifest-entry.ts';
import { ManifestWriter, readManifest } from '../../../../src/adapters/outbound/backup/manifest-file.ts';
import { expectRefusal } from '../../../support/expect-refusal.ts';

const nameBytes = fc
  .uint8Array({ minLength: 1, maxLength: 30 })
  .map((array) =>
    Array.from(array, (byte) => String.fromCharCode(byte === 0 || byte === 0x2f ? 0x0a : byte)).join(''),
  )
  .filter((name) => name !== '.' && name !== '..');
const names = fc.oneof(
  nameBytes,
  fc.constantFrom('q\'u"o`te', '$(touch x)', 'new\nline', '-dash', 'ünï', 'trail '),
);
const paths = fc.array(names, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/') as ByteString);
const whole = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const entries: fc.Arbitrary<ManifestEntry> = fc.record(
  {
    path: paths,
    type: fc.constantFrom(...ENTRY_TYPES),
    size: whole,
    mtimeNs: fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n }),
    mode: fc.integer({ min: 0, max: 0o7777 }),
    uid: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    gid: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    sha256: fc.constant('ab'.repeat(32)),
    target: nameBytes.map((name) => name as ByteString),
    device: whole,
  },
  { requiredKeys: ['path', 'type', 'size', 'mtimeNs', 'mode', 'uid', 'gid'] },
);

describe('a line of a manifest', () => {
  it('holds everything of an entry, on one line of text', () => {
    fc.assert(
      fc.property(entries, (entry) => {
        const line = encodeEntry(entry);
        expect(line).not.toMatch(/[\n\r]/);
        expect(Buffer.from(line).toString()).toBe(line);
        expect(decodeEntry(line)).toEqual(entry);
      }),
      { numRuns: 1_000 },
    );
  });

  it('shows names as text where they are text', () => {
    const entry = { type: 'file', size: 1, mtimeNs: 0n, mode: 0o644, uid: 0, gid: 0 } as const;
    expect(encodeEntry({ ...entry, path: bytesOfText('grün') })).toContain('"path":"grün"');
    expect(encodeEntry({ ...entry, path: '\xff' as ByteString })).toContain('"pathBase64":"/w=="');
  });

  it.each(['/etc', '../x', 'a/../b', 'a//b', '', '.', 'a/', 'nul\0'])('refuses the path %j', (path) => {
    const line = { path, type: 'file', size: 1, mtimeNs: '0', mode: '0644', uid: 0, gid: 0 };
    expect(() => decodeEntry(JSON.stringify(line))).toThrowError();
  });

  it('refuses unknown fields and wrong types', () => {
    const good = { path: 'a', type: 'file', size: 1, mtimeNs: '0', mode: '0644', uid: 0, gid: 0 };
    expect(() => decodeEntry(JSON.stringify(good))).not.toThrowError();
    for (const change of [{ more: 1 }, { size: -1 }, { mode: '9999' }, { type: 'door' }, { sha256: 'x' }]) {
      expect(() => decodeEntry(JSON.stringify({ ...good, ...change }))).toThrowError();
    }
  });
});

describe('a manifest', () => {
  let directory: string;
  let number = 0;
  const fresh = (): string => join(directory, `manifest-${++number}`);
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'drover-manifest-'));
  });
  afterAll(() => rm(directory, { recursive: true }));

  const write = async (path: string, all: readonly ManifestEntry[]): Promise<string> => {
    const writer = await ManifestWriter.create(path);
    for (const entry of all) await writer.add(entry);
    return writer.finish();
  };
  const read = async (path: string, sha256?: string): Promise<ManifestEntry[]> => {
    const all: ManifestEntry[] = [];
    for await (const entry of readManifest(path, sha256)) all.push(entry);
    return all;
  };
  const file = (path: string): ManifestEntry => ({
    path: path as ByteString,
    type: 'file',
    size: 1,
    mtimeNs: 1n,
    mode: 0o644,
    uid: 0,
    gid: 0,
    sha256: '0'.repeat(64),
  });

  it('is read as it was written', async () => {
    const sorted = fc
      .uniqueArray(entries, { selector: ({ path }) => path, maxLength: 30 })
      .map((all) => all.toSorted((a, b) => compareWalkOrder(a.path, b.path)));
    await fc.assert(
      fc.asyncProperty(sorted, async (all) => {
        const path = fresh();
        expect(await read(path, await write(path, all))).toEqual(all);
      }),
      { numRuns: 50 },
    );
  });

  it('is read and written in pieces where it is large', async () => {
    const path = fresh();
    const many = Array.from({ length: 20_000 }, (_, index) => file(`f${String(index).padStart(6, '0')}`));
    const sha256 = await write(path, many);
    expect(await read(path, sha256)).toEqual(many);
  });

  it('is never written over another, nor through a link', async () => {
    const path = fresh();
    await writeFile(path, 'old');
    await expect(write(path, [])).rejects.toMatchObject({ code: 'EEXIST' });
    expect(await readFile(path, 'utf8')).toBe('old');
    const link = fresh();
    await symlink(path, link);
    await expect(write(link, [])).rejects.toMatchObject({ code: 'EEXIST' });
    await expectRefusal(read(link), 'snapshot_damaged');
  });

  it.each([
    ['is gone', null],
    ['is cut', `${encodeEntry({ ...file('a') })}\n{"path"`],
    ['has an invalid line', 'hello\n'],
    ['has an unterminated line', 'x'.repeat(400_000)],
    ['is not in order', `${encodeEntry(file('b'))}\n${encodeEntry(file('a'))}\n`],
    ['names a path twice', `${encodeEntry(file('a'))}\n${encodeEntry(file('a'))}\n`],
  ])('is refused when it %s', async (_, content) => {
    const path = fresh();
    if (content !== null) await writeFile(path, content);
    await expectRefusal(read(path), 'snapshot_damaged');
  });

  it('is refused when it is not the one that was recorded', async () => {
    const path = fresh();
    await write(path, [file('a')]);
    await expectRefusal(read(path, '0'.repeat(64)), 'snapshot_damaged');
  });
});
