import { mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JailFs } from '../../../src/application/ports/jail-fs.ts';
import { JailPath } from '../../../src/domain/jail-path.ts';
import { at } from '../../contracts/jail-bench.ts';
import { OPERATIONS } from '../../contracts/jail-escapes.contract.ts';
import { countTogether } from '../../contracts/jail-if-match.ts';
import { describeWith } from '../../support/capabilities.ts';
import { ChildJails } from '../../support/child-jails.ts';
import { HERE, jailRoot, localJails } from './here.ts';

let root: string;
let remove: () => Promise<void>;
beforeEach(async () => {
  ({ root, remove } = await jailRoot());
});
afterEach(() => remove());

describe('where there is no /proc', () => {
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
    localJails({ keepOut: [keepOut] }).open(HERE, jail);

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
