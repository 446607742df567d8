import { afterAll, beforeAll, expect, test } from 'vitest';
import { Actor } from '../../../../src/domain/access/actor.ts';
import { USUAL_RULE } from '../../../../src/domain/access/approval-rule.ts';
import type { Role, TagRole } from '../../../../src/domain/access/role.ts';
import { BROWSER, PASSWORD } from '../../../support/accounts-scene.ts';
import { ask, openWithAgent } from './approval-requests.ts';
import type { Visitor, WebFixture } from './web-fixture.ts';

const OPERATOR = Actor.operator('cli:root');
/** The tags of each server. */
const SERVERS = { www: ['web'], store: ['db'], both: ['db', 'web'], post: ['mail'] } as const;
type Name = keyof typeof SERVERS;
const NAMES = Object.keys(SERVERS) as readonly Name[];

let fixture: WebFixture;
const ids = new Map<Name, number>();
const idOf = (name: Name): number => ids.get(name) ?? 0;
beforeAll(async () => {
  fixture = await openWithAgent();
  const { scene } = fixture;
  for (const name of NAMES) {
    const { id } = await scene.addServer(name, { backup: true, os_patch: true }, 'ssh');
    await scene.servers.change(id, { tags: SERVERS[name] }, 0, () => ({}));
    await scene.addSource(id);
    ids.set(name, id);
  }
});
afterAll(() => fixture.close());

let invited = 0;
async function withRoles(role: Role | 'none', ...tagRoles: readonly TagRole[]): Promise<Visitor> {
  const { manageUsers, takeUpLink } = fixture.scene;
  invited += 1;
  const name = `user${invited}`;
  const { link } = await manageUsers.invite(OPERATOR, { name, role });
  for (const each of tagRoles)
    await manageUsers.setTagRole(OPERATOR, await manageUsers.get(OPERATOR, name), each.tag, each.role);
  await takeUpLink.execute(link.secret, { password: PASSWORD }, BROWSER.address);
  const visitor = fixture.browser();
  expect((await visitor.post('/sign-in', { name, password: PASSWORD })).status).toBe(303);
  return visitor;
}

/** On each server: 303 may change it, 403 may read it, 404 does not see it. */
async function rights(visitor: Visitor): Promise<Record<Name, number>> {
  const found: [Name, number][] = [];
  for (const name of NAMES) {
    const path = `/servers/${idOf(name)}`;
    const { status } = await visitor.post(`${path}/settings/features`, { features: ['backup', 'os_patch'] });
    // The page says the same as the form.
    expect((await visitor.get(path)).status).toBe(status === 404 ? 404 : 200);
    found.push([name, status]);
  }
  return Object.fromEntries(found) as Record<Name, number>;
}

test('On a server the highest of the role on all servers and of those by tag counts', async () => {
  const web = { tag: 'web', role: 'operator' } as const;
  const db = { tag: 'db', role: 'viewer' } as const;
  expect(await rights(await withRoles('viewer', web))).toEqual({
    www: 303,
    store: 403,
    both: 303,
    post: 403,
  });
  expect(await rights(await withRoles('none', web, db))).toEqual({
    www: 303,
    store: 403,
    both: 303,
    post: 404,
  });
  expect(await rights(await withRoles('none', db))).toEqual({ www: 404, store: 403, both: 403, post: 404 });
  // A lower role by tag takes nothing away.
  expect(await rights(await withRoles('operator', db))).toEqual({
    www: 303,
    store: 303,
    both: 303,
    post: 303,
  });
});

test('An administrator by tag who reads all servers has no rights beyond the tag', async () => {
  const visitor = await withRoles('viewer', { tag: 'web', role: 'administrator' });
  expect(await rights(visitor)).toEqual({ www: 303, store: 403, both: 303, post: 403 });
  for (const path of ['/settings/users', '/settings/tokens', '/audit', '/settings/alerts/new-webhook'])
    expect([path, (await visitor.get(path)).status]).toEqual([path, 403]);
});

test('A batch can be cancelled by who started it, or with the role on all servers', async () => {
  const batch = { type: 'backup', selector: 'tags', tags: 'mail' };
  const operator = await fixture.signedIn('operator');
  const { location } = await operator.post('/batches/new', batch);
  const offers = async (visitor: Visitor): Promise<boolean> =>
    (await visitor.get(location ?? '')).text.includes(`${location}/cancel`);
  const limited = await withRoles('viewer', { tag: 'mail', role: 'operator' });
  expect([await offers(operator), await offers(limited)]).toEqual([true, false]);
  expect((await limited.post(`${location}/cancel`)).status).toBe(403);
  expect((await operator.post(`${location}/cancel`)).status).toBe(303);
});

test('Approvals count for the server of the request, of users with the role there', async () => {
  const { approvalRules, approvals, jobs } = fixture.scene;
  const webUser = await withRoles('viewer', { tag: 'web', role: 'operator' });
  const dbUser = await withRoles('none', { tag: 'db', role: 'operator' });
  const webAdmin = await withRoles('none', { tag: 'web', role: 'administrator' });
  await approvalRules.set(OPERATOR, { ...USUAL_RULE, approvers: 2 });
  const asked = async (name: Name): Promise<string> =>
    (await ask(fixture, 'backup', 'etc', { id: idOf(name), name })).at;
  const stateOf = async (at: string) => (await approvals.find(Number(at.split('/').at(-1))))?.state;
  const approve = async (visitor: Visitor, at: string): Promise<number> =>
    (await visitor.post(`${at}/approve`)).status;

  const onWeb = await asked('www');
  expect(await approve(dbUser, onWeb)).toBe(404);
  expect(await approve(webUser, onWeb)).toBe(303);
  expect([await approve(webUser, onWeb), await stateOf(onWeb)]).toEqual([409, 'waiting']);
  expect([await approve(webAdmin, onWeb), await stateOf(onWeb)]).toEqual([303, 'approved']);

  // The first one reads the request, and may not approve it.
  const onDb = await asked('store');
  expect([await approve(webUser, onDb), await approve(webAdmin, onDb)]).toEqual([403, 404]);
  expect([await approve(dbUser, onDb), await stateOf(onDb)]).toEqual([303, 'waiting']);

  // A server with both tags: one approval by each tag. The first loses its weight with the tag.
  const onBoth = await asked('both');
  expect(await approve(dbUser, onBoth)).toBe(303);
  await fixture.scene.servers.change(idOf('both'), { tags: ['web'] }, 0, () => ({}));
  expect([await approve(webUser, onBoth), await stateOf(onBoth)]).toEqual([303, 'waiting']);
  expect([await approve(webAdmin, onBoth), await stateOf(onBoth)]).toEqual([303, 'approved']);

  // The role of the rule is needed on that server, too.
  await approvalRules.set(OPERATOR, { ...USUAL_RULE, role: 'administrator' });
  await fixture.scene.servers.change(idOf('both'), { tags: ['db', 'web'] }, 0, () => ({}));
  for (const { id } of (await jobs.list({ status: 'pending' }, { limit: 9, offset: 0 })).items)
    await jobs.requestCancel(id, 0, () => ({}));
  const strict = await asked('both');
  expect([await approve(dbUser, strict), await approve(webUser, strict)]).toEqual([403, 403]);
  expect([await approve(webAdmin, strict), await stateOf(strict)]).toEqual([303, 'approved']);
});
