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
import { PASSWORD, ResticFixture } from './restic-fixture.ts';

const LOGIN = { name: 'web', secret: 's3cret/with:@' };

describeWith(['restic', 'rclone'], 'a repository on a REST server', () => {
  let fixture: ResticFixture;
  let server: ChildProcess;
  let root: string;
  beforeAll(async () => {
    const port = await freePort();
    fixture = await ResticFixture.create({
      urlOf: (path) => `rest:http://127.0.0.1:${port}/${path.split('/').at(-1)}/`,
    });
    fixture.isNew = true;
    fixture.secrets = { password: PASSWORD, login: LOGIN };
    const directory = join(fixture.repositoryOf(0), '..');
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
    root = join(fixture.directory, 'src');
    await fixture.write(join(root, 'a'), 'content');
  });
  afterAll(async () => {
    const gone = once(server, 'exit');
    server.kill();
    await gone;
    await fixture.close();
  });

  it('is made, backed up to, verified, restored from and freed', async () => {
    const source = sourceOf([root]);
    const made = await fixture.engine.backup(requestFor(fixture.host, source), new Witness());
    expect(await fixture.inRepository(source.id)).toHaveLength(1);
    expect(await fixture.engine.verify(checkOf(made, fixture.host), new Witness())).toEqual({
      files: 1,
      bytes: 7,
    });
    const directory = join(fixture.directory, 'back');
    const order = { snapshot: listed(made), directory, host: fixture.host, subpaths: [], overwrite: false };
    await fixture.engine.restore(order, new Witness());
    expect(await fixture.read(`${directory}${root}/a`)).toBe('content');
    await fixture.engine.remove(listed(made), async () => fixture.host, new Witness());
    await fixture.engine.reclaim(source, async () => fixture.host, new Witness());
    expect(await fixture.inRepository(source.id)).toEqual([]);
    expect(await readdir(join(fixture.repositoryOf(source.id), 'locks'))).toEqual([]);
  });

  it('refuses another login, and neither secret is shown', async () => {
    fixture.secrets = { password: PASSWORD, login: { name: 'web', secret: 'wr0ng/secret' } };
    const watch = new Witness();
    const refused = await expectRefusal(
      fixture.engine.backup(requestFor(fixture.host, sourceOf([root])), watch),
      'repository_unusable',
    );
    expect(`${refused.message}${watch.text}`).not.toMatch(/wr0ng|correct|pass word/);
  });
});
