import { link, mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { must } from '../../../../../scripts/lib/programs.mjs';
import type { JailFs } from '../../../../../src/application/ports/files/jail-fs.ts';
import { JailPath } from '../../../../../src/domain/files/jail-path.ts';
import { at } from '../../../../contracts/jail-bench.ts';
import { OPERATIONS } from '../../../../contracts/jail-escapes.contract.ts';
import { countTogether } from '../../../../contracts/jail-if-match.ts';
import { describeWith } from '../../../../support/capabilities.ts';
import { ChildJails } from '../../../../support/child-jails.ts';
import { placesOf } from '../../../../support/service-places.ts';
import { HERE, jailRoot, localJails } from './here.ts';

/** They refuse any file, or show only that it is there. */
const ON_DIRECTORIES = ['list', 'stat', 'makeDirectory', 'tree', 'removeTree'];

let root: string;
let remove: () => Promise<void>;
beforeEach(async () => {
  ({ root, remove } = await jailRoot());
});
afterEach(() => remove());

describe('without /proc', () => {
  it.each(['/nowhere', '/var', '/etc/hostname'])('nothing is done with %s in its place', async (proc) => {
    await expect(localJails({ proc }).open(HERE, root)).rejects.toMatchObject({ code: 'host_unsupported' });
  });
});

describeWith('root', 'on a machine without /proc', () => {
  it('nothing is done', async () => {
    await writeFile(join(root, 'file'), 'content');
    const hide = ['unshare', '-m', 'sh', '-c', 'mount -t tmpfs none /proc && exec "$@"', 'sh'];
    const child = await ChildJails.start({ through: hide });
    try {
      await expect(child.open(HERE, root)).rejects.toMatchObject({ code: 'host_unsupported' });
    } finally {
      await child.kill();
    }
  });
});

describe("the service's own data", () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = join(root, 'srv', 'drover');
    await mkdir(join(dataDir, 'backups'), { recursive: true });
    await writeFile(join(dataDir, 'master.secret'), 'the canary');
  });
  const open = (jail: string, keepOut = dataDir): Promise<JailFs> =>
    localJails({ keptOut: () => placesOf(keepOut).here() }).open(HERE, jail);

  it.each(['srv/drover', 'srv/drover/backups'])('%s is no jail', async (place) => {
    const fs = await open(join(root, place));
    await expect(fs.list(JailPath.ROOT, 5)).rejects.toMatchObject({ code: 'jail_unusable' });
  });

  it.each(Object.entries(OPERATIONS))('%s reaches nothing of it from above', async (name, operate) => {
    const fs = await open(root);
    for (const path of ['srv/drover/master.secret', 'srv/drover/backups', 'srv/drover/new']) {
      await expect(operate(fs, at(path)), `${name} ${path}`).rejects.toMatchObject({ code: 'path_refused' });
    }
    expect(await readFile(join(dataDir, 'master.secret'), 'utf8')).toBe('the canary');
    expect(await readdir(dataDir)).toEqual(['backups', 'master.secret']);
  });

  it('stays where it is, and so do the directories above it', async () => {
    const fs = await open(root);
    for (const path of ['srv', 'srv/drover']) {
      await expect(fs.rename(at(path), 'elsewhere'), path).rejects.toMatchObject({ code: 'path_refused' });
    }
    await fs.makeDirectory(at('srv/other'));
    await fs.rename(at('srv/other'), 'renamed');
    expect((await readdir(join(root, 'srv'))).sort()).toEqual(['drover', 'renamed']);
  });

  it('is known by what it is, not by its name', async () => {
    await symlink(dataDir, join(root, 'data'));
    const fs = await open(root, join(root, 'data'));
    await rename(dataDir, join(root, 'srv', 'moved'));
    await expect(fs.list(at('srv/moved'), 5)).rejects.toMatchObject({ code: 'path_refused' });
  });
});

