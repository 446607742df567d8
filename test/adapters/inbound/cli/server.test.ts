import { beforeEach, describe, expect, test, vi } from 'vitest';
import { serverSchema } from '../../../../src/adapters/inbound/api/views/server-view.ts';
import { ListServers } from '../../../../src/application/fleet/list-servers.ts';
import { ManageKeys } from '../../../../src/application/fleet/manage-keys.ts';
import { Actor } from '../../../../src/domain/access/actor.ts';
import { fakeHostKey } from '../../../fakes/fake-host-key.ts';
import { CliFixture } from './cli-fixture.ts';

const FINGERPRINT = fakeHostKey('web').fingerprint;

let cli: CliFixture;

beforeEach(() => {
  cli = new CliFixture();
  cli.hosts.host('web').on(/HOME/, () => '/srv/compose');
});

const added = async (more = ''): Promise<void> => {
  const { code, err } = await cli.run(`server add web --host web.test --yes ${more}`);
  if (code !== 0) throw new Error(err);
};

test('a number that is the id of one server and the name of another is neither', async () => {
  await added();
  cli.hosts.host('1');
  await cli.run('server add 1 --host web.test --yes --no-check');
  const { code, err } = await cli.run('server remove 1 --yes');
  expect([code, err]).toEqual([2, expect.stringContaining('the name of server 2')]);
  expect(await cli.json('server show 2')).toMatchObject({ name: '1' });
  expect(await cli.json('server list')).toMatchObject({ total: 2 });
});

test('no server is its own jump server, not even through others', async () => {
  await added();
  for (const [name, jump] of [
    ['db', 'web'],
    ['app', 'db'],
  ]) {
    cli.hosts.host(`${name}`);
    await cli.run(`server add ${name} --host ${name}.test --yes --no-check --jump ${jump}`);
  }
  for (const jump of ['web', 'db', 'app'])
    expect(await cli.run(`server edit web --jump ${jump}`)).toMatchObject({
      code: 2,
      err: expect.stringContaining('jump_server_id'),
    });
  expect((await cli.run('server edit app --jump web')).code).toBe(0);
});

test('a page past the end is not an empty fleet', async () => {
  await added();
  const { code, out } = await cli.run('server list --offset 5');
  expect([code, out]).toEqual([0, expect.stringContaining('only 1')]);
  expect(out).not.toContain('server add');
});

