import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BrowseRequest } from '../../src/application/ports/backups/snapshot-browser.ts';
import type { NewSnapshot } from '../../src/domain/backups/snapshot.ts';
import { JailPath } from '../../src/domain/files/jail-path.ts';
import { type BackupSubject, listed, requestFor, sourceOf, Witness } from './backup-engine.contract.ts';

/** Entries on hosts that would lead out of a snapshot, created below a directory of the host. */
export type MakeHostile = (subject: BackupSubject, directory: string) => Promise<void>;

const ALL = { offset: 0, limit: 1_000 };

/** The contract of `SnapshotBrowser`. `makeHostile` if the host has a real file system. */
export function snapshotBrowserContract(
  name: string,
  makeSubject: () => Promise<BackupSubject>,
  makeHostile: MakeHostile | null = null,
): void {
  describe(`SnapshotBrowser: ${name}`, () => {
    let subject: BackupSubject;
    let snapshot: NewSnapshot;
    let tree = '';
    beforeAll(async () => {
      subject = await makeSubject();
      tree = `${subject.directory}/browsed`;
      await subject.write(`${tree}/etc/app.conf`, 'port = 80\n');
      await subject.write(`${tree}/etc/empty`, '');
      await subject.write(`${tree}/etc/sites/ä b.conf`, 'one site');
      for (let i = 0; i < 12; i += 1) await subject.write(`${tree}/many/${10 + i}`, String(i));
      if (makeHostile) await makeHostile(subject, tree);
      snapshot = await subject.engine.backup(requestFor(subject.host, sourceOf([tree])), new Witness());
    });
    afterAll(() => subject.close());

    const at = (path: string): BrowseRequest => ({
      snapshot: listed(snapshot),
      path: JailPath.parse(`${tree.slice(1)}/${path}`.replace(/\/$/, '')),
      origin: async () => subject.host,
      signal: new AbortController().signal,
    });
    const names = async (request: BrowseRequest, window = ALL): Promise<readonly string[]> => {
      const { entries } = await subject.engine.list(request, window);
      return entries.map(({ name: bytes, kind }) => `${kind} ${Buffer.from(bytes).toString()}`);
    };
    const read = async (request: BrowseRequest): Promise<string> => {
      const { content, size, sha256 } = await subject.engine.read(request);
      const bytes = Buffer.concat(await content.toArray());
      expect(bytes.length).toBe(size);
      if (sha256 !== null) expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
      return bytes.toString();
    };

    it('lists a directory by name, with kinds and sizes', async () => {
      expect(await names(at('etc'))).toEqual(['file app.conf', 'file empty', 'dir sites']);
      const { entries, total } = await subject.engine.list(at('etc'), ALL);
      expect([entries[0]?.size, entries[1]?.size, total]).toEqual([10, 0, 3]);
    });

    it("starts at the host's root", async () => {
      const [first] = tree.slice(1).split('/');
      expect(await names({ ...at(''), path: JailPath.ROOT })).toContain(`dir ${first}`);
    });

    it('gives a window of a long directory, and says how long that is', async () => {
      expect(await names(at('many'), { offset: 10, limit: 5 })).toEqual(['file 20', 'file 21']);
      expect(await subject.engine.list(at('many'), { offset: 3, limit: 2 })).toMatchObject({
        total: 12,
        entries: [{ name: Buffer.from('13') }, { name: Buffer.from('14') }],
      });
      expect(await names(at('many'), { offset: 50, limit: 5 })).toEqual([]);
    });

    it('reads files, also empty ones and ones with odd names', async () => {
      expect(await read(at('etc/app.conf'))).toBe('port = 80\n');
      expect(await read(at('etc/empty'))).toBe('');
      expect(await read(at('etc/sites/ä b.conf'))).toBe('one site');
    });

    it('says what is not there, no directory, no file', async () => {
      const refused = async (work: Promise<unknown>): Promise<string> =>
        work.then(
          () => 'done',
          (error: { code: string }) => error.code,
        );
      expect(await refused(subject.engine.list(at('nothing'), ALL))).toBe('file_not_found');
      expect(await refused(subject.engine.list(at('etc/app.conf'), ALL))).toBe('not_a_directory');
      expect(await refused(subject.engine.read(at('etc')))).toBe('not_a_file');
      expect(await refused(subject.engine.read(at('etc/nothing')))).toBe('file_not_found');
      expect(await refused(subject.engine.read({ ...at(''), path: JailPath.ROOT }))).toBe('not_a_file');
    });

    it('knows nothing of a snapshot that is gone', async () => {
      const gone = { ...at('etc'), snapshot: { ...listed(snapshot), name: '20200101T000000.000Z' } };
      await expect(subject.engine.list(gone, ALL)).rejects.toMatchObject({ code: 'snapshot_damaged' });
      await expect(subject.engine.read({ ...gone, path: at('etc/app.conf').path })).rejects.toMatchObject({
        code: 'snapshot_damaged',
      });
    });

    if (makeHostile !== null) {
      it('shows links and follows none of them', async () => {
        expect(await names(at('hostile'))).toEqual(
          expect.arrayContaining(['link to-file', 'link to-root', 'link up', 'other fifo']),
        );
        for (const path of ['to-file', 'up/etc/app.conf', 'to-root/etc/passwd', 'fifo']) {
          await expect(subject.engine.read(at(`hostile/${path}`)), path).rejects.toMatchObject({
            code: path === 'fifo' ? 'not_a_file' : 'path_refused',
          });
        }
        for (const path of ['to-root', 'up', 'to-root/etc']) {
          await expect(subject.engine.list(at(`hostile/${path}`), ALL), path).rejects.toMatchObject({
            code: 'path_refused',
          });
        }
      });
    }
  });
}

/**
 * Links to the machine's own files, and files that would block a reader. Needs a real file system on this machine.
 */
export const hostileHere: MakeHostile = async ({ host }, directory) => {
  await host.run({
    script:
      'mkdir -p "$1/hostile" && cd "$1/hostile" && ln -s /etc/passwd to-file && ln -s / to-root && ln -s .. up && mkfifo fifo',
    args: [directory],
  });
};