describe("the files of the service's settings", () => {
  let kept: string;
  beforeEach(async () => {
    await mkdir(join(root, 'srv', 'certs'), { recursive: true });
    kept = join(root, 'srv', 'certs', 'tls.secret');
    await writeFile(kept, 'the canary');
  });
  const open = (): Promise<JailFs> => {
    const places = placesOf(
      join(root, 'no-data'),
      { path: kept, what: 'a key' },
      { path: join(root, 'srv', 'node_modules'), what: 'modules' },
    );
    return localJails({ keptOut: () => places.here() }).open(HERE, root);
  };

  const onFiles = Object.entries(OPERATIONS).filter(([name]) => !ON_DIRECTORIES.includes(name));

  it.each(onFiles)('%s reaches none, by its name or by another', async (name, operate) => {
    await link(kept, join(root, 'other-name'));
    const fs = await open();
    await expect(operate(fs, at('srv/certs/tls.secret')), name).rejects.toMatchObject({
      code: 'path_refused',
    });
    await expect(operate(fs, at('other-name')), name).rejects.toMatchObject({ code: 'path_refused' });
    expect(await readFile(kept, 'utf8')).toBe('the canary');
  });

  it('are not moved with the directory that they are in', async () => {
    const fs = await open();
    await expect(fs.rename(at('srv/certs'), 'old')).rejects.toMatchObject({ code: 'path_refused' });
    await expect(fs.removeTree(at('srv/certs'))).rejects.toMatchObject({ code: 'path_refused' });
    expect(await readFile(kept, 'utf8')).toBe('the canary');
  });

  it('get no neighbours that the program would load', async () => {
    const fs = await open();
    await mkdir(join(root, 'srv', 'harmless'));
    const refused = { code: 'path_refused' };
    await expect(fs.makeDirectory(at('srv/node_modules'))).rejects.toMatchObject(refused);
    await expect(fs.rename(at('srv/harmless'), 'node_modules')).rejects.toMatchObject(refused);
    await fs.makeDirectory(at('srv/harmless/node_modules'));
    expect((await readdir(join(root, 'srv'))).sort()).toEqual(['certs', 'harmless']);
  });
});

describeWith('root', 'what is mounted at another place', () => {
  it("is the service's own there too, as a whole and in parts", async () => {
    const dataDir = join(root, 'srv', 'drover');
    await mkdir(join(dataDir, 'snapshots', 'one'), { recursive: true });
    await writeFile(join(dataDir, 'snapshots', 'one', 'file'), 'the canary');
    await writeFile(join(dataDir, 'alone'), 'the canary');
    await mkdir(join(root, 'www', 'part'), { recursive: true });
    await mkdir(join(root, 'www', 'whole'));
    await writeFile(join(root, 'www', 'file'), '');
    const mounts = [
      [dataDir, join(root, 'www', 'whole')],
      [join(dataDir, 'snapshots'), join(root, 'www', 'part')],
      [join(dataDir, 'alone'), join(root, 'www', 'file')],
    ] as const;
    for (const [from, to] of mounts) await must('mount', ['--bind', from, to]);
    try {
      const fs = await localJails({ keptOut: () => placesOf(dataDir).here() }).open(HERE, root);
      for (const path of ['www/whole/alone', 'www/part/one/file', 'www/file']) {
        await expect(fs.read(at(path), { offset: 0, length: 10 }), path).rejects.toMatchObject({
          code: 'path_refused',
        });
      }
      const part = await localJails({ keptOut: () => placesOf(dataDir).here() }).open(
        HERE,
        join(root, 'www', 'part'),
      );
      await expect(part.list(JailPath.ROOT, 5)).rejects.toMatchObject({ code: 'jail_unusable' });
    } finally {
      for (const [, to] of mounts) await must('umount', [to]);
    }
  });
});

describe('two services on one machine', () => {
  it('never both replace what they have both read', async () => {
    const services = await Promise.all([ChildJails.start(), ChildJails.start()]);
    try {
      const opened = await Promise.all(services.map((each) => each.open(HERE, root)));
      await countTogether(opened);
    } finally {
      await Promise.all(services.map((each) => each.kill()));
    }
  });
});
