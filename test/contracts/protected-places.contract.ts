import { link, mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { must } from '../../scripts/lib/programs.mjs';
import { GuardedBackupEngine } from '../../src/adapters/outbound/backup/guarded-backup-engine.ts';
import type { BackupEngine } from '../../src/application/ports/backups/backup-engine.ts';
import type { ProtectedPlaces } from '../../src/application/ports/backups/protected-places.ts';
import type { RemoteHost } from '../../src/application/ports/fleet/remote-host.ts';
import type { NewSnapshot } from '../../src/domain/backups/snapshot.ts';
import { JailPath } from '../../src/domain/files/jail-path.ts';
import { describeWith } from '../support/capabilities.ts';
import { placesOf } from '../support/service-places.ts';
import { type BackupSubject, listed, requestFor, sourceOf, Witness } from './backup-engine.contract.ts';

/** On the service's own machine: what every engine must not touch. */
export function protectedPlacesContract(name: string, create: () => Promise<BackupSubject>): void {
  describe(`${name}, and the service's own files`, () => {
    let subject: BackupSubject;
    let engine: BackupEngine;
    let data: string;
    let key: string;
    let places: ProtectedPlaces;
    let witness: Witness;
    const path = (rest: string): string => join(subject.directory, rest);

    beforeEach(async () => {
      subject = await create();
      data = path('srv/drover data*');
      key = path('srv/keys/master key');
      places = placesOf(
        data,
        { path: key, what: 'the master key', isKey: true },
        { path: join(data, 'master.key'), what: 'the master key', isKey: true },
      );
      engine = new GuardedBackupEngine(subject.engine, places);
      witness = new Witness();
      for (const each of [join(data, 'drover.sqlite'), join(data, 'backups/one/file'), key])
        await subject.write(each, 'the canary');
      await subject.write(join(data, 'master.key'), 'the canary');
      await subject.write(path('srv/www/index'), 'hello');
    });
    afterEach(() => subject.close());

    const backUp = (...paths: readonly string[]): Promise<NewSnapshot> =>
      engine.backup(requestFor(subject.host, sourceOf(paths)), witness);

    /** The names in a directory of a snapshot. */
    async function namesIn(snapshot: NewSnapshot, directory: string): Promise<readonly string[]> {
      const { entries } = await engine.list(
        {
          snapshot: listed(snapshot),
          path: JailPath.parse(directory.slice(1)),
          origin: async () => subject.host,
          signal: witness.signal,
        },
        { offset: 0, limit: 50 },
      );
      return entries.map(({ name: bytes }) => Buffer.from(bytes).toString());
    }

    it('are no source, in whole, in part or by a link', async () => {
      await symlink(data, path('link'));
      await symlink(path('srv'), path('above'));
      await link(join(data, 'master.key'), path('hard'));
      await symlink('/proc/self/root', path('processes'));
      const paths = [
        data,
        join(data, 'backups/one/file'),
        key,
        path('link'),
        path('above/drover data*/backups'),
        path('hard'),
        '/proc/self/environ',
        path(`processes${data}`),
      ];
      for (const each of paths) {
        await expect(backUp(path('srv/www'), each), each).rejects.toMatchObject({ code: 'path_refused' });
        await expect(
          engine.plan({ host: subject.host, source: sourceOf([each]) }, witness),
          each,
        ).rejects.toMatchObject({ code: 'path_refused' });
      }
    });

    it('are left out of a source that holds them, which its log says', async () => {
      await mkdir(path('srv/drover data'));
      await link(key, path('srv/www/other name'));
      const snapshot = await backUp(path('srv'));
      expect(await namesIn(snapshot, path('srv'))).toEqual(['drover data', 'keys', 'www']);
      expect(await namesIn(snapshot, path('srv/keys'))).toEqual([]);
      expect(await namesIn(snapshot, path('srv/www'))).toEqual(['index']);
      for (const each of [data, key, path('srv/www/other name')]) expect(witness.text).toContain(`"${each}"`);
    });

    it('are backed up by the one source that is theirs, without the keys', async () => {
      const source = { ...sourceOf([data]), kind: 'service' } as const;
      const snapshot = await engine.backup(requestFor(subject.host, source), witness);
      expect(await namesIn(snapshot, data)).toEqual(['backups', 'drover.sqlite']);
    });

    /** The host, on which another user replaces a directory by a link to the data right before the engine's first command. */
    function swapping(directory: string): RemoteHost {
      // two are the survey's
      let calls = 0;
      const swap = async (): Promise<void> => {
        calls += 1;
        if (calls !== 3) return;
        await rename(directory, `${directory}.before`);
        await symlink(data, directory);
      };
      const { host } = subject;
      return {
        run: (...args) => swap().then(() => host.run(...args)),
        open: (...args) => swap().then(() => host.open(...args)),
        release: () => host.release(),
      };
    }

    it('are not in the snapshot of a directory that becomes a link after the check', async () => {
      const source = sourceOf([path('srv/www')]);
      const request = requestFor(swapping(path('srv/www')), source);
      await expect(engine.backup(request, witness)).rejects.toMatchObject({ code: 'path_refused' });
      expect(await engine.published(source)).toEqual([]);
    });

    describe('as the target of a restore', () => {
      /** Made when the guard was not there, as by an older version. */
      const unguarded = (...paths: readonly string[]): Promise<NewSnapshot> =>
        subject.engine.backup(requestFor(subject.host, sourceOf(paths)), witness);
      const restore = (
        snapshot: NewSnapshot,
        directory: string,
        subpaths: readonly string[] = [],
      ): Promise<unknown> =>
        engine.restore(
          { snapshot: listed(snapshot), directory, host: subject.host, subpaths, overwrite: true },
          witness,
        );

      it('are refused, whatever leads there, and nothing is written', async () => {
        const snapshot = await unguarded(path('srv'));
        await symlink(data, path('link'));
        await writeFile(join(data, 'drover.sqlite'), 'changed since');
        const refused = { code: 'path_refused' };
        await expect(restore(snapshot, '/')).rejects.toMatchObject(refused);
        await expect(restore(snapshot, '/', [path('srv').slice(1)])).rejects.toMatchObject(refused);
        await expect(restore(snapshot, '/', [join(data, 'drover.sqlite').slice(1)])).rejects.toMatchObject(
          refused,
        );
        for (const each of [data, join(data, 'new/one'), path('link'), path('link/new')])
          await expect(restore(snapshot, each), each).rejects.toMatchObject(refused);
        expect(await readFile(join(data, 'drover.sqlite'), 'utf8')).toBe('changed since');
      });

      it('are not written to if the directory becomes a link after the check', async () => {
        const snapshot = await unguarded(path('srv/www'));
        await mkdir(path('target'));
        const before = await readdir(data);
        const host = swapping(path('target'));
        const request = { snapshot: listed(snapshot), directory: path('target'), host, subpaths: [] };
        const restoring = engine.restore({ ...request, overwrite: true }, witness);
        await expect(restoring).rejects.toMatchObject({ code: 'path_refused' });
        expect(await readdir(data)).toEqual(before);
      });

      it('are not in the way of what does not touch them', async () => {
        const snapshot = await unguarded(path('srv'));
        await subject.remove(path('srv/www/index'));
        await restore(snapshot, '/', [path('srv/www').slice(1)]);
        expect(await subject.read(path('srv/www/index'))).toBe('hello');
        await restore(snapshot, path('elsewhere'));
        expect(await subject.read(join(path('elsewhere'), data, 'drover.sqlite'))).toBe('the canary');
      });

      it('are looked for once if the snapshot has nothing of their directory', async () => {
        const snapshot = await unguarded(path('srv/www'));
        const asked: string[] = [];
        const list = subject.engine.list.bind(subject.engine);
        subject.engine.list = (request, window) => {
          asked.push(`/${request.path.names.join('/')}`);
          return list(request, window);
        };
        await restore(snapshot, '/');
        expect(asked).toContain(data);
        expect(asked.filter((each) => each.startsWith(`${data}/`))).toEqual([]);
      });

      it('are not replaced by a file that was once in the place of their directory', async () => {
        await subject.remove(path('srv'));
        await subject.write(path('srv'), 'a file');
        const snapshot = await unguarded(path('srv'));
        await subject.remove(path('srv'));
        await subject.write(join(data, 'drover.sqlite'), 'the canary');
        await expect(restore(snapshot, '/')).rejects.toMatchObject({ code: 'path_refused' });
      });
    });

    describeWith('root', 'mounted elsewhere', () => {
      it('are the same there', async () => {
        await mkdir(path('srv/whole'));
        await mkdir(path('srv/part'));
        const mounts = [
          [data, path('srv/whole')],
          [join(data, 'backups'), path('srv/part')],
        ] as const;
        for (const [from, to] of mounts) await must('mount', ['--bind', from, to]);
        try {
          for (const each of ['srv/whole', 'srv/part', 'srv/part/one/file'])
            await expect(backUp(path(each)), each).rejects.toMatchObject({ code: 'path_refused' });
          expect(await namesIn(await backUp(path('srv')), path('srv'))).toEqual(['keys', 'www']);
        } finally {
          for (const [, to] of mounts) await must('umount', [to]);
        }
      });
    });
  });
}
