import { beforeEach, describe, expect, test } from 'vitest';
import { Authenticate } from '../../../src/application/access/authenticate.ts';
import { EditToken } from '../../../src/application/access/edit-token.ts';
import { IssueToken } from '../../../src/application/access/issue-token.ts';
import { Actor } from '../../../src/domain/access/actor.ts';
import { requesterOf } from '../../../src/domain/access/requester.ts';
import type { Role } from '../../../src/domain/access/role.ts';
import { actorOfUser, type User } from '../../../src/domain/access/user.ts';
import { MINUTE } from '../../../src/domain/base/instant.ts';
import { type ApplicationScene, applicationScene } from '../../support/application-scene.ts';
import { expectRefusal } from '../../support/expect-refusal.ts';
import { noRecord } from '../../support/stores-subject.ts';

const cli = Actor.operator('cli:root');

let scene: ApplicationScene;
let authenticate: Authenticate;
beforeEach(async () => {
  scene = applicationScene();
  authenticate = new Authenticate({ ...scene, tokensDisabled: false });
  for (const name of ['one', 'two']) await scene.addServer(name);
});

const userOf = (name: string, role: Role): Promise<User> =>
  scene.users.add({ name, role, createdBy: 'cli:root', createdAt: scene.clock.now() }, noRecord);
const issue = (actor: Actor, allowedServerIds: readonly number[] | null) =>
  new IssueToken(scene).execute(actor, { name: 'agent', scopes: ['read', 'files'], allowedServerIds });
const edit = async (actor: Actor, change: object) =>
  (await new EditToken(scene).execute(actor, 1, change)).token;
const isGranted = async (secret: string): Promise<boolean> =>
  (await authenticate.execute({ secret, address: '203.0.113.7' })).serversGranted;

describe("A token's servers are granted by a user", () => {
  test('if they are named; all servers are granted by no user', async () => {
    const named = await issue(cli, [1]);
    expect(named.token.serversGrantedBy).toEqual({ label: 'cli:root', userId: null });
    expect(await isGranted(named.secret)).toBe(true);
    const all = await issue(cli, null);
    expect(all.token.serversGrantedBy).toBeNull();
    expect(await isGranted(all.secret)).toBe(false);
  });

  test('of the last one who gave the list: another name of the token changes nothing', async () => {
    const ann = actorOfUser(await userOf('ann', 'administrator'), null);
    await issue(cli, [1]);
    expect((await edit(ann, { name: 'renamed' })).serversGrantedBy?.label).toBe('cli:root');
    expect((await edit(ann, { allowedServerIds: [1, 2] })).serversGrantedBy).toEqual({
      label: 'user:ann',
      userId: 1,
    });
    expect((await edit(cli, { allowedServerIds: null })).serversGrantedBy).toBeNull();
  });

  test('and neither an operator nor the service gives it', async () => {
    const bob = actorOfUser(await userOf('bob', 'operator'), null);
    await expectRefusal(issue(bob, [1]), 'role_missing');
    await issue(cli, null);
    await expectRefusal(edit(bob, { allowedServerIds: [1] }), 'role_missing');
    expect((await issue(Actor.system('first start'), [1])).token.serversGrantedBy).toBeNull();
  });

  test.each([
    ['has another role', { role: 'operator' }],
    ['is disabled', { disabledAt: 1 }],
  ] as const)('and stops counting once the user who gave it %s', async (_, change) => {
    const ann = await userOf('ann', 'administrator');
    await userOf('eve', 'administrator');
    const { secret } = await issue(actorOfUser(ann, null), [1]);
    const asked = requesterOf(await authenticate.execute({ secret, address: '203.0.113.7' }));
    expect(await isGranted(secret)).toBe(true);
    await scene.users.change(ann.id, change, noRecord);
    await scene.clock.advance(MINUTE);
    expect(await isGranted(secret)).toBe(false);
    const later = await scene.requesters.find(asked, { requireApproval: false, approved: false });
    expect(later?.serversGranted).toBe(false);
  });
});
