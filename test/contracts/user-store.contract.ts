import { beforeEach, describe, expect, it } from 'vitest';
import type { TagRole } from '../../src/domain/access/role.ts';
import type { NewUser } from '../../src/domain/access/user.ts';
import { describeServer } from '../../src/domain/fleet/server-description.ts';
import { expectRefusal } from '../support/expect-refusal.ts';
import {
  AT,
  brokenRecord,
  type MakeStores,
  noRecord,
  type StoresSubject,
  trailOf,
} from '../support/stores-subject.ts';

const newUser = (name: string, over: Partial<NewUser> = {}): NewUser => ({
  name,
  role: 'operator',
  createdBy: 'cli:root',
  createdAt: AT,
  ...over,
});

const hash = (text: string): string => text.padEnd(64, '0');
const proof = (link: string, over: object = {}) => ({
  linkHash: hash(link),
  passwordHash: '$scrypt$test',
  at: AT,
  ...over,
});

/** What every `UserStore` does. */
export function userStoreContract(name: string, makeStores: MakeStores): void {
  describe(`UserStore: ${name}`, () => {
    let stores: StoresSubject;
    beforeEach(async () => {
      stores = await makeStores();
    });

    keeping(() => stores);
    firstAdministrator(() => stores);
    lastAdministrator(() => stores);
    secondFactors(() => stores);
    links(() => stores);
  });
}

/** An administrator who can sign in. */
async function administrator({ users }: StoresSubject, name: string): Promise<number> {
  const { id } = await users.add(newUser(name, { role: 'administrator' }), noRecord);
  await users.change(id, { passwordHash: '$scrypt$test' }, noRecord);
  return id;
}