describe('server add, without a terminal', () => {
  test('takes the host whose key has the given fingerprint, and checks it', async () => {
    await cli.run('key create drover');
    const { code, out, err } = await cli.run(`server add web --host web.test --host-key ${FINGERPRINT}`);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('Added web as server 1.');
    expect(out).toContain('Debian GNU/Linux 12');
    expect(out).toContain('drover server edit 1 --jail /srv/compose');
    expect((await cli.servers.find(1))?.address.hostKey?.fingerprint).toBe(FINGERPRINT);
    expect((await cli.servers.find(1))?.jail).toBeNull();
  });

  test('refuses a host whose key has another fingerprint, and adds nothing', async () => {
    const other = fakeHostKey('impostor').fingerprint;
    const { code, err } = await cli.run(`server add web --host web.test --host-key ${other}`);
    expect(code).toBe(3);
    expect(err).toContain(`presents the ssh-ed25519 key ${FINGERPRINT}, not ${other}`);
    expect(err).toContain('[host_key_mismatch]');
    expect(await cli.json('server list')).toMatchObject({ total: 0 });
  });

  test('trusts no unconfirmed key, and says how to confirm it', async () => {
    const { code, err } = await cli.run('server add web --host web.test');
    expect(code).toBe(3);
    expect(err).toContain(`--host-key ${FINGERPRINT}`);
    expect(await cli.json('server list')).toMatchObject({ total: 0 });
  });

  test('adds nothing where the host does not answer, so that the same command works later', async () => {
    cli.hosts.host('web').unreachable();
    expect(await cli.run('server add web --host web.test --yes')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/web was not added.\n.*host_unreachable/s),
    });
    cli.hosts.host('web').reachable();
    await added();
  });

  test('creates no key either then, so that its name is still free', async () => {
    cli.hosts.host('web').unreachable();
    expect((await cli.run('server add web --host web.test --new-key --yes')).code).toBe(1);
    expect((await cli.run('server add web --host web.test --user "a b" --yes')).code).toBe(2);
    expect(await cli.json('key list')).toMatchObject({ total: 0 });
    cli.hosts.host('web').reachable();
    await added('--new-key');
    expect(await cli.json('server show web')).toMatchObject({ ssh_key_id: 1 });
  });

  test('takes the shared key of another command that made it meanwhile', async () => {
    await cli.run('key create drover');
    vi.spyOn(cli.useCases.get(ManageKeys), 'findByName').mockResolvedValueOnce(null);
    expect(await cli.json('server add web --host web.test --yes')).toMatchObject({
      key: { name: 'drover' },
      checked: false,
    });
    expect(await cli.json('server show web')).toMatchObject({ ssh_key_id: 1 });
  });

  test('makes the shared key once, shows its line, and does not log in before the line can be there', async () => {
    const { code, out } = await cli.run('server add web --host web.test --yes');
    expect(code).toBe(0);
    expect(out).toContain('~/.ssh/authorized_keys of root on web.test:\n\nssh-ed25519 AAAA1 drover\n');
    expect(out).toContain('Then check it with: drover server check 1');
    expect(cli.hosts.connects).toEqual([]);
    cli.hosts.host('db').on(/HOME/, () => '/root');
    const second = await cli.run('server add db --host db.test --yes');
    expect(second.out).toContain('Connected to db.');
    expect(await cli.json('key list')).toMatchObject({ total: 1 });
  });

  test('says what to do when the host does not let the key in; the server stays', async () => {
    await cli.run('key create drover');
    cli.hosts.host('web').refuseLogin('root');
    const { code, err } = await cli.run('server add web --host web.test --yes');
    expect(code).toBe(1);
    expect(err).toContain('web was added as server 1, but Drover cannot use it yet.');
    expect(err).toContain('ssh-ed25519 AAAA1 drover');
    expect(err).toContain('drover server check 1');
    expect(err).toContain('[host_auth_failed]');
    await cli.run('server edit web --user deploy');
    expect((await cli.run('server check web')).code).toBe(0);
  });

  test('prints one JSON value: the server as REST shows it, and what was made', async () => {
    const reply = await cli.json(
      'server add web --host web.test --port 2222 --user deploy --sudo --tag b,a --features backup=on,os_patch=on --yes',
    );
    expect(serverSchema.loose().parse(reply)).toMatchObject({
      id: 1,
      name: 'web',
      hostname: 'web.test',
      ssh_port: 2222,
      ssh_username: 'deploy',
      tags: ['a', 'b'],
      features: { backup: true, os_patch: true, docker: false },
    });
    expect(reply).toMatchObject({
      become: 'sudo',
      host_key_fingerprint: FINGERPRINT,
      key: { name: 'drover', public_key: 'ssh-ed25519 AAAA1 drover' },
      checked: false,
    });
    expect(JSON.stringify(reply)).not.toContain('private half');
  });

  test('takes a key, makes one for the server alone, or leaves it to the agent', async () => {
    await cli.run('key create mine');
    for (const name of ['a', 'b', 'c']) cli.hosts.host(name);
    expect(await cli.json('server add a --host a.test --key mine --yes --no-check')).toMatchObject({
      key: { name: 'mine' },
    });
    expect(await cli.json('server add b --host b.test --new-key --yes')).toMatchObject({
      key: { name: 'b' },
    });
    expect(await cli.json('server add c --host c.test --agent --yes --no-check')).toMatchObject({
      key: null,
      ssh_key_id: null,
    });
    expect(await cli.run('server add d --host d.test --key gone')).toMatchObject({
      code: 4,
      err: expect.stringContaining('key_not_found'),
    });
  });

  test('goes through a jump server, and knows the machine itself', async () => {
    await cli.run('key create drover');
    await added();
    cli.hosts.host('db').on(/HOME/, () => '/root');
    cli.hosts.host('here').on(/HOME/, () => '/root');
    expect(await cli.json('server add db --host db.internal --jump web --yes')).toMatchObject({
      jump_server_id: 1,
      checked: true,
    });
    expect(await cli.json('server add here --local')).toMatchObject({ connection: 'local', checked: true });
  });

  test('refuses a name that is taken', async () => {
    await added();
    expect(await cli.run('server add web --host web.test --yes')).toMatchObject({
      code: 5,
      err: expect.stringContaining('name_taken'),
    });
  });
});

describe('server add, with a user at the terminal', () => {
  beforeEach(() => {
    cli.io.interactive = true;
  });

  test('shows the fingerprint, asks, waits until the line is in place, and checks', async () => {
    cli.io.answers.push(
      () => {
        expect(cli.io.stdout).toContain(FINGERPRINT);
        return 'yes';
      },
      () => {
        expect(cli.io.stdout).toContain('ssh-ed25519 AAAA1');
        return '';
      },
    );
    const { code, out } = await cli.run('server add web --host web.test');
    expect(code).toBe(0);
    expect(out.match(/Added web as server 1/g)).toHaveLength(1);
    expect(out).toContain('Connected to web.');
    expect(cli.io.questions.map(({ question }) => question)).toEqual([
      'Is it the same? (yes/no) ',
      'Press Enter when the line is in place. ',
    ]);
  });

  test.each(['no', '', 'maybe', 'yeah'])('takes %j for a no, and adds nothing', async (answer) => {
    cli.io.answers.push(answer);
    expect(await cli.run('server add web --host web.test')).toMatchObject({ code: 3 });
    expect(await cli.json('server list')).toMatchObject({ total: 0 });
  });

  test('asks nothing when the answer is for a script', async () => {
    expect(await cli.run('server add web --host web.test --json')).toMatchObject({ code: 3 });
    expect(cli.io.questions).toEqual([]);
  });
});

