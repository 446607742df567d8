import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkOf, listed, requestFor, sourceOf, Witness } from '../../../contracts/backup-engine.contract.ts';
import { describeWith } from '../../../support/capabilities.ts';
import { expectRefusal } from '../../../support/expect-refusal.ts';
import { freePort } from '../../../support/free-port.ts';
import { eventually } from '../../../support/processes.ts';
import { PASSWORD, ResticWorld } from './restic-world.ts';

const LOGIN = { name: 'web', secret: 's3cret/with:@' };

describeWith(['restic', 'rclone'], 'a repository on a REST server', () => {
  let world: ResticWorld;
  let server: ChildProcess;
  let root: string;
  beforeAll(async () => {
    const port = await freePort();
    world = await ResticWorld.create({
      urlOf: (path) => `rest:http://127.0.0.1:${port}/${path.split('/').at(-1)}/`,
    });
    world.isNew = true;
    world.secrets = { password: PASSWORD, login: LOGIN };
    const directory = join(world.repositoryOf(0), '..');
    await mkdir(directory, { recursive: true });
    const login = ['--user', LOGIN.name, '--pass', LOGIN.secret];
    server = spawn('rclone', ['serve', 'restic', '--addr', `127.0.0.1:${port}`, ...login, directory], {
      stdio: 'ignore',
    });
    await eventually('the server answers', 60_000, async () =>
      fetch(`http://127.0.0.1:${port}/`).then(
        () => true,
        () => undefined,
      ),
    );
    root = join(world.directory, 'src');
    await world.write(join(root, 'a'), 'content');
  });
  afterAll(async () => {
    const gone = once(server, 'exit');
    server.kill();
    await gone;
    await world.close();
  });

  it('is made, backed up to, verified, restored from and freed', async () => {
    const source = sourceOf([root]);
    const made = await world.engine.backup(requestFor(world.host, source), new Witness());
    expect(await world.inRepository(source.id)).toHaveLength(1);
    expect(await world.engine.verify(checkOf(made, world.host), new Witness())).toEqual({
      files: 1,
      bytes: 7,
    });
    const directory = join(world.directory, 'back');
    const order = { snapshot: listed(made), directory, host: world.host, subpaths: [], overwrite: false };
    await world.engine.restore(order, new Witness());
    expect(await world.read(`${directory}${root}/a`)).toBe('content');
    await world.engine.remove(listed(made), async () => world.host, new Witness());
    await world.engine.reclaim(source, async () => world.host, new Witness());
    expect(await world.inRepository(source.id)).toEqual([]);
    expect(await readdir(join(world.repositoryOf(source.id), 'locks'))).toEqual([]);
  });

  it('refuses another login, and neither secret is shown', async () => {
    world.secrets = { password: PASSWORD, login: { name: 'web', secret: 'wr0ng/secret' } };
    const watch = new Witness();
    const refused = await expectRefusal(
      world.engine.backup(requestFor(world.host, sourceOf([root])), watch),
      'repository_unusable',
    );
    expect(`${refused.message}${watch.text}`).not.toMatch(/wr0ng|correct|pass word/);
  });
});
