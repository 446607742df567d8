import { describe, expect, it } from 'vitest';
import type { JailFs } from '../../src/application/ports/files/jail-fs.ts';
import { isDomainError } from '../../src/domain/base/errors.ts';
import type { JailPath } from '../../src/domain/files/jail-path.ts';
import { at, chunks, type JailBench } from './jail-bench.ts';

const CANARY = 'the canary outside of the jail';

/** Everything that can be done to a path; each returns what it did, or why not. */
export const OPERATIONS: Readonly<Record<string, (fs: JailFs, path: JailPath) => Promise<unknown>>> = {
  list: (fs, path) => fs.list(path, 100),
  stat: (fs, path) => fs.stat(path),
  read: (fs, path) => fs.read(path, { offset: 0, length: 1_000 }),
  readStream: async (fs, path) => {
    const { content } = await fs.readStream(path, 1_000);
    return content.toArray();
  },
  write: (fs, path) => fs.write(path, chunks('overwritten'), { expect: 'any', most: 100 }),
  makeDirectory: (fs, path) => fs.makeDirectory(path),
  rename: (fs, path) => fs.rename(path, 'renamed'),
  remove: (fs, path) => fs.remove(path),
  tree: (fs, path) => fs.tree(path, 100),
  removeTree: (fs, path) => fs.removeTree(path),
  changeMode: (fs, path) => fs.changeMode(path, 0o777),
};

/** The surroundings of a file root, for a later comparison. */
async function surroundings({ fixture, own }: JailBench): Promise<unknown> {
  return [
    await fixture.names(`${own}/outside`),
    await fixture.names(`${own}/jail-sibling`),
    (await fixture.see(`${own}/outside/canary`))?.content?.toString(),
    (await fixture.see(`${own}/outside/canary`))?.mode,
    (await fixture.see(`${own}/jail-sibling/canary`))?.content?.toString(),
    await fixture.names(`${own}/outside/empty`),
  ];
}

/** Tries everything on a path. Nothing may be read from outside, and nothing changed there. */
async function tryAll(bench: JailBench, path: string, allowed: readonly string[] = []): Promise<void> {
  const before = await surroundings(bench);
  for (const [name, operate] of Object.entries(OPERATIONS)) {
    if (allowed.includes(name)) continue;
    const outcome = await operate(bench.fs, at(path)).catch((error: unknown) => {
      if (!isDomainError(error)) throw error;
      return error;
    });
    expect(isDomainError(outcome), `${name} of ${path}: ${JSON.stringify(outcome)}`).toBe(true);
  }
  expect(await surroundings(bench)).toEqual(before);
}

