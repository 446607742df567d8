import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ZipArchiver } from '../../../../src/adapters/outbound/zip/zip-archiver.ts';
import type { ArchiveEntry } from '../../../../src/application/ports/files/archiver.ts';

const AT = Date.UTC(2026, 10, 20, 5, 6, 8);

async function* pieces(...content: (string | Buffer)[]): AsyncGenerator<Uint8Array> {
  for (const piece of content) yield Buffer.from(piece);
}

const entry = (path: string, over: Partial<ArchiveEntry> = {}): ArchiveEntry => ({
  path,
  kind: 'file',
  mode: 0o644,
  modifiedAt: AT,
  content: pieces(),
  ...over,
});

async function* all(...entries: ArchiveEntry[]): AsyncGenerator<ArchiveEntry> {
  yield* entries;
}

/** The result of Python's own reader, with checksums verified. */
const LOOK = `
import hashlib, json, sys, zipfile
z = zipfile.ZipFile(sys.argv[1])
assert z.testzip() is None
print(json.dumps([[i.filename, oct(i.external_attr >> 16), list(i.date_time), i.file_size, hashlib.sha256(z.read(i)).hexdigest()] for i in z.infolist()]))
`;

async function look(archive: Buffer): Promise<unknown> {
  const directory = await mkdtemp(join(tmpdir(), 'drover-zip-'));
  try {
    await writeFile(join(directory, 'a.zip'), archive);
    return JSON.parse(execFileSync('python3', ['-c', LOOK, join(directory, 'a.zip')]).toString());
  } finally {
    await rm(directory, { recursive: true });
  }
}

const hash = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');
const TIME = [2026, 11, 20, 5, 6, 8];

describe('A ZIP archive', () => {
  it('is read by others: files, directories, links, permissions, names in UTF-8', async () => {
    const large = randomBytes(300_000);
    const zip = new ZipArchiver().zip(
      all(
        entry('ä dir', { kind: 'dir', mode: 0o750 }),
        entry('ä dir/large', { content: pieces(large.subarray(0, 7), large.subarray(7)), mode: 0o600 }),
        entry('empty'),
        entry('link', { kind: 'link', mode: 0o777, content: pieces('../elsewhere') }),
        entry('text', { content: pieces('x'.repeat(10_000)), modifiedAt: 0 }),
      ),
    );
    const archive = Buffer.concat(await zip.toArray());
    expect(await look(archive)).toEqual([
      ['ä dir/', '0o40750', TIME, 0, hash('')],
      ['ä dir/large', '0o100600', TIME, 300_000, hash(large)],
      ['empty', '0o100644', TIME, 0, hash('')],
      ['link', '0o120777', TIME, 12, hash('../elsewhere')],
      ['text', '0o100644', [1980, 1, 1, 0, 0, 0], 10_000, hash('x'.repeat(10_000))],
    ]);
    expect(archive.length).toBeLessThan(302_000);
    expect(await look(Buffer.concat(await new ZipArchiver().zip(all()).toArray()))).toEqual([]);
  });

  it('ends in the error of an entry that cannot be read', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('half');
      throw new Error('it changed');
    }
    const zip = new ZipArchiver().zip(all(entry('a'), entry('b', { content: broken() }), entry('c')));
    await expect(zip.toArray()).rejects.toThrow('it changed');
  });
});
