import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JailFileSystems, JailFs } from '../../src/application/ports/jail-fs.ts';
import type { HostAccess } from '../../src/application/ports/remote-host.ts';
import { JailPath } from '../../src/domain/jail-path.ts';
import type { JailWorld } from '../support/jail-world.ts';
import { at, chunks, type JailBench } from './jail-bench.ts';
import { jailEscapes } from './jail-escapes.contract.ts';
import { jailReads } from './jail-reads.contract.ts';
import { jailWrites } from './jail-writes.contract.ts';

export interface JailSubject {
  readonly jails: JailFileSystems;
  readonly access: HostAccess;
  /** Its root is a directory of the test's own that may hold jails. */
  readonly world: JailWorld;
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
    jailEscapes(() => bench);

    describe('the jail', () => {
      it('may be reached over a link that leads to a place that may be one', async () => {
        await bench.world.file(bench.inJail('file'), 'content');
        await bench.world.link(`${bench.own}/other-name`, 'jail');
        const fs = await bench.open(`${bench.own}/other-name`);
        expect((await fs.list(JailPath.ROOT, 10)).entries).toHaveLength(1);
        fs.close();
      });

      it.each(['/etc', '/usr/share', '/tmp', '/proc/self', '/', '/var/run', '/bin', '/dev'])(
        'is refused where a link makes it %s',
        async (target) => {
          await bench.world.link(`${bench.own}/evil`, target);
          const fs = await bench.open(`${bench.own}/evil`);
          await expect(fs.list(JailPath.ROOT, 10)).rejects.toMatchObject({ code: 'jail_unusable' });
          await expect(fs.makeDirectory(at('made'))).rejects.toMatchObject({ code: 'jail_unusable' });
          fs.close();
        },
      );

      it('is refused where a link on its way leads below a forbidden place', async () => {
        await bench.world.link(`${bench.own}/way`, '/usr');
        const fs = await bench.open(`${bench.own}/way/share`);
        await expect(fs.stat(JailPath.ROOT)).rejects.toMatchObject({ code: 'jail_unusable' });
      });

      it('is refused where it leads to keys', async () => {
        await bench.world.directory(`${bench.own}/.ssh/x`);
        await bench.world.link(`${bench.own}/keys`, '.ssh/x');
        const fs = await bench.open(`${bench.own}/keys`);
        await expect(fs.list(JailPath.ROOT, 10)).rejects.toMatchObject({ code: 'jail_unusable' });
      });

      it('has to be there, and to be a directory', async () => {
        const missing = await bench.open(`${bench.own}/missing`);
        await expect(missing.list(JailPath.ROOT, 10)).rejects.toMatchObject({ code: 'jail_unusable' });
        await bench.world.file(`${bench.own}/a-file`);
        const file = await bench.open(`${bench.own}/a-file`);
        await expect(file.list(JailPath.ROOT, 10)).rejects.toMatchObject({ code: 'jail_unusable' });
        await bench.world.link(`${bench.own}/dangling`, 'nowhere');
        const dangling = await bench.open(`${bench.own}/dangling`);
        await expect(dangling.list(JailPath.ROOT, 10)).rejects.toMatchObject({ code: 'jail_unusable' });
      });

      it('is looked at anew at each call', async () => {
        await bench.world.link(`${bench.own}/moving`, 'jail');
        const fs = await bench.open(`${bench.own}/moving`);
        await fs.makeDirectory(at('made'));
        await bench.world.link(`${bench.own}/second`, '/etc');
        const second = await bench.open(`${bench.own}/second`);
        await expect(second.read(at('passwd'), { offset: 0, length: 10 })).rejects.toMatchObject({
          code: 'jail_unusable',
        });
        expect(await bench.names('')).toEqual(['made']);
      });
    });
  });
}

async function makeBench({ world, jails, access }: JailSubject, own: string): Promise<JailBench> {
  const inJail = (path: string): string => (path === '' ? `${own}/jail` : `${own}/jail/${path}`);
  await world.directory(inJail(''));
  const open = (jail: string): Promise<JailFs> => jails.open(access, `${world.root}/${jail}`);
  const fs = await open(`${own}/jail`);
  return {
    world,
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
    names: (path) => world.names(inJail(path)),
  };
}