export function jailEscapes(bench: () => JailBench): void {
  describe('escapes', () => {
    const arrange = async (): Promise<JailBench> => {
      const { fixture, own } = bench();
      await fixture.file(`${own}/outside/canary`, CANARY);
      await fixture.directory(`${own}/outside/empty`);
      await fixture.file(`${own}/jail-sibling/canary`, CANARY);
      return bench();
    };
    /** Acting on a link itself is no escape: it is listed, renamed and removed, and never followed. */
    const ON_THE_LINK = ['stat', 'rename', 'remove'];

    it.each([
      ['a file outside, absolutely', (root: string) => `${root}/outside/canary`],
      ['a file outside, relatively', () => '../outside/canary'],
      ['a directory outside', () => '../outside'],
      ['an empty directory outside', () => '../outside/empty'],
      ['a file outside that is not there', () => '../outside/new'],
      ['the jail itself', () => '.'],
      ['itself', () => 'link'],
      ['a file of this process', () => '/proc/self/environ'],
      ['the root of this process', () => '/proc/self/root'],
    ])('a link to %s is not followed', async (_what, target) => {
      const ready = await arrange();
      await ready.fixture.link(ready.inJail('link'), target(`${ready.fixture.root}/${ready.own}`));
      await tryAll(ready, 'link', ON_THE_LINK);
      expect((await ready.fixture.see(ready.inJail('link')))?.kind).toBe('link');
    });

    it.each([
      ['outside', (root: string) => `${root}/outside`],
      ['to the root directory', () => '/'],
      ['to a directory of the same jail', () => 'dir'],
      ['to the directory above', () => '..'],
    ])('a link %s in the middle of a path is not followed', async (_what, target) => {
      const ready = await arrange();
      await ready.fixture.file(ready.inJail('dir/canary'), 'inside');
      await ready.fixture.link(ready.inJail('way'), target(`${ready.fixture.root}/${ready.own}`));
      for (const path of ['way/canary', 'way/empty', 'way/new', 'way/outside/canary', 'way/etc/passwd']) {
        await tryAll(ready, path);
      }
      expect((await ready.fixture.see(ready.inJail('dir/canary')))?.content?.toString()).toBe('inside');
    });

    it('a chain of links is not followed', async () => {
      const ready = await arrange();
      await ready.fixture.link(ready.inJail('one'), 'two');
      await ready.fixture.link(ready.inJail('two'), 'three');
      await ready.fixture.link(ready.inJail('three'), '../outside');
      await tryAll(ready, 'one/canary');
      await tryAll(ready, 'one', ON_THE_LINK);
    });

    it('CVE-2025-53109: a link in the jail to a file or directory outside gives nothing of it', async () => {
      const ready = await arrange();
      await ready.fixture.link(ready.inJail('project'), '../outside');
      await ready.fixture.link(ready.inJail('notes.txt'), '../outside/canary');
      await expect(ready.read('project/canary')).rejects.toMatchObject({ code: 'path_refused' });
      await expect(ready.read('notes.txt')).rejects.toMatchObject({ code: 'path_refused' });
      await expect(ready.write('project/canary', 'x')).rejects.toMatchObject({ code: 'path_refused' });
      await expect(ready.write('project/new', 'x')).rejects.toMatchObject({ code: 'path_refused' });
      await expect(ready.fs.list(at('project'), 10)).rejects.toMatchObject({ code: 'path_refused' });
      expect(await ready.fixture.names(`${ready.own}/outside`)).toEqual(['canary', 'empty']);
    });

    it('CVE-2025-53110: a sibling whose name starts with the name of the jail is outside', async () => {
      const ready = await arrange();
      for (const raw of ['../jail-sibling/canary', '-sibling/canary', '../jail-sibling']) {
        const operation = async (): Promise<unknown> => ready.read(raw);
        await expect(operation()).rejects.toMatchObject({
          code: raw.startsWith('..') ? 'invalid_input' : 'file_not_found',
        });
      }
      await ready.fixture.link(ready.inJail('up'), '../jail-sibling');
      await tryAll(ready, 'up/canary');
      const sibling = await ready.open(`${ready.own}/jail-sibling`);
      await expect(sibling.read(at('jail/canary'), { offset: 0, length: 9 })).rejects.toMatchObject({
        code: 'file_not_found',
      });
    });

    it('a parent that was swapped for a link between two calls leads nowhere', async () => {
      const ready = await arrange();
      await ready.fixture.file(ready.inJail('app/config/canary'), 'inside');
      expect(await ready.read('app/config/canary')).toBe('inside');
      await ready.fs.rename(at('app/config'), 'config.old');
      await ready.fixture.link(ready.inJail('app/config'), '../../outside');
      await tryAll(ready, 'app/config/canary');
      expect(await ready.read('app/config.old/canary')).toBe('inside');
    });

    it('quotes, blanks and dashes are part of names, and nothing else', async () => {
      const ready = await arrange();
      const names = [
        "'; cat ../outside/canary; '",
        '" ../outside/canary',
        '$(cat ../outside/canary)',
        '-- ..',
        ' ..',
        '.. ',
      ];
      for (const name of names.filter((each) => !each.includes('/'))) {
        await ready.write(name, 'mine');
        expect(await ready.read(name)).toBe('mine');
      }
      for (const raw of names.filter((each) => each.includes('/'))) {
        await expect((async () => ready.read(raw))()).rejects.toMatchObject({
          code: raw.split('/').includes('..') ? 'invalid_input' : 'file_not_found',
        });
      }
    });

    it('names of another case are other names', async () => {
      const ready = await arrange();
      await ready.write('Secret', 'upper');
      await ready.write('secret', 'lower');
      expect([await ready.read('Secret'), await ready.read('secret')]).toEqual(['upper', 'lower']);
    });

    it('a file with a name outside is not read or replaced', async () => {
      const ready = await arrange();
      await ready.fixture.hardLink(ready.inJail('hard'), `${ready.own}/outside/canary`);
      for (const name of ['read', 'readStream', 'write', 'changeMode', 'removeTree', 'tree']) {
        await expect(OPERATIONS[name]?.(ready.fs, at('hard')), name).rejects.toMatchObject({
          code: name.endsWith('ree') ? 'not_a_directory' : 'path_refused',
        });
      }
      expect((await ready.fixture.see(`${ready.own}/outside/canary`))?.content?.toString()).toBe(CANARY);
    });

    it('FIFOs, sockets and devices are not opened, and no call waits for them', async () => {
      const ready = await arrange();
      for (const special of await ready.fixture.specials(ready.inJail(''))) {
        for (const name of ['read', 'readStream', 'write', 'remove', 'list']) {
          const code = name === 'list' ? 'not_a_directory' : 'not_a_file';
          await expect(OPERATIONS[name]?.(ready.fs, at(special)), `${name} ${special}`).rejects.toMatchObject(
            { code },
          );
        }
        await tryAll(ready, `${special}/x`);
      }
    });
  });
}
