import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BackupRequest, DumpFile } from '../../src/application/ports/backups/backup-engine.ts';
import type { NewSnapshot } from '../../src/domain/backups/snapshot.ts';
import { DomainError } from '../../src/domain/base/errors.ts';
import { JailPath } from '../../src/domain/files/jail-path.ts';
import { expectRefusal } from '../support/expect-refusal.ts';
import {
  type BackupSubject,
  checkOf,
  listed,
  requestFor,
  sourceOf,
  Witness,
} from './backup-engine.contract.ts';

const PATH = 'drover-dumps/shop.mysql.sql';
const failed = (): DomainError => new DomainError('dump_failed', 'The dump "shop" failed.');

const dumpOf = (...chunks: readonly (string | Error)[]): DumpFile => ({
  path: PATH,
  read: async function* () {
    for (const chunk of chunks) {
      if (chunk instanceof Error) throw chunk;
      yield Buffer.from(chunk);
    }
  },
});

/** Every `BackupEngine` that takes dumps does this. */
export function backupDumpsContract(name: string, makeSubject: () => Promise<BackupSubject>): void {
  describe(`BackupEngine with dumps: ${name}`, () => {
    let subject: BackupSubject;
    let number = 0;
    beforeAll(async () => {
      subject = await makeSubject();
    });
    afterAll(() => subject.close());

    async function requestWith(dumps: readonly DumpFile[]): Promise<BackupRequest> {
      number += 1;
      const directory = `${subject.directory}/dumps-${number}`;
      await subject.write(`${directory}/a`, 'file a');
      return { ...requestFor(subject.host, sourceOf([directory])), dumps };
    }
    const backup = (request: BackupRequest): Promise<NewSnapshot> =>
      subject.engine.backup(request, new Witness());
    const again = (request: BackupRequest, dumps: readonly DumpFile[]): BackupRequest => ({
      ...requestFor(subject.host, request.source),
      dumps,
    });
    const read = async (snapshot: NewSnapshot): Promise<string> => {
      const { signal } = new AbortController();
      const { content } = await subject.engine.readDump({ snapshot: listed(snapshot), path: PATH, signal });
      let text = '';
      for await (const chunk of content) text += chunk.toString();
      return text;
    };

    it('has them as files of the snapshot, which are listed, counted and verified', async () => {
      const made = await backup(await requestWith([dumpOf('first, ', 'second')]));
      expect(made).toMatchObject({ fileCount: 2, totalBytes: 6 + 13 });
      expect(await read(made)).toBe('first, second');
      const origin = async () => subject.host;
      const { signal } = new AbortController();
      const asked = { snapshot: listed(made), path: JailPath.parse('drover-dumps'), origin, signal };
      const { entries } = await subject.engine.list(asked, { offset: 0, limit: 10 });
      expect(entries.map((entry) => [entry.name.toString(), entry.kind, entry.size])).toEqual([
        ['shop.mysql.sql', 'file', 13],
      ]);
      expect(await subject.engine.verify(checkOf(made, subject.host), new Witness())).toMatchObject({
        bytes: 19,
      });
    });

    it('has those of each backup alone', async () => {
      const request = await requestWith([dumpOf('old')]);
      const first = await backup(request);
      const second = await backup(again(request, [dumpOf('new')]));
      const third = await backup(again(request, []));
      expect([await read(first), await read(second)]).toEqual(['old', 'new']);
      expect([second.fileCount, third.fileCount]).toEqual([2, 1]);
      await expectRefusal(read(third), 'file_not_found');
    });

    it('publishes nothing if one fails in the middle, and is fine the next time', async () => {
      const request = await requestWith([
        dumpOf('whole'),
        { ...dumpOf('half', failed()), path: 'drover-dumps/b.rdb' },
      ]);
      await expectRefusal(backup(request), 'dump_failed');
      expect(await subject.engine.published(request.source)).toEqual([]);
      expect(await read(await backup(again(request, [dumpOf('whole')])))).toBe('whole');
    });

    it('restores them below a directory, and not to where files came from', async () => {
      const request = await requestWith([dumpOf('content')]);
      const made = await backup(request);
      const order = { snapshot: listed(made), host: subject.host, subpaths: [] };
      const directory = `${subject.directory}/back-${number}`;
      await subject.engine.restore({ ...order, directory, overwrite: false }, new Witness());
      expect(await subject.read(`${directory}/${PATH}`)).toBe('content');
      await subject.remove(`${request.source.paths[0]}/a`);
      const { files } = await subject.engine.restore(
        { ...order, directory: '/', overwrite: true },
        new Witness(),
      );
      expect(files).toBe(1);
      expect(await subject.read(`${request.source.paths[0]}/a`)).toBe('file a');
      expect(await subject.read(`/${PATH}`)).toBeNull();
    });

    it('does not hand out one that is damaged', async () => {
      const made = await backup(await requestWith([dumpOf('content')]));
      await subject.damage(made, `/${PATH}`, 'CONTENT');
      await expectRefusal(read(made), 'snapshot_damaged');
    });
  });
}