function keeping(stores: () => StoresSubject): void {
  it('keeps a user, invited and without a password', async () => {
    const { users, record } = stores();
    const user = await users.add(newUser('ann'), trailOf('user.invite', 'user'));
    expect(user).toEqual({
      ...newUser('ann'),
      id: user.id,
      tagRoles: [],
      serverRoles: new Map(),
      hasPassword: false,
      hasTotp: false,
      passkeys: 0,
      issuer: null,
      lastLoginAt: null,
      disabledAt: null,
    });
    expect(await users.find(user.id)).toEqual(user);
    expect(await users.findByName('ann')).toEqual({
      user,
      credentials: { passwordHash: null, totpSecret: null },
    });
    expect(await users.find(user.id + 1)).toBeNull();
    expect(await users.findByName('Ann')).toBeNull();
    expect((await record()).audit).toEqual([`user.invite user:${user.id}`]);
  });

  it('takes a name once, and nothing where the record fails', async () => {
    const { users } = stores();
    await users.add(newUser('ann'), noRecord);
    await expectRefusal(users.add(newUser('ann'), noRecord), 'name_taken');
    await expect(users.add(newUser('bob'), brokenRecord)).rejects.toThrow('no record today');
    expect(await users.findByName('bob')).toBeNull();
  });

  it('lists by name, a window at a time', async () => {
    const { users } = stores();
    for (const name of ['cid', 'ann', 'bob']) await users.add(newUser(name), noRecord);
    const page = await users.list({ limit: 2, offset: 1 });
    expect(page.items.map(({ name }) => name)).toEqual(['bob', 'cid']);
    expect(page.total).toBe(3);
    const { items } = await users.list({ limit: 3, offset: 0 }, { by: 'name', descending: true });
    expect(items.map(({ name }) => name)).toEqual(['cid', 'bob', 'ann']);
  });

  it('changes what is named and nothing else', async () => {
    const { users, record } = stores();
    const before = await users.add(newUser('ann'), noRecord);
    const change = { role: 'viewer', passwordHash: '$scrypt$new', totpSecret: 'sealed' } as const;
    const after = await users.change(before.id, change, trailOf('user.change', 'user'));
    expect(after).toEqual({ ...before, role: 'viewer', hasPassword: true, hasTotp: true });
    expect(await users.change(before.id, { disabledAt: AT + 1 }, noRecord)).toEqual({
      ...after,
      disabledAt: AT + 1,
    });
    expect(await users.change(before.id, { disabledAt: null }, noRecord)).toEqual(after);
    expect((await record()).audit).toEqual([`user.change user:${before.id}`]);
    await expectRefusal(users.change(999_999, { role: 'viewer' }, noRecord), 'user_not_found');
  });

  it('links a user to an identity, which only one user has, and separates them', async () => {
    const { users } = stores();
    const identity = { issuer: 'https://auth.example.org', subject: 'Ann' };
    const [ann, bob] = [await users.add(newUser('ann'), noRecord), await users.add(newUser('bob'), noRecord)];
    const linked = await users.change(ann.id, { identity }, noRecord);
    expect(linked).toEqual({ ...ann, issuer: identity.issuer });
    expect(await users.findByIdentity(identity)).toEqual(linked);
    await expectRefusal(users.change(bob.id, { identity }, noRecord), 'name_taken');
    const other = { ...identity, subject: 'other' };
    await expectRefusal(users.change(ann.id, { identity: other }, noRecord), 'name_taken');
    expect(await users.findByIdentity(other)).toBeNull();
    await expectRefusal(users.change(999_999, { identity: other }, noRecord), 'user_not_found');
    const both = await Promise.allSettled(
      ['one', 'two'].map((subject) => users.change(bob.id, { identity: { ...identity, subject } }, noRecord)),
    );
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await users.change(ann.id, { identity: null }, noRecord)).toEqual(ann);
    expect(await users.findByIdentity(identity)).toBeNull();
  });

  it('gives roles on the servers that have a tag, removed ones too', async () => {
    const { users, servers } = stores();
    const add = (name: string, tags: readonly string[]) =>
      servers.add({ ...describeServer({ name, connection: 'local', tags }) }, AT, noRecord);
    const [web, db, both] = [
      await add('web', ['web']),
      await add('db', ['db']),
      await add('x', ['web', 'db']),
    ];
    await add('webber', ['webber']);
    const { id } = await users.add(newUser('ann', { role: null }), noRecord);
    const give = (...tagRoles: readonly TagRole[]) =>
      users.change(id, { tagRoles: () => tagRoles }, noRecord);
    const after = await give({ tag: 'db', role: 'viewer' }, { tag: 'web', role: 'operator' });
    expect(after).toMatchObject({ role: null, disabledAt: null });
    const roles = [
      [web.id, 'operator'],
      [db.id, 'viewer'],
      [both.id, 'operator'],
    ] as const;
    expect(after.serverRoles).toEqual(new Map(roles));
    await servers.remove(db.id, AT + 1, {});
    expect((await users.find(id))?.serverRoles).toEqual(new Map(roles));
    expect(await users.grantedTags()).toEqual(new Set(['web', 'db']));
    expect((await give()).serverRoles).toEqual(new Map());
    expect(await users.grantedTags()).toEqual(new Set());
  });

  it('lists many users with roles on many tags', async () => {
    const { users, servers } = stores();
    const { id: web } = await servers.add(
      describeServer({ name: 'web', connection: 'local', tags: ['t-7-7'] }),
      AT,
      noRecord,
    );
    for (let user = 0; user < 21; user += 1) {
      const { id } = await users.add(newUser(`user-${user}`, { role: null }), noRecord);
      const tagRoles = Array.from({ length: 50 }, (_, tag) => ({
        tag: `t-${user}-${tag}`,
        role: 'viewer' as const,
      }));
      await users.change(id, { tagRoles: () => tagRoles }, noRecord);
    }
    const { items } = await users.list({ limit: 100, offset: 0 });
    expect(items.filter(({ serverRoles }) => serverRoles.size > 0)).toMatchObject([
      { name: 'user-7', serverRoles: new Map([[web, 'viewer']]) },
    ]);
  });

  it('keeps whether a user without a role on all servers is disabled', async () => {
    const { users } = stores();
    const { id } = await users.add(newUser('ann', { role: null }), noRecord);
    const change = async (each: Parameters<typeof users.change>[1]) => {
      const { role, disabledAt } = await users.change(id, each, noRecord);
      return [role, disabledAt];
    };
    expect(await change({ disabledAt: AT })).toEqual([null, AT]);
    expect(await change({ role: 'viewer' })).toEqual(['viewer', AT]);
    expect(await change({ role: null })).toEqual([null, AT]);
    expect(await change({ disabledAt: null })).toEqual([null, null]);
    expect(await change({ role: 'operator' })).toEqual(['operator', null]);
    expect(await change({ role: null })).toEqual([null, null]);
  });

  it('remembers the last sign-in and never moves it back', async () => {
    const { users } = stores();
    const { id } = await users.add(newUser('ann'), noRecord);
    await users.touch(id, AT + 10);
    await users.touch(id, AT + 5);
    expect((await users.find(id))?.lastLoginAt).toBe(AT + 10);
  });
}

function firstAdministrator(stores: () => StoresSubject): void {
  const first = newUser('root', { role: 'administrator', createdBy: 'set-up' });
  const link = { userId: null, expiresAt: AT + 10 };

  it('makes the first administrator by a link, once', async () => {
    const { users } = stores();
    await users.addLink(hash('a'), link, {});
    await users.addLink(hash('b'), link, {});
    expect(await users.hasAdministrator()).toBe(false);
    await expectRefusal(users.addFirst(first, proof('c'), noRecord), 'link_invalid');
    await expectRefusal(users.addFirst(first, proof('a', { at: AT + 10 }), noRecord), 'link_invalid');
    const user = await users.addFirst(first, proof('a'), noRecord);
    expect(user).toMatchObject({ name: 'root', role: 'administrator', hasPassword: true });
    expect(await users.hasAdministrator()).toBe(true);
    for (const spent of ['a', 'b']) {
      expect(await users.findLink(hash(spent))).toBeNull();
      const again = users.addFirst(newUser('eve', { role: 'administrator' }), proof(spent), noRecord);
      await expectRefusal(again, 'link_invalid');
    }
  });

  it('makes no second first administrator by a link that came later', async () => {
    const { users } = stores();
    await administrator(stores(), 'root');
    await users.addLink(hash('late'), link, {});
    await expectRefusal(users.addFirst(newUser('eve'), proof('late'), noRecord), 'link_invalid');
  });

  it('lets one of many through that use a link at the same time', async () => {
    const { users } = stores();
    await users.addLink(hash('a'), link, {});
    const tries = Array.from({ length: 8 }, (_, i) =>
      users.addFirst(newUser(`root${i}`, { role: 'administrator' }), proof('a'), noRecord),
    );
    const outcomes = await Promise.allSettled(tries);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await users.list({ limit: 10, offset: 0 })).total).toBe(1);
  });
}

