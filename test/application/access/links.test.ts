import { beforeEach, describe, expect, test } from 'vitest';
import { Actor } from '../../../src/domain/access/actor.ts';
import { actorOfUser } from '../../../src/domain/access/user.ts';
import { HOUR } from '../../../src/domain/base/instant.ts';
import { type AccountsScene, accountsScene, BROWSER, PASSWORD } from '../../support/accounts-scene.ts';
import { tokenActor } from '../../support/application-scene.ts';
import { expectRefusal } from '../../support/expect-refusal.ts';

const operator = Actor.operator('cli:root');
let scene: AccountsScene;
beforeEach(() => {
  scene = accountsScene();
});

const takeUp = (secret: string, over: object = {}) =>
  scene.takeUpLink.execute(secret, { name: 'root', password: PASSWORD, ...over }, BROWSER.address);

describe('The first administrator', () => {
  test('is made by the link, once, and no link is offered from then on', async () => {
    const offered = await scene.offerSetup.execute();
    const secret = offered?.secret ?? '';
    expect(await scene.takeUpLink.look(secret, BROWSER.address)).toEqual({ kind: 'first' });
    expect(await takeUp(secret)).toMatchObject({ name: 'root', role: 'administrator' });
    expect(await scene.offerSetup.execute()).toBeNull();
    await expectRefusal(takeUp(secret, { name: 'eve' }), 'link_invalid');
    expect(scene.kept.actions).toEqual(['user.offer_setup user:first', 'user.set_up user:1']);
  });

  test('is not made by a link that is too old, malformed or guessed', async () => {
    const secret = (await scene.offerSetup.execute())?.secret ?? '';
    for (const wrong of ['', 'x', `${secret}x`, secret.toLowerCase(), 'A'.repeat(32), '../../etc']) {
      if (wrong !== secret) await expectRefusal(takeUp(wrong), 'link_invalid');
    }
    await scene.clock.advance(24 * HOUR);
    await expectRefusal(takeUp(secret), 'link_invalid');
    expect(await scene.users.hasAdministrator()).toBe(false);
  });

  test.each([
    ['', PASSWORD, '/name'],
    ['a b', PASSWORD, '/name'],
    ['root', 'short', '/password'],
    ['root', 'password1234', '/password'],
    ['root', 'qwertyuiopasdf', '/password'],
    ['root', 'é'.repeat(600), '/password'],
    ['averylongname', 'averylongname1', '/password'],
  ])('named "%s" with the password "%s" is refused at %s', async (name, password, path) => {
    const secret = (await scene.offerSetup.execute())?.secret ?? '';
    await expect(takeUp(secret, { name, password })).rejects.toMatchObject({
      code: 'invalid_input',
      problems: [expect.objectContaining({ path })],
    });
    expect(await takeUp(secret)).toMatchObject({ name: 'root' });
  });
});

describe('An invitation', () => {
  beforeEach(async () => void (await scene.setUp()));

  test('lets the invited set a password that no one else knows', async () => {
    const { user, link } = await scene.manageUsers.invite(operator, { name: 'Ann ', role: 'operator' });
    expect(user).toMatchObject({ name: 'ann', hasPassword: false });
    await expectRefusal(scene.signIn.execute({ name: 'ann', password: '' }, BROWSER), 'sign_in_failed');
    expect(await scene.takeUpLink.look(link.secret, BROWSER.address)).toEqual({ kind: 'user', name: 'ann' });
    expect(await takeUp(link.secret)).toMatchObject({ name: 'ann', role: 'operator', hasPassword: true });
    expect((await scene.visit('ann')).user.name).toBe('ann');
  });

  test('is void once there is a later one, or the user is disabled', async () => {
    const { user, link } = await scene.manageUsers.invite(operator, { name: 'ann', role: 'viewer' });
    const later = await scene.manageUsers.offerLink(operator, user);
    await expectRefusal(takeUp(link.secret), 'link_invalid');
    await scene.manageUsers.disable(operator, user);
    await expectRefusal(takeUp(later.secret), 'link_invalid');
  });

  test('ends the sessions of a user who sets a new password by it', async () => {
    const visitor = await scene.visit();
    const link = await scene.manageUsers.offerLink(operator, visitor.user);
    await takeUp(link.secret, { password: `${PASSWORD}-again` });
    expect(await scene.sessions.list(visitor.user.id)).toEqual([]);
  });

  test('never stores or logs its secret or the password', async () => {
    const { link } = await scene.manageUsers.invite(operator, { name: 'ann', role: 'viewer' });
    await takeUp(link.secret);
    const kept = JSON.stringify([scene.kept.audit, await scene.users.findByName('ann')]);
    expect(kept).not.toContain(link.secret);
    expect(kept).not.toContain(PASSWORD);
  });
});

describe('Users', () => {
  test.each([
    ['a token', tokenActor()],
    ['an operator', actorOfUser(userOf('operator'), null)],
    ['a viewer', actorOfUser(userOf('viewer'), null)],
  ])('are not managed by %s', async (_, actor) => {
    const user = await scene.setUp();
    const { manageUsers } = scene;
    for (const refused of [
      manageUsers.invite(actor, { name: 'eve', role: 'administrator' }),
      manageUsers.list(actor, { limit: 1, offset: 0 }),
      manageUsers.get(actor, 'root'),
      manageUsers.offerLink(actor, user),
      manageUsers.setRole(actor, user, 'viewer'),
      manageUsers.disable(actor, user),
      manageUsers.enable(actor, user),
      manageUsers.removeSecondFactor(actor, user),
    ]) {
      await expectRefusal(refused, 'role_missing');
    }
  });

  test('keep one who can sign in as administrator', async () => {
    const root = await scene.setUp();
    await expectRefusal(scene.manageUsers.setRole(operator, root, 'viewer'), 'last_administrator');
    await expectRefusal(scene.manageUsers.disable(operator, root), 'last_administrator');
    await expectRefusal(scene.manageUsers.setRole(operator, root, 'king'), 'invalid_input');
    await expectRefusal(scene.manageUsers.get(operator, 'nobody'), 'user_not_found');
  });
});

function userOf(role: 'operator' | 'viewer') {
  const at = { createdAt: 0, lastLoginAt: null, disabledAt: null };
  return {
    id: 9,
    name: role,
    role,
    tagRoles: [],
    serverRoles: new Map(),
    hasPassword: true,
    hasTotp: false,
    passkeys: 0,
    issuer: null,
    createdBy: 'test',
    ...at,
  };
}
