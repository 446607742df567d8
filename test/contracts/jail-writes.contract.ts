import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { at, chunks, type JailBench } from './jail-bench.ts';
import { AWKWARD_NAMES } from './jail-reads.contract.ts';

const sha256 = (content: Buffer | string): string => createHash('sha256').update(content).digest('hex');

export function jailWrites(bench: () => JailBench): void {
  const contentOf = async (path: string): Promise<string | undefined> => {
    const { fixture, inJail } = bench();
    return (await fixture.see(inJail(path)))?.content?.toString();
  };

  describe('write', () => {
    it('makes a file, and tells its size and hash', async () => {
      const { write, names } = bench();
      const written = await write('new.txt', 'hello');
      expect(written).toEqual({ size: 5, sha256: sha256('hello'), before: null });
      expect(await contentOf('new.txt')).toBe('hello');
      expect(await names('')).toEqual(['new.txt']);
    });

    it('replaces a file, returns what was there, and keeps its permissions and owner', async () => {
      const { fixture, inJail, write, names } = bench();
      for (const mode of [0o600, 0o640, 0o664, 0o755, 0o444, 0o711]) {
        await fixture.file(inJail('file'), `old ${mode}`, mode);
        const { owner } = (await fixture.see(inJail('file'))) ?? {};
        const written = await write('file', 'new');
        expect(written.before).toEqual({ size: `old ${mode}`.length, sha256: sha256(`old ${mode}`) });
        const seen = await fixture.see(inJail('file'));
        expect({ ...seen, content: seen?.content?.toString() }).toEqual({
          kind: 'file',
          mode,
          owner,
          content: 'new',
        });
        await fixture.file(inJail('file'), '', 0o600);
      }
      expect(await names('')).toEqual(['file']);
    });

    it('takes no bytes, and bytes in odd pieces', async () => {
      const { fs, write } = bench();
      expect(await write('empty', '')).toMatchObject({ size: 0, sha256: sha256('') });
      expect(await contentOf('empty')).toBe('');
      const none = await fs.write(at('none'), chunks(), { expect: 'any', most: 10 });
      expect(none.size).toBe(0);
      const pieces = ['a', '', '\0', '\n', 'more 3\n', 'last 0\n', 'b'.repeat(70_000)];
      await fs.write(at('pieces'), chunks(...pieces), { expect: 'any', most: 100_000 });
      expect(await contentOf('pieces')).toBe(pieces.join(''));
    });

    it('takes 5 MiB, byte by byte', async () => {
      const { fs, fixture, inJail } = bench();
      const content = randomBytes(5 * 1024 * 1024);
      const parts = Array.from({ length: 41 }, (_, part) =>
        content.subarray(part * 131_072, (part + 1) * 131_072),
      );
      const written = await fs.write(at('large'), chunks(...parts), { expect: 'any', most: content.length });
      expect(written).toMatchObject({ size: content.length, sha256: sha256(content) });
      expect((await fixture.see(inJail('large')))?.content?.equals(content)).toBe(true);
    });

    it.each(AWKWARD_NAMES)('writes %j, and into a directory of that name', async (name) => {
      const { fixture, inJail, write, names } = bench();
      await write(name, 'top');
      expect(await contentOf(name)).toBe('top');
      expect(await names('')).toEqual([name]);
      await fixture.directory(inJail(`directory/${name}`));
      await write(`directory/${name}/${name}`, 'deep');
      expect(await contentOf(`directory/${name}/${name}`)).toBe('deep');
    });

    it('leaves the previous file, and nothing else, if more comes than is accepted', async () => {
      const { fs, fixture, inJail, names } = bench();
      await fixture.file(inJail('file'), 'old');
      const most = 1_500_000;
      const much = [randomBytes(1_000_000), randomBytes(600_000)];
      for (const name of ['file', 'new']) {
        await expect(fs.write(at(name), chunks(...much), { expect: 'any', most })).rejects.toMatchObject({
          code: 'file_too_large',
        });
      }
      expect([await contentOf('file'), await names('')]).toEqual(['old', ['file']]);
    });

    it('leaves the previous file, and nothing else, if its content ends in an error', async () => {
      const { fs, fixture, inJail, names } = bench();
      await fixture.file(inJail('file'), 'old');
      const gone = new Error('the client went away');
      async function* broken(): AsyncGenerator<Uint8Array> {
        yield randomBytes(1_200_000);
        yield randomBytes(1_200_000);
        throw gone;
      }
      for (const name of ['file', 'new']) {
        await expect(fs.write(at(name), broken(), { expect: 'any', most: 10_000_000 })).rejects.toBe(gone);
      }
      expect([await contentOf('file'), await names('')]).toEqual(['old', ['file']]);
    });

    it('writes over what was read, and not over what was changed since', async () => {
      const { fixture, inJail, write } = bench();
      await fixture.file(inJail('file'), 'one');
      const first = await write('file', 'two', { expect: { sha256: sha256('one') } });
      expect(first.before?.sha256).toBe(sha256('one'));
      await expect(write('file', 'three', { expect: { sha256: sha256('one') } })).rejects.toMatchObject({
        code: 'changed_since_read',
      });
      await expect(write('missing', 'x', { expect: { sha256: sha256('one') } })).rejects.toMatchObject({
        code: 'changed_since_read',
      });
      expect([await contentOf('file'), await contentOf('missing')]).toEqual(['two', undefined]);
    });

    it('hashes a previous file of any size if it is to be compared', async () => {
      const { fixture, inJail, write } = bench();
      await fixture.file(inJail('file'), 'larger than what is taken');
      expect((await write('file', 'new', { most: 5 })).before).toEqual({ size: 25, sha256: null });
      await fixture.file(inJail('file'), 'larger than what is taken');
      const expected = { sha256: sha256('larger than what is taken') };
      expect((await write('file', 'new', { most: 5, expect: expected })).before).toEqual({
        size: 25,
        ...expected,
      });
    });

    it('creates a file only if there is none, if asked', async () => {
      const { write } = bench();
      await write('file', 'one', { expect: 'absent' });
      await expect(write('file', 'two', { expect: 'absent' })).rejects.toMatchObject({ code: 'file_exists' });
      expect(await contentOf('file')).toBe('one');
    });

    it('lets one of several writes win that replace the same content', async () => {
      const { fixture, inJail, write, names } = bench();
      for (const [path, before] of [
        ['file', { sha256: sha256('old') }],
        ['new', 'absent'],
      ] as const) {
        if (path === 'file') await fixture.file(inJail(path), 'old');
        const texts = Array.from({ length: 5 }, (_, index) => `text ${index}`);
        const results = await Promise.allSettled(texts.map((text) => write(path, text, { expect: before })));
        const won = results.flatMap(({ status }, index) => (status === 'fulfilled' ? [texts[index]] : []));
        expect(won).toHaveLength(1);
        expect(await contentOf(path)).toBe(won[0]);
        for (const result of results) {
          if (result.status === 'rejected')
            expect(result.reason).toMatchObject({
              code: path === 'file' ? 'changed_since_read' : 'file_exists',
            });
        }
      }
      expect(await names('')).toEqual(['file', 'new']);
    });

    it('replaces nothing but a plain file', async () => {
      const { fixture, inJail, write } = bench();
      await fixture.directory(inJail('dir'));
      await fixture.file(inJail('target'), 'target');
      await fixture.link(inJail('link'), 'target');
      await fixture.link(inJail('dangling'), 'made-by-a-link');
      const specials = await fixture.specials(inJail(''));
      await fixture.file(inJail('twice'), 'twice');
      await fixture.hardLink(inJail('again'), inJail('twice'));
      await fixture.file(inJail('setuid'), 'setuid', 0o4755);
      const refusals = {
        dir: 'not_a_file',
        link: 'path_refused',
        dangling: 'path_refused',
        twice: 'path_refused',
        setuid: 'path_refused',
      };
      for (const [path, code] of [
        ...Object.entries(refusals),
        ...specials.map((name) => [name, 'not_a_file'] as const),
      ]) {
        await expect(write(path, 'new'), path).rejects.toMatchObject({ code });
      }
      const before = ['again', 'dangling', 'dir', 'link', 'setuid', 'target', 'twice', ...specials].sort();
      expect(await bench().names('')).toEqual(before);
      expect([await contentOf('target'), await contentOf('twice'), await contentOf('setuid')]).toEqual([
        'target',
        'twice',
        'setuid',
      ]);
      expect((await fixture.see(inJail('link')))?.kind).toBe('link');
    });

    it('makes no directories, and is not for the jail itself', async () => {
      const { fixture, inJail, write, fs } = bench();
      await expect(write('missing/file', 'x')).rejects.toMatchObject({ code: 'file_not_found' });
      await fixture.file(inJail('file'));
      await expect(write('file/x', 'x')).rejects.toMatchObject({ code: 'not_a_directory' });
      await expect(
        (async () => fs.write(at(''), chunks('x'), { expect: 'any', most: 5 }))(),
      ).rejects.toMatchObject({ code: 'path_refused' });
    });
  });

  describe('makeDirectory', () => {
    it('makes one, once', async () => {
      const { fs, fixture, inJail } = bench();
      await fs.makeDirectory(at('a'));
      await fs.makeDirectory(at('a/b'));
      expect((await fixture.see(inJail('a/b')))?.kind).toBe('dir');
      await expect(fs.makeDirectory(at('a'))).rejects.toMatchObject({ code: 'file_exists' });
      await fixture.file(inJail('file'));
      await fixture.link(inJail('dangling'), 'made-by-a-link');
      await expect(fs.makeDirectory(at('file'))).rejects.toMatchObject({ code: 'file_exists' });
      await expect(fs.makeDirectory(at('dangling'))).rejects.toMatchObject({ code: 'file_exists' });
      await expect(fs.makeDirectory(at('missing/x'))).rejects.toMatchObject({ code: 'file_not_found' });
      await expect((async () => fs.makeDirectory(at('')))()).rejects.toMatchObject({ code: 'path_refused' });
      expect(await fixture.see(inJail('made-by-a-link'))).toBeNull();
    });

    it.each(AWKWARD_NAMES)('makes %j', async (name) => {
      const { fs, fixture, inJail } = bench();
      await fs.makeDirectory(at(name));
      expect((await fixture.see(inJail(name)))?.kind).toBe('dir');
    });
  });

  describe('rename', () => {
    it('gives files, directories and links another name, content and all', async () => {
      const { fs, fixture, inJail, names } = bench();
      await fixture.file(inJail('sub/file'), 'content');
      await fixture.file(inJail('sub/dir/inside'), 'inside');
      await fixture.link(inJail('sub/link'), '/etc');
      await fs.rename(at('sub/file'), '-n');
      await fs.rename(at('sub/dir'), 'a b');
      await fs.rename(at('sub/link'), 'l');
      expect(await names('sub')).toEqual(['-n', 'a b', 'l']);
      expect([await contentOf('sub/-n'), await contentOf('sub/a b/inside')]).toEqual(['content', 'inside']);
      expect((await fixture.see(inJail('sub/l')))?.kind).toBe('link');
    });

    it('never takes a name that is taken, whatever has it', async () => {
      const { fs, fixture, inJail } = bench();
      await fixture.file(inJail('file'), 'content');
      await fixture.file(inJail('other'), 'other');
      await fixture.directory(inJail('dir'));
      await fixture.directory(inJail('empty'));
      await fixture.link(inJail('to-dir'), 'dir');
      await fixture.link(inJail('dangling'), 'nowhere');
      for (const from of ['file', 'empty', 'dangling']) {
        for (const to of ['other', 'dir', 'to-dir', from === 'dangling' ? 'file' : 'dangling']) {
          await expect(fs.rename(at(from), to), `${from} to ${to}`).rejects.toMatchObject({
            code: 'file_exists',
          });
        }
      }
      expect([await contentOf('file'), await contentOf('other')]).toEqual(['content', 'other']);
      expect(await bench().names('dir')).toEqual([]);
    });

    it('refuses what is not there, names that are paths, and the jail itself', async () => {
      const { fs, fixture, inJail } = bench();
      await fixture.file(inJail('file'));
      await expect(fs.rename(at('missing'), 'x')).rejects.toMatchObject({ code: 'file_not_found' });
      for (const to of ['..', '../x', 'a/b', '/x', '', '.']) {
        await expect((async () => fs.rename(at('file'), to))(), to).rejects.toMatchObject({
          code: 'invalid_input',
        });
      }
      await expect((async () => fs.rename(at(''), 'x'))()).rejects.toMatchObject({ code: 'path_refused' });
    });
  });

  describe('remove', () => {
    it('removes a file, an empty directory, and a link without what it leads to', async () => {
      const { fs, fixture, inJail, names } = bench();
      await fixture.file(inJail('file'), '12345');
      await fixture.directory(inJail('empty'));
      await fixture.directory(inJail('kept/inside'));
      await fixture.link(inJail('link'), 'kept');
      expect(await fs.remove(at('file'))).toMatchObject({ kind: 'file', size: 5 });
      expect(await fs.remove(at('empty'))).toMatchObject({ kind: 'dir' });
      expect(await fs.remove(at('link'))).toMatchObject({ kind: 'link' });
      expect(await names('')).toEqual(['kept']);
    });

    it('refuses a directory that is not empty, specials, what is not there, and the jail itself', async () => {
      const { fs, fixture, inJail } = bench();
      await fixture.file(inJail('dir/file'));
      const specials = await fixture.specials(inJail(''));
      await expect(fs.remove(at('dir'))).rejects.toMatchObject({ code: 'directory_not_empty' });
      for (const special of specials) {
        await expect(fs.remove(at(special)), special).rejects.toMatchObject({ code: 'not_a_file' });
      }
      await expect(fs.remove(at('missing'))).rejects.toMatchObject({ code: 'file_not_found' });
      await expect((async () => fs.remove(at('')))()).rejects.toMatchObject({ code: 'path_refused' });
    });

    it('removes one name of a file that has two', async () => {
      const { fs, fixture, inJail } = bench();
      await fixture.file(inJail('one'), 'content');
      await fixture.hardLink(inJail('two'), inJail('one'));
      await fs.remove(at('two'));
      expect(await contentOf('one')).toBe('content');
    });

    it.each(AWKWARD_NAMES)('removes %j and nothing besides', async (name) => {
      const { fs, fixture, inJail, names } = bench();
      await fixture.file(inJail('neighbour'));
      await fixture.file(inJail(name));
      await fs.remove(at(name));
      expect(await names('')).toEqual(['neighbour']);
    });
  });
}
