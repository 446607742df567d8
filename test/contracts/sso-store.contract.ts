import { beforeEach, describe, expect, it } from 'vitest';
import type { NewSession } from '../../src/domain/access/session.ts';
import type { NewSsoProvider } from '../../src/domain/access/sso-provider.ts';
import { expectRefusal } from '../support/expect-refusal.ts';
import {
  AT,
  brokenRecord,
  type MakeStores,
  noRecord,
  type StoresSubject,
  trailOf,
} from '../support/stores-subject.ts';

const newProvider = (name: string, over: Partial<NewSsoProvider> = {}): NewSsoProvider => ({
  name,
  label: 'Home',
  issuer: 'https://auth.example.org',
  clientId: 'drover',
  scopes: 'openid groups',
  groupsClaim: 'groups',
  roles: [{ group: 'cn=ops', role: 'operator' }],
  twoFactor: 'claims',
  allowPrivate: true,
  enabled: true,
  createdBy: 'cli:me',
  createdAt: AT,
  ...over,
});

const sealOf = (id: number): string => `secret ${id}`;

/** What every `SsoStore` does. */
export function ssoStoreContract(name: string, makeStores: MakeStores): void {
  describe(`SsoStore: ${name}`, () => {
    let stores: StoresSubject;
    beforeEach(async () => {
      stores = await makeStores();
    });

    const sessionsOf = async (...providers: readonly (string | null)[]): Promise<number> => {
      const user = { name: 'ann', role: 'viewer', createdBy: 'test', createdAt: AT } as const;
      const { id: userId } = await stores.users.add(user, noRecord);
      for (const [index, provider] of providers.entries()) {
        const session: NewSession = {
          userId,
          stage: 'full',
          createdAt: AT,
          seenAt: AT,
          confirmedAt: AT,
          address: '192.0.2.1',
          agent: 'x',
          deviceId: null,
          provider,
          hasTwoFactors: true,
        };
        await stores.sessions.add(session, `hash-${index}`, noRecord);
      }
      return userId;
    };
    const providersOf = async (userId: number) =>
      new Set((await stores.sessions.list(userId)).map(({ provider }) => provider));

    it('keeps every field, encrypted for its own id, and lists by name', async () => {
      const { sso } = stores;
      const work = await sso.add(newProvider('work'), sealOf, trailOf('sso_provider.add', 'sso_provider'));
      const home = await sso.add(newProvider('home', { roles: [], enabled: false }), sealOf, noRecord);
      expect(work).toEqual({
        ...newProvider('work'),
        id: work.id,
        sealedSecret: sealOf(work.id),
        updatedAt: AT,
      });
      expect(await sso.list()).toEqual([home, work]);
      expect((await stores.record()).audit).toEqual([`sso_provider.add sso_provider:${work.id}`]);
    });

    it('refuses a name that is taken, and keeps nothing if the record fails', async () => {
      const { sso } = stores;
      const before = await sso.add(newProvider('home'), sealOf, noRecord);
      await expectRefusal(sso.add(newProvider('home'), sealOf, noRecord), 'name_taken');
      await expect(sso.change(before.id, { label: 'x' }, AT, brokenRecord)).rejects.toThrow('no record');
      expect(await sso.list()).toEqual([before]);
    });

    it('changes the given fields only, and ends the sessions of a provider that is disabled', async () => {
      const { sso } = stores;
      const before = await sso.add(newProvider('home'), sealOf, noRecord);
      const userId = await sessionsOf('home', 'other', null);
      const change = { sealedSecret: 'other', roles: [], twoFactor: 'never' } as const;
      expect(await sso.change(before.id, change, AT + 1, noRecord)).toEqual({
        ...before,
        ...change,
        updatedAt: AT + 1,
      });
      expect(await providersOf(userId)).toEqual(new Set(['home', null, 'other']));
      await sso.change(before.id, { enabled: false }, AT + 2, noRecord);
      expect(await providersOf(userId)).toEqual(new Set([null, 'other']));
      await expectRefusal(sso.change(99, {}, AT, noRecord), 'provider_not_found');
    });

    it('deletes one with its sessions', async () => {
      const { sso } = stores;
      const { id } = await sso.add(newProvider('home'), sealOf, noRecord);
      const userId = await sessionsOf('home', null);
      await sso.remove(id, trailOf('sso_provider.remove', 'sso_provider')({ id }));
      expect(await sso.list()).toEqual([]);
      expect(await providersOf(userId)).toEqual(new Set([null]));
      await expectRefusal(sso.remove(id, {}), 'provider_not_found');
    });

    it('returns a started sign-in once, while it is young, and limits how many there are', async () => {
      const { sso } = stores;
      const flow = { provider: 'home', purpose: 'confirm', next: '/jobs?a=1', startedAt: AT } as const;
      expect(await sso.addFlow('a', flow, 2)).toBe(true);
      expect(await sso.addFlow('b', { ...flow, purpose: 'sign_in', startedAt: AT + 5 }, 2)).toBe(true);
      expect(await sso.addFlow('c', flow, 2)).toBe(false);
      expect(await sso.takeFlow('c', AT)).toBeNull();
      expect(await sso.takeFlow('a', AT + 1)).toBeNull();
      const taken = await Promise.all([sso.takeFlow('a', AT), sso.takeFlow('a', AT), sso.takeFlow('a', AT)]);
      expect(taken.filter((each) => each !== null)).toEqual([flow]);
      expect(await sso.forgetFlowsBefore(AT + 5, 10)).toBe(0);
      expect(await sso.forgetFlowsBefore(AT + 6, 10)).toBe(1);
      expect(await sso.takeFlow('b', AT)).toBeNull();
    });

    it('binds an account to one subject of one issuer', async () => {
      const { users } = stores;
      const identity = { issuer: 'https://auth.example.org', subject: 'Ann' };
      const user = { name: 'ann', role: 'viewer', createdBy: 'sso:home', createdAt: AT, identity } as const;
      const ann = await users.add(user, noRecord);
      expect(ann).toMatchObject({ name: 'ann', issuer: identity.issuer, hasPassword: false });
      expect(await users.findByIdentity(identity)).toEqual(ann);
      expect(await users.findByIdentity({ ...identity, subject: 'ann' })).toBeNull();
      expect(await users.findByIdentity({ ...identity, issuer: 'https://other.example.org' })).toBeNull();
      await expectRefusal(users.add({ ...user, name: 'other' }, noRecord), 'name_taken');
    });
  });
}
