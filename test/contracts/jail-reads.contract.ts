import { createHash, randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { JailPath } from '../../src/domain/files/jail-path.ts';
import { at, type JailBench } from './jail-bench.ts';

const shown = (name: Uint8Array): string => Buffer.from(name).toString('latin1');
const sha256 = (content: Buffer | string): string => createHash('sha256').update(content).digest('hex');

/** Names that only a tool which builds text from them would stumble over. */
export const AWKWARD_NAMES = [
  ' ',
  ' leading',
  'trailing ',
  'two  blanks',
  "it's",
  '"quoted"',
  '-rf',
  '--help',
  '*',
  '?',
  '[a]',
  '~',
  '$HOME',
  '$(reboot)',
  '`id`',
  'a;b',
  'a&b',
  'a|b',
  'a>b',
  '#x',
  '!x',
  '%2e%2e',
  '%2fetc%2fpasswd',
  '...',
  '..x',
  '.x',
  'größe',
  '日本語',
  'e\u0301',
  'name=value',
  '{a,b}',
  'x'.repeat(255),
  'ü'.repeat(127),
];

export function jailReads(bench: () => JailBench): void {
  describe('list', () => {
    it('lists a directory, by name, and follows nothing', async () => {
      const { fixture, inJail, fs } = bench();
      await fixture.directory(inJail('web/conf'));
      await fixture.file(inJail('web/b.txt'), 'twelve bytes');
      await fixture.file(inJail('web/.env'), 'A=1');
      await fixture.link(inJail('web/out'), '/etc');
      const specials = await fixture.specials(inJail('web'));
      const { entries, truncated } = await fs.list(at('web'), 500);
      const kinds = new Map(entries.map(({ name, kind }) => [shown(name), kind]));
      const others = specials.map((name) => [name, 'other'] as const);
      expect(kinds).toEqual(
        new Map([['.env', 'file'], ['b.txt', 'file'], ['conf', 'dir'], ['out', 'link'], ...others]),
      );
      expect([...kinds.keys()]).toEqual([...kinds.keys()].sort());
      expect(truncated).toBe(false);
      expect(entries.find(({ name }) => shown(name) === 'b.txt')?.size).toBe(12);
      for (const { modifiedAt } of entries) expect(Math.abs(Date.now() - modifiedAt)).toBeLessThan(600_000);
    });

    it('reports that a directory is empty, also of the jail itself', async () => {
      const { fixture, inJail, fs } = bench();
      expect(await fs.list(JailPath.ROOT, 500)).toEqual({ entries: [], truncated: false });
      await fixture.directory(inJail('empty'));
      expect(await fs.list(at('empty'), 500)).toEqual({ entries: [], truncated: false });
    });

    it('gives names of any bytes as they are', async () => {
      const { fixture, inJail, fs } = bench();
      const names = [
        Buffer.from('new\nline'),
        Buffer.from('ends with a newline\n'),
        Buffer.from('\u001b[2J'),
        Buffer.from([0xff, 0xfe]),
        Buffer.from([0x67, 0xf6]),
        Buffer.from('back\\slash'),
        Buffer.from(' 41ed 7 1.5 .x'),
      ];
      for (const name of names) await fixture.oddFile(inJail(''), name);
      const { entries } = await fs.list(JailPath.ROOT, 500);
      expect(entries.map(({ name }) => shown(name))).toEqual(names.map((name) => shown(name)).sort());
      expect(entries.every(({ kind, size }) => kind === 'file' && size === 0)).toBe(true);
    });

    it('gives as many as asked for, the first by name, and says that there are more', async () => {
      const { fixture, inJail, fs } = bench();
      await fixture.manyFiles(inJail('many'), 1_200);
      const { entries, truncated } = await fs.list(at('many'), 500);
      expect(truncated).toBe(true);
      expect(entries.map(({ name }) => shown(name))).toEqual(
        Array.from({ length: 500 }, (_, index) => `a${String(index + 1).padStart(4, '0')}`),
      );
    });

    it('does not call a directory truncated that fits exactly', async () => {
      const { fixture, inJail, fs } = bench();
      await fixture.manyFiles(inJail('many'), 500);
      const { entries, truncated } = await fs.list(at('many'), 500);
      expect([entries.length, truncated]).toEqual([500, false]);
    });

    it('refuses what is no directory, or not there', async () => {
      const { fixture, inJail, fs } = bench();
      await fixture.file(inJail('file'));
      await expect(fs.list(at('file'), 5)).rejects.toMatchObject({ code: 'not_a_directory' });
      await expect(fs.list(at('file/x'), 5)).rejects.toMatchObject({ code: 'not_a_directory' });
      await expect(fs.list(at('missing'), 5)).rejects.toMatchObject({ code: 'file_not_found' });
      await expect(fs.list(at('missing/x'), 5)).rejects.toMatchObject({ code: 'file_not_found' });
    });
  });

  describe('stat', () => {
    it('describes an entry itself', async () => {
      const { fixture, inJail, fs } = bench();
      await fixture.file(inJail('file'), 'abc');
      await fixture.link(inJail('link'), 'file');
      await fixture.specials(inJail(''));
      expect(await fs.stat(at('file'))).toMatchObject({ kind: 'file', size: 3 });
      expect(await fs.stat(at('link'))).toMatchObject({ kind: 'link' });
      expect(await fs.stat(at('fifo'))).toMatchObject({ kind: 'other' });
      expect(await fs.stat(JailPath.ROOT)).toMatchObject({ kind: 'dir' });
      await expect(fs.stat(at('missing'))).rejects.toMatchObject({ code: 'file_not_found' });
    });
  });

  describe('read', () => {
    it('gives a file whole, byte by byte', async () => {
      const { fixture, inJail, fs } = bench();
      const content = Buffer.concat([
        Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)),
        randomBytes(300_000),
      ]);
      await fixture.file(inJail('binary'), content);
      const { bytes, size } = await fs.read(at('binary'), { offset: 0, length: 1_000_000 });
      expect(size).toBe(content.length);
      expect(Buffer.from(bytes).equals(content)).toBe(true);
    });

    it.each([
      [0, 4, 'abcd'],
      [3, 4, 'defg'],
      [8, 100, 'ij'],
      [0, 0, ''],
      [10, 5, ''],
      [99, 5, ''],
    ])('gives from %i on at most %i bytes, and the size of all', async (offset, length, text) => {
      const { fixture, inJail, fs } = bench();
      await fixture.file(inJail('file'), 'abcdefghij');
      const { bytes, size } = await fs.read(at('file'), { offset, length });
      expect([Buffer.from(bytes).toString(), size]).toEqual([text, 10]);
    });

    it('gives an empty file', async () => {
      const { fixture, inJail, read } = bench();
      await fixture.file(inJail('empty'), '');
      expect(await read('empty')).toBe('');
    });

    it('is not confused by content that looks like a protocol line', async () => {
      const { fixture, inJail, read } = bench();
      const content = `\n${'0'.repeat(32)} end 0\n${'f'.repeat(32)} end 1\n\n`;
      await fixture.file(inJail('file'), content);
      expect(await read('file')).toBe(content);
    });

    it.each(AWKWARD_NAMES)('reads %j, and a file in a directory of that name', async (name) => {
      const { fixture, inJail, read } = bench();
      await fixture.file(inJail(name), `content of ${name}`);
      expect(await read(name)).toBe(`content of ${name}`);
      await fixture.file(inJail(`directory/${name}/${name}`), 'deep');
      expect(await read(`directory/${name}/${name}`)).toBe('deep');
    });

    it('goes 64 directories deep', async () => {
      const { fixture, inJail, read } = bench();
      const path = `${'d/'.repeat(63)}file`;
      await fixture.file(inJail(path), 'deep');
      expect(await read(path)).toBe('deep');
    });

    it('reads a file whose name has another case as the file system says', async () => {
      const { fixture, inJail, fs, read } = bench();
      await fixture.file(inJail('Readme'), 'upper');
      expect(await read('Readme')).toBe('upper');
      await expect(fs.read(at('README'), { offset: 0, length: 1 })).rejects.toMatchObject({
        code: 'file_not_found',
      });
    });

    it('refuses a directory, and the jail', async () => {
      const { fixture, inJail, fs } = bench();
      await fixture.directory(inJail('dir'));
      const range = { offset: 0, length: 10 };
      await expect(fs.read(at('dir'), range)).rejects.toMatchObject({ code: 'not_a_file' });
      await expect((async () => fs.read(JailPath.ROOT, range))()).rejects.toMatchObject({
        code: 'path_refused',
      });
    });
  });

  describe('readStream', () => {
    it('announces size and hash, and gives just that', async () => {
      const { fixture, inJail, fs } = bench();
      const content = randomBytes(2_500_000);
      await fixture.file(inJail('large'), content);
      const { size, sha256: hash, content: stream } = await fs.readStream(at('large'), 10_000_000);
      expect([size, hash]).toEqual([content.length, sha256(content)]);
      expect((await buffer(stream)).equals(content)).toBe(true);
    });

    it('streams an empty file', async () => {
      const { fixture, inJail, fs } = bench();
      await fixture.file(inJail('empty'), '');
      const { size, sha256: hash, content } = await fs.readStream(at('empty'), 10);
      expect([size, hash, (await buffer(content)).length]).toEqual([0, sha256(''), 0]);
    });

    it('may be given up in the middle', async () => {
      const { fixture, inJail, fs, read } = bench();
      await fixture.file(inJail('large'), randomBytes(2_000_000));
      const { content } = await fs.readStream(at('large'), 10_000_000);
      content.destroy();
      await fixture.file(inJail('other'), 'x');
      expect(await read('other')).toBe('x');
    });

    it('refuses what is too large, no file, or a link', async () => {
      const { fixture, inJail, fs } = bench();
      await fixture.file(inJail('file'), '12345');
      await fixture.link(inJail('link'), 'file');
      await fixture.specials(inJail(''));
      await fixture.directory(inJail('dir'));
      await expect(fs.readStream(at('file'), 4)).rejects.toMatchObject({ code: 'file_too_large' });
      await expect(fs.readStream(at('link'), 10)).rejects.toMatchObject({ code: 'path_refused' });
      await expect(fs.readStream(at('fifo'), 10)).rejects.toMatchObject({ code: 'not_a_file' });
      await expect(fs.readStream(at('dir'), 10)).rejects.toMatchObject({ code: 'not_a_file' });
      await expect(fs.readStream(at('missing'), 10)).rejects.toMatchObject({ code: 'file_not_found' });
    });
  });
}