describe('server add, cut off at the host-key question', () => {
  test('has added nothing yet, so that there is nothing to undo', async () => {
    cli.io.interactive = true;
    let listed: unknown;
    cli.io.answers.push(async () => {
      listed = await cli.useCases
        .get(ListServers)
        .execute(Actor.operator('cli:other'), { limit: 1, offset: 0 });
      throw Object.assign(new Error('interrupted.'), { exitCode: 130 });
    });
    expect(await cli.run('server add web --host web.test')).toMatchObject({ code: 130 });
    expect(listed).toMatchObject({ total: 0 });
    expect(await cli.json('key list')).toMatchObject({ total: 0 });
    expect(cli.kept.actions).toEqual([]);
  });

  test('refuses a name that is taken before it asks', async () => {
    await added();
    cli.io.interactive = true;
    expect(await cli.run('server add web --host web.test')).toMatchObject({ code: 5 });
    expect(cli.io.questions).toEqual([]);
  });

  test('records who confirmed the key', async () => {
    await added();
    expect(cli.kept.actions).toContain('server.confirm_host_key server:1');
  });
});

describe('server check', () => {
  beforeEach(async () => {
    await cli.run('key create drover');
    await added();
  });

  test('prints what it found', async () => {
    const { code, out } = await cli.run('server check web');
    expect(code).toBe(0);
    expect(out).toMatch(/^Connected to web\.\nSystem: +Debian GNU\/Linux 12 \(bookworm\), 6\.1\.0, x86_64\n/);
    expect(out).toMatch(/^Failed units: +smartd\.service$/m);
    expect(await cli.json('server check web')).toMatchObject({
      ok: true,
      server: { id: 1, os_pretty: 'Debian GNU/Linux 12 (bookworm)' },
      inventory: { status: 'known', packages_count: 321 },
      suggested_jail: '/srv/compose',
    });
  });

  test('is not contradicted by what server show says of updates and of root', async () => {
    const update = { name: 'curl', from: '1', to: '2', security: true, origin: null, held: false };
    cli.updates.push(
      update,
      { ...update, name: 'vim', security: false },
      { ...update, name: 'x', held: true },
    );
    const line = /^Updates: +2 \(1 security fix\)$/m;
    expect((await cli.run('server check web')).out).toMatch(line);
    const { out } = await cli.run('server show web');
    expect(out).toMatch(line);
    expect(out).toMatch(/^Root access: +logs in as root$/m);
    expect(out).toMatch(/^SSH key: +(drover|from the SSH agent)$/m);
    expect((await cli.run('server edit web --user deploy')).out).toMatch(/^Root access: +no$/m);
  });

  test('suggests no home as a file root, whatever the host says', async () => {
    for (const home of ['/root', '/home/deploy', '/home']) {
      cli.hosts.host('web').on(/HOME/, () => home);
      expect(await cli.json('server check web')).toMatchObject({ suggested_jail: null });
    }
  });

  test('never accepts another host key automatically, only if its fingerprint is given', async () => {
    cli.hosts.host('web').hostKey = fakeHostKey('reinstalled');
    for (const line of ['server check web', 'server check web --yes']) {
      expect(await cli.run(line)).toMatchObject({
        code: 3,
        err: expect.stringContaining('[host_key_mismatch]'),
      });
    }
    expect(
      await cli.run(`server check web --host-key ${fakeHostKey('reinstalled').fingerprint}`),
    ).toMatchObject({ code: 0 });
    expect(cli.kept.actions).toContain('server.confirm_host_key server:1');
  });

  test('suggests no jail to a server that has one', async () => {
    await cli.run('server edit web --jail /srv/compose');
    expect((await cli.run('server check web')).out).not.toContain('jail');
  });
});

