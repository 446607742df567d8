import { beforeAll, describe, expect, it } from 'vitest';
import type { JailFs } from '../../src/application/ports/files/jail-fs.ts';
import type { Runs } from '../support/jail-fixture.ts';
import { at, chunks } from './jail-bench.ts';

/** A file root on a machine that allows mounting file systems. */
export interface TroubledJail {
  readonly fs: JailFs;
  readonly root: string;
  /** As root, at the file root. */
  readonly run: Runs;
}

const ANY = { expect: 'any', most: 10_000_000 } as const;
const LARGE = Array.from({ length: 40 }, () => Buffer.alloc(100_000, 'x'));

/** A refusal by a file system becomes a named error, and leaves no trace of the attempt. */
export function jailTroubles(open: () => Promise<TroubledJail>): void {
  let jail: TroubledJail;
  beforeAll(async () => {
    jail = await open();
  });
  const here = (script: string) => jail.run(`set -e; cd -- "$1"; ${script}`, [jail.root]);
  const names = async (place: string): Promise<string[]> =>
    (await here(`ls -A1 ${place}`)).toString().split('\n').filter(Boolean);

  describe('a full disk', () => {
    it('leaves the previous file', async () => {
      await here('mkdir full; mount -t tmpfs -o size=1m,mode=777 small full; printf old >full/file');
      for (const name of ['file', 'new']) {
        const writing = jail.fs.write(at(`full/${name}`), chunks(...LARGE), ANY);
        await expect(writing, name).rejects.toMatchObject({ code: 'disk_full' });
      }
      expect(await names('full')).toEqual(['file']);
      expect((await here('cat full/file')).toString()).toBe('old');
      await jail.fs.write(at('full/file'), chunks('fits'), ANY);
      expect((await here('cat full/file')).toString()).toBe('fits');
    });
  });

  describe('a file system that is mounted read-only', () => {
    it('is read, and nothing else', async () => {
      await here(
        'mkdir ro; mount -t tmpfs -o mode=777 ro ro; printf old >ro/file; mkdir ro/dir; mount -o remount,ro ro',
      );
      const { bytes } = await jail.fs.read(at('ro/file'), { offset: 0, length: 10 });
      expect(Buffer.from(bytes).toString()).toBe('old');
      for (const refused of [
        () => jail.fs.write(at('ro/file'), chunks('new'), ANY),
        () => jail.fs.makeDirectory(at('ro/new')),
        () => jail.fs.rename(at('ro/file'), 'other'),
        () => jail.fs.rename(at('ro/dir'), 'other'),
        () => jail.fs.remove(at('ro/file')),
        () => jail.fs.remove(at('ro/dir')),
      ]) {
        await expect(refused()).rejects.toMatchObject({ code: 'host_permission_denied' });
      }
    });
  });

  describe('what is mounted in a jail', () => {
    it('is neither replaced nor removed nor renamed', async () => {
      await here(
        'mkdir mounted; mount -t tmpfs m mounted; printf a >bound; printf b >source; mount --bind source bound',
      );
      for (const refused of [
        () => jail.fs.remove(at('mounted')),
        () => jail.fs.rename(at('mounted'), 'other'),
        () => jail.fs.write(at('bound'), chunks('new'), ANY),
      ]) {
        await expect(refused()).rejects.toMatchObject({
          code: expect.stringMatching(/^(host_command_failed|host_permission_denied)$/),
        });
      }
      expect((await here('cat bound')).toString()).toBe('b');
      expect((await names('.')).filter((name) => name.endsWith('.part'))).toEqual([]);
    });
  });

  describe('a directory of 21,000 entries', () => {
    it('is listed in part, and written into', async () => {
      await here('mkdir huge; cd huge; seq -f "a-name-of-some-length-%06g" 21000 | xargs touch; chmod 777 .');
      const { entries, truncated } = await jail.fs.list(at('huge'), 500);
      expect([entries.length, truncated]).toEqual([500, true]);
      await jail.fs.write(at('huge/new'), chunks('x'), ANY);
      expect((await jail.fs.stat(at('huge/new'))).size).toBe(1);
    });
  });
}
