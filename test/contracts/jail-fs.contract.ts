import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JailFileSystems, JailFs } from '../../src/application/ports/files/jail-fs.ts';
import type { HostAccess } from '../../src/application/ports/fleet/remote-host.ts';
import { FORBIDDEN_ROOTS } from '../../src/domain/files/jail-directory.ts';
import { JailPath } from '../../src/domain/files/jail-path.ts';
import type { JailFixture } from '../support/jail-fixture.ts';
import { at, chunks, type JailBench } from './jail-bench.ts';
import { jailEscapes } from './jail-escapes.contract.ts';
import { jailReads } from './jail-reads.contract.ts';
import { jailSweeps } from './jail-sweeps.contract.ts';
import { jailTrees } from './jail-trees.contract.ts';
import { jailWrites } from './jail-writes.contract.ts';

export interface JailSubject {
  readonly jails: JailFileSystems;
  readonly access: HostAccess;
  /** Its root is the test's own directory, which may contain file roots. */
  readonly fixture: JailFixture;
  close(): Promise<void>;
}

/** Every `JailFs` does this. */
export function jailFsContract(name: string, makeSubject: () => Promise<JailSubject>): void {
  describe(`JailFs: ${name}`, () => {
    let subject: JailSubject;
    let bench: JailBench;
    let tests = 0;

    beforeAll(async () => {
      subject = await makeSubject();
    });
    afterAll(() => subject.close());

    beforeEach(async () => {
      tests += 1;
      bench = await makeBench(subject, `test-${tests}`);
    });

    jailReads(() => bench);
    jailWrites(() => bench);
    jailSweeps(() => bench);
    jailTrees(() => bench);
    jailEscapes(() => bench);

    describe('the jail', () => {
      it.each(['jail', '..', '/etc', '/tmp', '/'])('is refused where it is a link, to %s', async (target) => {
        await bench.fixture.link(`${bench.own}/evil`, target);
        const fs = await bench.open(`${bench.own}/evil`);
        await expect(fs.list(JailPath.ROOT, 10)).rejects.toMatchObject({ code: 'jail_unusable' });
        await expect(fs.makeDirectory(at('made'))).rejects.toMatchObject({ code: 'jail_unusable' });
        fs.close();
      });

      it.each(FORBIDDEN_ROOTS)('is refused where it is %s, whatever was saved', async (directory) => {
        for (const jail of [directory, `${directory}/x`, `${directory}/../srv`]) {
          await expect(bench.jails.open(bench.access, jail), jail).rejects.toMatchObject({
            code: 'jail_unusable',
          });
        }
      });

      it('is the root directory only where all of the host is meant', async () => {
        const { jails, access, fixture, own } = bench;
        await expect(jails.open(access, '/')).rejects.toMatchObject({ code: 'jail_unusable' });
        await expect(jails.open(access, '/etc', { wholeHost: true })).rejects.toMatchObject({
          code: 'jail_unusable',
        });
        await fixture.file(`${own}/jail/file`, 'seen');
        await fixture.link(`${own}/jail/way`, '/etc');
        const fs = await jails.open(access, '/', { wholeHost: true });
        const jail = at(`${fixture.root}/${own}/jail`.slice(1));
        expect((await fs.list(jail, 10)).entries).toHaveLength(2);
        expect(
          Buffer.from((await fs.read(jail.child('file'), { offset: 0, length: 9 })).bytes).toString(),
        ).toBe('seen');
        await expect(fs.list(jail.child('way'), 10)).rejects.toMatchObject({ code: 'path_refused' });
        expect((await fs.list(JailPath.ROOT, 100)).entries.length).toBeGreaterThan(0);
        fs.close();
      });

      it('is refused where a link on its way leads elsewhere', async () => {
        await bench.fixture.link(`${bench.own}/way`, '/usr');
        const fs = await bench.open(`${bench.own}/way/share`);
        await expect(fs.stat(JailPath.ROOT)).rejects.toMatchObject({ code: 'jail_unusable' });
      });

      it('has to be there, and to be a directory', async () => {
        const missing = await bench.open(`${bench.own}/missing`);
        await expect(missing.list(JailPath.ROOT, 10)).rejects.toMatchObject({ code: 'jail_unusable' });
        await bench.fixture.file(`${bench.own}/a-file`);
        const file = await bench.open(`${bench.own}/a-file`);
        await expect(file.list(JailPath.ROOT, 10)).rejects.toMatchObject({ code: 'jail_unusable' });
        await bench.fixture.link(`${bench.own}/dangling`, 'nowhere');
        const dangling = await bench.open(`${bench.own}/dangling`);
        await expect(dangling.list(JailPath.ROOT, 10)).rejects.toMatchObject({ code: 'jail_unusable' });
      });

      it('is checked again at each call, and so are the directories above it', async () => {
        const { fixture, own } = bench;
        await fixture.file(`${own}/outside/jail/canary`, 'outside');
        await fixture.directory(`${own}/above/jail`);
        const fs = await bench.open(`${own}/above/jail`);
        await fs.makeDirectory(at('made'));
        await fixture.move(`${own}/above`, `${own}/was`);
        await fixture.link(`${own}/above`, 'outside');
        // one after another: a failure without an awaiting caller would fail the run
        const calls = [
          () => fs.read(at('canary'), { offset: 0, length: 10 }),
          () => fs.makeDirectory(at('new')),
        ];
        for (const call of calls) {
          await expect(call()).rejects.toMatchObject({ code: 'jail_unusable' });
        }
        expect(await fixture.names(`${own}/outside/jail`)).toEqual(['canary']);
        expect(await fixture.names(`${own}/was/jail`)).toEqual(['made']);
      });
    });
  });
}

async function makeBench({ fixture, jails, access }: JailSubject, own: string): Promise<JailBench> {
  const inJail = (path: string): string => (path === '' ? `${own}/jail` : `${own}/jail/${path}`);
  await fixture.directory(inJail(''));
  const open = (jail: string): Promise<JailFs> => jails.open(access, `${fixture.root}/${jail}`);
  const fs = await open(`${own}/jail`);
  return {
    fixture,
    jails,
    access,
    fs,
    own,
    inJail,
    open,
    read: async (path) => {
      const { bytes } = await fs.read(at(path), { offset: 0, length: 1_000_000 });
      return Buffer.from(bytes).toString();
    },
    write: (path, content, options = {}) =>
      fs.write(at(path), chunks(content), { expect: 'any', most: 1_000_000, ...options }),
    names: (path) => fixture.names(inJail(path)),
  };
}
