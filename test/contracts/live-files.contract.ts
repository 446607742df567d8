import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LiveFiles, MAX_LIVE_PATHS } from '../../src/application/ports/backups/live-files.ts';
import type { RemoteHost } from '../../src/application/ports/fleet/remote-host.ts';
import { expectRefusal } from '../support/expect-refusal.ts';

export interface LiveFilesSubject {
  readonly liveFiles: LiveFiles;
  readonly host: RemoteHost;
  /** An absolute directory on the host that is the test's own. */
  readonly directory: string;
  write(path: string, content: string): Promise<void>;
  /** Only hosts with a file system have links. */
  link?(path: string, target: string): Promise<void>;
  close(): Promise<void>;
}

const { signal } = new AbortController();

/** Every `LiveFiles` does this. */
export function liveFilesContract(name: string, makeSubject: () => Promise<LiveFilesSubject>): void {
  describe(`LiveFiles: ${name}`, () => {
    let subject: LiveFilesSubject;
    let root: string;
    beforeAll(async () => {
      subject = await makeSubject();
      root = `${subject.directory}/live`;
      await subject.write(`${root}/conf/odd\n"name"`, '12345');
      await subject.write(`${root}/conf/empty`, '');
    });
    afterAll(() => subject.close());

    const facts = (...paths: readonly string[]) =>
      subject.liveFiles.facts(
        subject.host,
        paths.map((path) => Buffer.from(`${root}/${path}`)),
        signal,
      );
    const read = (path: string, most = 100) =>
      subject.liveFiles.read(subject.host, `${root}/${path}`, most, signal);

    it('has the kind and size of each path in their order, and nothing for a missing one', async () => {
      const found = await facts('conf/empty', 'nothing', 'conf', 'conf/odd\n"name"', 'conf/empty/below');
      expect(found.map((each) => each?.kind ?? null)).toEqual(['file', null, 'dir', 'file', null]);
      expect([found[0]?.size, found[3]?.size]).toEqual([0, 5]);
      expect((found[3]?.modifiedAt ?? 1) % 1_000).toBe(0);
      expect(await facts()).toEqual([]);
      const many = Array.from({ length: MAX_LIVE_PATHS }, () => 'conf/empty');
      expect((await facts(...many)).every((each) => each?.kind === 'file')).toBe(true);
    });

    it('reads a whole file, and no missing, large or linked one', async () => {
      expect(Buffer.from(await read('conf/odd\n"name"')).toString()).toBe('12345');
      expect(Buffer.from(await read('conf/empty')).toString()).toBe('');
      await expectRefusal(read('nothing'), 'file_not_found');
      await expectRefusal(read('conf/odd\n"name"', 4), 'file_too_large');
      if (!subject.link) return;
      await subject.link(`${root}/to-file`, 'conf/empty');
      await subject.link(`${root}/to-dir`, 'conf');
      expect((await facts('to-file'))[0]?.kind).toBe('link');
      await expectRefusal(read('to-file'), 'path_refused');
      await expectRefusal(read('to-dir/empty'), 'path_refused');
      await expectRefusal(read('conf'), 'not_a_file');
    });
  });
}
