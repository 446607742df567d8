import { beforeEach, describe, expect, test } from 'vitest';
import { userSchema } from '../../../../src/adapters/inbound/api/views/user-view.ts';
import { Actor } from '../../../../src/domain/access/actor.ts';
import { PASSWORD } from '../../../support/accounts-scene.ts';
import { CliFixture } from './cli-fixture.ts';

let cli: CliFixture;
beforeEach(() => {
  cli = new CliFixture();
});

const secretIn = (text: string): string => /\/welcome#([A-Za-z0-9_-]{32})/.exec(text)?.[1] ?? '';
const takeUp = (secret: string, name = 'root') =>
  cli.accounts.takeUpLink.execute(secret, { name, password: PASSWORD }, '203.0.113.7');

describe('user setup', () => {
  test('makes a link for the first administrator until there is one', async () => {
    expect((await cli.run('user list')).out).toContain('No users yet');
    const { code, out } = await cli.run('user setup');
    expect(code).toBe(0);
    expect(out).toContain('http://localhost:8888/welcome#');
    await takeUp(secretIn(out));
    expect((await cli.run('user setup')).out).toContain('An administrator already exists');
    expect(await cli.json('user setup')).toEqual({ url: null, expires_at: null });
  });
});

describe('user', () => {
  beforeEach(async () => {
    await takeUp(secretIn((await cli.run('user setup')).out));
  });

  test('add invites a user under the public address', async () => {
    cli.settings = { ...cli.settings, publicUrl: 'https://drover.example.org:8443' };
    const { out } = await cli.run('user add Ann --role operator');
    expect(out).toMatch(/^Invited ann as operator\.\n.*\n {2}https:\/\/drover\.example\.org:8443\/welcome#/);
    await takeUp(secretIn(out));
    const { users, total } = await cli.json('user list');
    expect(total).toBe(2);
    expect(userSchema.array().parse(users)[0]).toMatchObject({
      name: 'ann',
      role: 'operator',
      has_password: true,
    });
    expect((await cli.run('user list')).out).toMatch(/^ann +operator +active +no +0 +-$/m);
  });

  test.each([
    ['user add root', 5],
    ['user add "a b"', 2],
    ['user add bob --role king', 2],
    ['user link nobody', 4],
    ['user role root viewer', 5],
    ['user disable root --yes', 5],
  ])('%s ends with %d', async (line, code) => {
    expect((await cli.run(line)).code).toBe(code);
  });

  test('role, disable, enable and remove-totp change one user', async () => {
    await cli.run('user add ann');
    expect(await cli.json('user role ann administrator')).toMatchObject({ role: 'administrator' });
    expect((await cli.json('user disable ann --yes')).disabled_at).not.toBeNull();
    expect((await cli.run('user list')).out).toMatch(/^ann +administrator +disabled/m);
    expect(await cli.json('user enable ann')).toMatchObject({ disabled_at: null });
    expect(await cli.json('user end-sessions ann --yes')).toMatchObject({ name: 'ann', disabled_at: null });
    expect((await cli.run('user end-sessions nobody --yes')).code).toBe(4);
    expect(await cli.json('user remove-totp ann --yes')).toMatchObject({ has_totp: false });
  });

  test('grant, revoke and show change and list roles by tag', async () => {
    await cli.run('user add ben --role none');
    expect(await cli.json('user grant ben --tag web --role operator')).toMatchObject({
      name: 'ben',
      role: null,
      tag_roles: [{ tag: 'web', role: 'operator' }],
      schedules_switched_off: [],
    });
    await cli.run('user grant ben --tag db --role administrator');
    await cli.run('user grant ben --tag db --role viewer');
    const roles = [
      { tag: 'db', role: 'viewer' },
      { tag: 'web', role: 'operator' },
    ];
    expect(userSchema.parse(await cli.json('user show ben'))).toMatchObject({
      role: null,
      tag_roles: roles,
    });
    const { out } = await cli.run('user show ben');
    for (const row of [/^all servers +none$/m, /^tag db +viewer$/m, /^tag web +operator$/m])
      expect(out).toMatch(row);
    expect((await cli.run('user list')).out).toMatch(/^ben +viewer on db, operator on web +invited/m);
    expect(await cli.json('user revoke ben --tag web')).toMatchObject({ tag_roles: [roles[0]] });
    // Removing what is not there is no error.
    expect(await cli.json('user revoke ben --tag web')).toMatchObject({ tag_roles: [roles[0]] });
    await cli.run('user role ben viewer');
    expect((await cli.json('user show ben')).tag_roles).toEqual([roles[0]]);
    const noted = cli.accounts.kept.audit.filter(({ action }) => /^user\.(grant|revoke)$/.test(action));
    expect(noted.map(({ action, detail }) => [action, detail['tag'], detail['role']]).slice(0, 4)).toEqual([
      ['user.grant', 'web', 'operator'],
      ['user.grant', 'db', 'administrator'],
      ['user.grant', 'db', 'viewer'],
      ['user.revoke', 'web', undefined],
    ]);
  });

  test.each([
    ['user grant root --role viewer', 2],
    ['user grant root --tag web', 2],
    ['user grant root --tag web --role king', 2],
    ['user grant root --tag web --role none', 2],
    ['user grant root --tag "a b" --role viewer', 2],
    ['user grant nobody --tag web --role viewer', 4],
    ['user revoke root', 2],
    ['user revoke root --tag "a b"', 2],
    ['user revoke nobody --tag web', 4],
    ['user show nobody', 4],
  ])('%s ends with %d and changes nothing', async (line, code) => {
    expect((await cli.run(line)).code).toBe(code);
    expect((await cli.json('user show root')).tag_roles).toEqual([]);
  });

  test('grant has at most 50 tags for each user', async () => {
    for (let each = 0; each < 50; each += 1) await cli.run(`user grant root --tag t${each} --role viewer`);
    expect((await cli.run('user grant root --tag more --role viewer')).code).toBe(2);
    expect((await cli.run('user grant root --tag t7 --role operator')).code).toBe(0);
    expect((await cli.json('user show root')).tag_roles).toHaveLength(50);
  });

  test('passkeys lists those of a user, and remove-passkey removes one', async () => {
    const { id: userId } = await cli.accounts.manageUsers.get(Actor.operator('cli:root'), 'root');
    for (const name of ['Laptop', 'Phone'])
      await cli.accounts.passkeys.add(
        {
          userId,
          name,
          credentialId: name,
          publicKey: 'pQEC',
          rpId: 'drover.example.org',
          counter: 0,
          transports: [],
          createdAt: 0,
        },
        10,
        () => ({}),
      );
    const { passkeys } = await cli.json('user passkeys root');
    expect(passkeys).toMatchObject([
      { id: 1, name: 'Laptop', site: 'drover.example.org', last_used_at: null },
      { id: 2, name: 'Phone' },
    ]);
    expect((await cli.run('user passkeys root')).out).toMatch(/^1 +Laptop +drover\.example\.org /m);
    expect(await cli.json('user remove-passkey root 1 --yes')).toMatchObject({ name: 'root', passkeys: 1 });
    expect((await cli.run('user remove-passkey root 1 --yes')).code).toBe(4);
    expect((await cli.json('user passkeys root')).passkeys).toMatchObject([{ id: 2 }]);
  });

  test('two-factor shows and sets which accounts need it, and locks no one out of the command line', async () => {
    expect(await cli.json('user two-factor')).toEqual({ two_factor: 'none' });
    expect(await cli.json('user two-factor administrators')).toEqual({ two_factor: 'administrators' });
    expect((await cli.run('user two-factor')).out).toContain('administrators');
    expect(await cli.json('user two-factor none')).toEqual({ two_factor: 'none' });
    expect((await cli.run('user two-factor some')).code).toBe(2);
    const decided = cli.accounts.kept.audit.filter(({ action }) => action === 'user.require_two_factor');
    expect(decided.map(({ actorKind, detail }) => [actorKind, detail['accounts']])).toEqual([
      ['operator', 'administrators'],
      ['operator', 'none'],
    ]);
  });

  test('unlink separates a user from their provider, if they have a password', async () => {
    await cli.run('user add ann');
    expect((await cli.run('user unlink ann')).code).toBe(2);
    expect(await cli.json('user unlink ann --yes')).toMatchObject({ name: 'ann', sso_issuer: null });
    const identity = { issuer: 'https://auth.example.org', subject: 'ann' };
    const ann = await cli.accounts.users.findByName('ann');
    await cli.accounts.users.change(ann?.user.id ?? 0, { identity }, () => ({}));
    expect((await cli.run('user unlink ann --yes')).code).toBe(3);
    await takeUp(secretIn((await cli.run('user link ann')).out));
    expect(await cli.json('user unlink ann --yes')).toMatchObject({ sso_issuer: null });
  });

  test('link makes a new link and voids the one before', async () => {
    const first = secretIn((await cli.run('user add ann')).out);
    const { url, expires_at } = await cli.json('user link ann');
    expect(Date.parse(expires_at)).toBeGreaterThan(0);
    await expect(takeUp(first)).rejects.toMatchObject({ code: 'link_invalid' });
    expect(await takeUp(secretIn(url))).toMatchObject({ name: 'ann' });
  });
});