function lastAdministrator(stores: () => StoresSubject): void {
  it('keeps the last who can sign in as administrator', async () => {
    const { users } = stores();
    const id = await administrator(stores(), 'root');
    // Invited, and not yet able to.
    await users.add(newUser('next', { role: 'administrator' }), noRecord);
    await expectRefusal(users.change(id, { role: 'operator' }, noRecord), 'last_administrator');
    await expectRefusal(users.change(id, { disabledAt: AT }, noRecord), 'last_administrator');
    expect(await users.find(id)).toMatchObject({ role: 'administrator', disabledAt: null });
    await administrator(stores(), 'other');
    expect(await users.change(id, { role: 'operator' }, noRecord)).toMatchObject({ role: 'operator' });
  });

  it('keeps one of two that go at the same time', async () => {
    const { users } = stores();
    const ids = [await administrator(stores(), 'one'), await administrator(stores(), 'two')];
    const outcomes = await Promise.allSettled(
      ids.map((id) => users.change(id, { role: 'viewer' }, noRecord)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await users.hasAdministrator()).toBe(true);
  });
}

function secondFactors(stores: () => StoresSubject): void {
  it('takes each time step once, and none before it', async () => {
    const { users } = stores();
    const { id } = await users.add(newUser('ann'), noRecord);
    expect(await users.useTotpStep(id, 100)).toBe(true);
    expect(await users.useTotpStep(id, 100)).toBe(false);
    expect(await users.useTotpStep(id, 99)).toBe(false);
    expect(await users.useTotpStep(id, 101)).toBe(true);
    expect(await users.useTotpStep(id + 1, 101)).toBe(false);
  });

  it('takes a recovery code once, from its owner', async () => {
    const { users, record } = stores();
    const ann = await users.add(newUser('ann'), noRecord);
    const bob = await users.add(newUser('bob'), noRecord);
    await users.setRecoveryCodes(ann.id, [hash('a'), hash('b')], trailOf('user.renew', 'user')(ann));
    expect(await users.countRecoveryCodes(ann.id)).toBe(2);
    expect(await users.useRecoveryCode(bob.id, hash('a'))).toBe(false);
    const uses = await Promise.all([1, 2, 3].map(() => users.useRecoveryCode(ann.id, hash('a'))));
    expect(uses.filter(Boolean)).toHaveLength(1);
    await users.setRecoveryCodes(ann.id, [hash('c')], {});
    expect(await users.useRecoveryCode(ann.id, hash('b'))).toBe(false);
    expect((await record()).audit).toEqual([`user.renew user:${ann.id}`]);
  });

  it('drops the recovery codes with two-factor authentication', async () => {
    const { users } = stores();
    const { id } = await users.add(newUser('ann'), noRecord);
    await users.setRecoveryCodes(id, [hash('a')], {});
    await users.change(id, { totpSecret: null }, noRecord);
    expect(await users.countRecoveryCodes(id)).toBe(0);
  });
}

function links(stores: () => StoresSubject): void {
  it('sets a password by a link, once', async () => {
    const { users, record } = stores();
    const { id } = await users.add(newUser('ann'), noRecord);
    const link = { userId: id, expiresAt: AT + 10 };
    await users.addLink(hash('a'), link, {});
    expect(await users.findLink(hash('a'))).toEqual(link);
    await expectRefusal(users.useLink(proof('b'), noRecord), 'link_invalid');
    await expectRefusal(users.useLink(proof('a', { at: AT + 10 }), noRecord), 'link_invalid');
    const changed = await users.useLink(proof('a'), trailOf('user.set_password', 'user'));
    expect(changed).toMatchObject({ id, hasPassword: true });
    await expectRefusal(users.useLink(proof('a'), noRecord), 'link_invalid');
    expect((await record()).audit).toEqual([`user.set_password user:${id}`]);
  });

  it('voids the earlier link of the same user, and no other', async () => {
    const { users } = stores();
    const ann = await users.add(newUser('ann'), noRecord);
    const bob = await users.add(newUser('bob'), noRecord);
    await users.addLink(hash('a'), { userId: ann.id, expiresAt: AT + 10 }, {});
    await users.addLink(hash('b'), { userId: bob.id, expiresAt: AT + 10 }, {});
    await users.addLink(hash('c'), { userId: ann.id, expiresAt: AT + 10 }, {});
    expect(await users.findLink(hash('a'))).toBeNull();
    expect(await users.findLink(hash('b'))).not.toBeNull();
    await expectRefusal(users.addFirst(newUser('eve'), proof('b'), noRecord), 'link_invalid');
  });
}