describe('server list and show', () => {
  test('line up for people', async () => {
    await cli.run('key create drover');
    await added('--features backup=on');
    const { out } = await cli.run('server list');
    expect(out).toBe(
      'ID  NAME  HOST           SYSTEM                          FEATURES  SEEN     BACKUP  UPDATES\n' +
        ' 1  web   root@web.test  Debian GNU/Linux 12 (bookworm)  backup    0 s ago  never   unknown\n',
    );
    expect((await cli.run('server show 1')).out).toMatch(
      new RegExp(`^Host key: +${FINGERPRINT.replaceAll('+', '\\+')}$`, 'm'),
    );
  });

  test('are REST shapes for scripts', async () => {
    await added();
    const list = await cli.json('server list --match WEB');
    expect(list).toMatchObject({ total: 1, limit: 100, offset: 0, q: 'WEB' });
    expect(serverSchema.parse(list.servers[0])).toMatchObject({ id: 1, name: 'web' });
    expect(await cli.json('server show web')).toMatchObject({ id: 1, jail: null, jump_server_id: null });
  });

  test('list only those with a tag', async () => {
    await added('--tag db');
    cli.hosts.host('dbx');
    await cli.run('server add dbx --host dbx.test --tag dbx --yes --no-check');
    expect(await cli.json('server list --tag db')).toMatchObject({ total: 1, servers: [{ name: 'web' }] });
    expect((await cli.run('server list --tag nobody')).out).toBe('No servers match.\n');
  });

  test('say that there are more, and where they start', async () => {
    for (const name of ['a', 'b', 'c']) {
      cli.hosts.host(name);
      await cli.run(`server add ${name} --host ${name}.test --yes --no-check`);
    }
    expect((await cli.run('server list --limit 2')).out).toMatch(
      /Showing 1 to 2 of 3; continue with --offset 2\.\n$/,
    );
    expect((await cli.run('server list --limit 2 --offset 2')).out).not.toContain('Showing');
  });

  test('say how to start with an empty list', async () => {
    expect((await cli.run('server list')).out).toContain('drover server add NAME --host HOST');
  });

  test('find a server by its whole name only, however many have it in theirs', async () => {
    for (let number = 0; number < 120; number += 1) {
      const name = `a-web-${number}`;
      cli.hosts.host(name);
      await cli.run(`server add ${name} --host x.test --yes --no-check`);
    }
    await added();
    expect(await cli.json('server show web')).toMatchObject({ name: 'web', id: 121 });
    expect((await cli.run('server show eb')).code).toBe(4);
  });
});

describe('server edit, features and remove', () => {
  beforeEach(() => added('--tag old --sudo'));

  test('edit it; options you omit stay unchanged', async () => {
    expect(
      await cli.json('server edit web --tag new --no-sudo --jail /srv/compose --deny *.env,secrets'),
    ).toMatchObject({
      tags: ['new'],
      become: 'none',
      jail: '/srv/compose',
      jail_deny: ['*.env', 'secrets'],
      hostname: 'web.test',
      host_key_fingerprint: FINGERPRINT,
    });
    expect(await cli.json('server edit web --no-tag --no-jail --no-deny --agent')).toMatchObject({
      tags: [],
      jail: null,
      jail_deny: [],
      ssh_key_id: null,
    });
    expect(await cli.run('server edit web')).toMatchObject({
      code: 2,
      err: expect.stringContaining('empty_change'),
    });
    expect(await cli.run('server edit web --jail /etc')).toMatchObject({
      code: 2,
      err: expect.stringContaining('jail:'),
    });
  });

  test('ask for the host key again if the address changed', async () => {
    expect((await cli.run('server edit web --port 2222')).out).toContain('drover server check 1');
    expect(await cli.json('server show web')).toMatchObject({ host_key_fingerprint: null });
  });

  test('switch several features at once', async () => {
    expect(await cli.json('server features web backup=on os_patch=off docker=on')).toMatchObject({
      ok: true,
      changed: ['backup', 'docker'],
      server: { features: { backup: true, os_patch: false, docker: true } },
    });
    expect((await cli.run('server features web backup=on')).out).toBe(
      'Nothing to change; web now has: backup,docker.\n',
    );
  });

  test('have tags that are listed, renamed and removed together', async () => {
    await cli.run('server edit web --tag blue');
    expect(await cli.json('tag list')).toMatchObject({
      tags: expect.arrayContaining([expect.objectContaining({ tag: 'blue', servers: 1 })]),
    });
    expect(await cli.json('tag rename blue green')).toEqual({ ok: true, servers: 1 });
    expect(await cli.json('server show web')).toMatchObject({ tags: ['green'] });
    expect(await cli.run('tag remove green')).toMatchObject({ code: 2 });
    expect(await cli.json('tag remove green --yes')).toEqual({ ok: true, servers: 1 });
    expect(await cli.run('tag rename green blue')).toMatchObject({ code: 2 });
  });

  test('remove only what is meant', async () => {
    expect(await cli.run('server remove web')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--yes'),
    });
    cli.io.interactive = true;
    cli.io.answers.push('no');
    expect(await cli.run('server remove web')).toMatchObject({ code: 3 });
    expect(await cli.run('server remove web --yes')).toMatchObject({ code: 0 });
    expect(await cli.run('server show 1')).toMatchObject({ code: 4 });
  });
});
