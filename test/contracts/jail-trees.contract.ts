import { describe, expect, it } from 'vitest';
import type { TreeEntry } from '../../src/application/ports/files/jail-fs.ts';
import { JailPath } from '../../src/domain/files/jail-path.ts';
import { at, type JailBench } from './jail-bench.ts';

const pathOf = ({ names }: TreeEntry): string =>
  names.map((name) => Buffer.from(name).toString('latin1')).join('/');

/** Actions on whole trees, and permissions. */
export function jailTrees(bench: () => JailBench): void {
  const arrange = async (): Promise<JailBench> => {
    const { fixture, own, inJail } = bench();
    await fixture.file(`${own}/outside/canary`, 'canary');
    await fixture.directory(`${own}/outside/sub`);
    await fixture.file(inJail('app/conf/a b.txt'), 'twelve bytes');
    await fixture.file(inJail('app/run.sh'), '#!', 0o755);
    await fixture.directory(inJail('app/empty'));
    await fixture.oddFile(inJail('app'), Buffer.from([0x6e, 0xff, 0x0a, 0x6d]));
    await fixture.file(inJail('app/-rf'), 'dash');
    await fixture.link(inJail('app/up'), '../../outside');
    await fixture.link(inJail('app/conf/canary'), '../../../outside/canary');
    return bench();
  };

  describe('trees', () => {
    it('are listed whole, links with their targets, names of any bytes', async () => {
      const { fs } = await arrange();
      const { entries, partial } = await fs.tree(at('app'), 100);
      expect(partial).toBe(false);
      expect(entries.map((entry) => `${entry.kind} ${pathOf(entry)}`)).toEqual([
        'file -rf',
        'dir conf',
        'file conf/a b.txt',
        'link conf/canary',
        'dir empty',
        'file n\xff\nm',
        'file run.sh',
        'link up',
      ]);
      const found = (path: string): TreeEntry | undefined => entries.find((entry) => pathOf(entry) === path);
      expect(found('conf/a b.txt')).toMatchObject({ size: 12, mode: 0o644, target: null });
      expect(found('run.sh')?.mode).toBe(0o755);
      expect(Buffer.from(found('up')?.target ?? []).toString()).toBe('../../outside');
      expect((await fs.tree(JailPath.ROOT, 100)).entries.map(pathOf)[0]).toBe('app');
      expect(await fs.tree(at('app/empty'), 100)).toEqual({ entries: [], partial: false });
    });

    it('are listed up to a number, and marked as incomplete', async () => {
      const { fs } = await arrange();
      const { entries, partial } = await fs.tree(at('app'), 3);
      expect([entries.length, partial]).toEqual([3, true]);
      await expect(fs.tree(at('app/run.sh'), 3)).rejects.toMatchObject({ code: 'not_a_directory' });
      await expect(fs.tree(at('nothing'), 3)).rejects.toMatchObject({ code: 'file_not_found' });
    });

    it('are removed with all that is in them, and nothing that links lead to', async () => {
      const { fs, fixture, own, names } = await arrange();
      await fs.removeTree(at('app'));
      expect(await names('')).toEqual([]);
      expect(await fixture.names(`${own}/outside`)).toEqual(['canary', 'sub']);
      expect((await fixture.see(`${own}/outside/canary`))?.content?.toString()).toBe('canary');
    });

    it('are not removed where they are a link, a file, the jail itself or not there', async () => {
      const { fs, names } = await arrange();
      for (const [path, code] of [
        ['app/up', 'path_refused'],
        ['app/run.sh', 'not_a_directory'],
        ['nothing', 'file_not_found'],
      ] as const) {
        await expect(fs.removeTree(at(path)), path).rejects.toMatchObject({ code });
      }
      // the path itself is refused, before there is anything to wait for
      await expect(async () => fs.removeTree(JailPath.ROOT)).rejects.toMatchObject({ code: 'path_refused' });
      expect(await names('app')).toEqual(expect.arrayContaining(['-rf', 'conf', 'empty', 'run.sh', 'up']));
    });
  });

  describe('permissions', () => {
    const modeOf = async ({ fixture, inJail }: JailBench, path: string): Promise<number | undefined> =>
      (await fixture.see(inJail(path)))?.mode;

    it('are set, and the previous ones returned', async () => {
      const ready = await arrange();
      expect(await ready.fs.changeMode(at('app/run.sh'), 0o600)).toBe(0o755);
      expect(await ready.fs.changeMode(at('app/run.sh'), 0o444)).toBe(0o600);
      expect(await modeOf(ready, 'app/run.sh')).toBe(0o444);
      expect(await ready.fs.mode(at('app/run.sh'))).toBe(0o444);
      expect(await ready.fs.changeMode(at('app/conf'), 0o750)).toBe(0o755);
      expect(await modeOf(ready, 'app/conf')).toBe(0o750);
      expect(await ready.fs.changeMode(at('app/-rf'), 0o640)).toBe(0o644);
    });

    it('of links, of files with a second name and of the jail itself stay', async () => {
      const ready = await arrange();
      const { fs, fixture, own, inJail } = ready;
      await fixture.hardLink(inJail('hard'), `${own}/outside/canary`);
      for (const path of ['app/up', 'app/conf/canary', 'hard']) {
        await expect(fs.changeMode(at(path), 0o777), path).rejects.toMatchObject({ code: 'path_refused' });
      }
      await expect(async () => fs.changeMode(JailPath.ROOT, 0o777)).rejects.toMatchObject({
        code: 'path_refused',
      });
      await expect(fs.changeMode(at('nothing'), 0o777)).rejects.toMatchObject({ code: 'file_not_found' });
      expect((await fixture.see(`${own}/outside/canary`))?.mode).toBe(0o644);
    });

    it('of a file that runs with the rights of its owner stay', async () => {
      const ready = await arrange();
      await ready.fixture.file(ready.inJail('suid'), 'x', 0o4755);
      await expect(ready.fs.changeMode(at('suid'), 0o755)).rejects.toMatchObject({ code: 'path_refused' });
      expect(await modeOf(ready, 'suid')).toBe(0o4755);
    });
  });
}
