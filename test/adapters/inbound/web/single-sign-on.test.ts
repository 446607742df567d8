import { TOTP } from 'otpauth';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Actor } from '../../../../src/domain/access/actor.ts';
import { HOUR, MINUTE } from '../../../../src/domain/base/instant.ts';
import { FakeClock } from '../../../fakes/fake-clock.ts';
import { BROWSER, PASSWORD } from '../../../support/accounts-scene.ts';
import { type RealProvider, realProvider } from '../../../support/real-provider.ts';
import { type Answer, openWebFixture, type Visitor, type WebFixture } from './web-fixture.ts';

const ORIGIN = 'https://drover.example.org:8443';
const redirectTo = (name: string): string => `${ORIGIN}/sign-in/sso/${name}/callback`;
const operator = Actor.operator('cli:root');

const users: Record<string, Record<string, unknown>> = {};
const USERS = {
  ann: {
    preferred_username: 'Ann',
    email: 'ann@example.org',
    email_verified: true,
    groups: ['staff', 'ops'],
  },
  bob: { preferred_username: 'bob', groups: ['guests'] },
  root: { preferred_username: 'root', email: 'root@example.org', email_verified: true, groups: ['admins'] },
  eve: { preferred_username: 'eve' },
};

describe('Signing in at a provider', () => {
  let fixture: WebFixture;
  let real: RealProvider;
  let clock: FakeClock;
  beforeAll(async () => {
    real = await realProvider({ users, redirectUris: [redirectTo('home'), redirectTo('other')] });
  });
  afterAll(() => real.close());
  beforeEach(async () => {
    Object.assign(users, structuredClone(USERS));
    clock = new FakeClock(Date.now());
    fixture = await openWebFixture({ clock });
    for (const name of ['home', 'other']) await addProvider(name);
    return () => fixture.close();
  });

  const form = (over: Record<string, string> = {}) => ({
    label: 'Home',
    issuer: real.issuer,
    client_id: real.clientId,
    client_secret: real.clientSecret,
    scopes: 'openid profile email groups',
    groups_claim: 'groups',
    roles: 'admins=administrator\nops=operator\nstaff=viewer',
    two_factor: 'never',
    allow_private: 'on',
    ...over,
  });
  const addProvider = async (name: string, over: Record<string, string> = {}): Promise<void> => {
    const root = await fixture.signedIn('administrator');
    const added = await root.post('/settings/sign-in/new-provider', { name, ...form(over) });
    expect(added.location).toBe(`/settings/sign-in/providers/${name}`);
  };
  const edit = async (over: Record<string, string>): Promise<void> => {
    const root = await fixture.signedIn('administrator');
    const edited = await root.post('/settings/sign-in/providers/home/edit', form(over));
    expect(edited.status).toBe(303);
  };
  /** Up to the provider's answer. */
  const answerFor = async (browser: Visitor, user: string, query = ''): Promise<URL> => {
    const started = await browser.get(`/sign-in/sso/home${query}`);
    expect(started.status).toBe(303);
    real.user = user;
    return real.follow(started.location ?? '');
  };
  const signIn = async (browser: Visitor, user: string, query = ''): Promise<Answer> => {
    const { pathname, search } = await answerFor(browser, user, query);
    return browser.get(`${pathname}${search}`);
  };
  const reasonOf = ({ text }: Answer): string | undefined => /data-reason="(\w+)"/.exec(text)?.[1];
  const rowsOf = (name: string) =>
    fixture.scene.kept.rows('SELECT name, role, created_by, password_hash FROM users WHERE name = ?', name);
  const refusals = () =>
    fixture.scene.kept
      .rows<{ detail: string }>("SELECT detail FROM audit_entries WHERE action = 'session.refuse_sso'")
      .map(({ detail }) => JSON.parse(detail) as object);

  it('offers a button, creates an account at the first sign-in, and goes on where the user was', async () => {
    const browser = fixture.browser();
    expect((await browser.get('/sign-in')).text).toContain('/sign-in/sso/home?next=%2F');
    const answer = await signIn(browser, 'ann', '?next=/servers');
    expect([answer.status, answer.location]).toEqual([303, '/servers']);
    expect(answer.headers.getSetCookie().join('\n')).toContain('__Host-drover-sso=; Max-Age=0');
    expect((await browser.get('/account')).text).toContain('ann');
    const [row] = rowsOf('ann');
    expect(row).toEqual({ name: 'ann', role: 'operator', created_by: 'sso:home', password_hash: null });
    expect((await signIn(fixture.browser(), 'ann')).status).toBe(303);
    expect(fixture.scene.kept.rows("SELECT id FROM users WHERE name LIKE 'ann%'")).toHaveLength(1);
    const actions = fixture.scene.kept.rows<{ action: string }>('SELECT action FROM audit_entries');
    expect(actions.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['user.add', 'session.start']),
    );
  });

  it('never joins an existing account by name or e-mail address', async () => {
    const browser = fixture.browser();
    await signIn(browser, 'root');
    const [local] = rowsOf('root');
    expect(local).toMatchObject({ role: 'administrator', created_by: 'set-up' });
    expect(rowsOf('root-2')).toMatchObject([{ role: 'administrator', created_by: 'sso:home' }]);
  });

  it('sends a cookie that only this browser has, for ten minutes, and no script reads', async () => {
    const started = await fixture.browser().get('/sign-in/sso/home');
    const cookie = started.headers.getSetCookie().find((each) => each.startsWith('__Host-drover-sso='));
    for (const part of ['Max-Age=600', 'HttpOnly', 'SameSite=Lax', 'Secure', 'Path=/'])
      expect(cookie).toContain(part);
    const url = new URL(started.location ?? '');
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      redirect_uri: redirectTo('home'),
    });
    expect(url.search).not.toContain(cookie?.split(/[=;]/)[1]);
  });

  it('refuses an answer that was used, is too late, or came to another browser or provider', async () => {
    const browser = fixture.browser();
    const used = await answerFor(browser, 'ann');
    const kept = browser.sso;
    expect((await browser.get(`${used.pathname}${used.search}`)).location).toBe('/');
    browser.sso = kept;
    expect(reasonOf(await browser.get(`${used.pathname}${used.search}`))).toBe('flow_unknown');

    const late = await answerFor(browser, 'ann');
    await clock.advance(10 * MINUTE + 1);
    expect(reasonOf(await browser.get(`${late.pathname}${late.search}`))).toBe('flow_unknown');

    const stolen = await answerFor(browser, 'ann');
    expect(reasonOf(await fixture.browser().get(`${stolen.pathname}${stolen.search}`))).toBe('flow_unknown');
    const thief = fixture.browser();
    await thief.get('/sign-in/sso/home');
    expect(reasonOf(await thief.get(`${stolen.pathname}${stolen.search}`))).toBe('response_invalid');

    const mixed = await answerFor(browser, 'ann');
    const elsewhere = await browser.get(`/sign-in/sso/other/callback${mixed.search}`);
    expect([elsewhere.status, reasonOf(elsewhere)]).toEqual([401, 'response_invalid']);
    expect(refusals()).toEqual([
      { provider: 'home', reason: 'flow_unknown' },
      { provider: 'home', reason: 'flow_unknown' },
      { provider: 'home', reason: 'flow_unknown' },
      { provider: 'home', reason: 'response_invalid' },
      { provider: 'other', reason: 'response_invalid' },
    ]);
  });

  it('slows down an address after several refusals', async () => {
    const browser = fixture.browser();
    const statuses: number[] = [];
    for (let tries = 0; tries < 7; tries += 1)
      statuses.push((await browser.get('/sign-in/sso/home/callback?code=x&state=y')).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 401, 429]);
  });

  it('gives no access without a role, and says so', async () => {
    const guest = await signIn(fixture.browser(), 'bob');
    expect([guest.status, reasonOf(guest)]).toEqual([403, 'no_role']);
    expect(guest.text).toContain('guests');
    const unknown = await signIn(fixture.browser(), 'eve');
    expect([unknown.status, reasonOf(unknown)]).toEqual([403, 'groups_missing']);
    expect([...rowsOf('bob'), ...rowsOf('eve')]).toEqual([]);
  });

  it('reads the role again at each sign-in, and ends the sessions of users who lost it', async () => {
    const browser = fixture.browser();
    await signIn(browser, 'ann');
    users['ann'] = { ...USERS.ann, groups: ['admins'] };
    await signIn(fixture.browser(), 'ann');
    expect(rowsOf('ann')).toMatchObject([{ role: 'administrator' }]);
    expect((await browser.get('/settings/users')).status).toBe(200);
    users['ann'] = { ...USERS.ann, groups: [] };
    expect(reasonOf(await signIn(fixture.browser(), 'ann'))).toBe('no_role');
    // Their own password gives no access either.
    expect(rowsOf('ann')).toMatchObject([{ role: 'none' }]);
    expect((await browser.get('/servers')).location).toContain('/sign-in');
    users['ann'] = { ...USERS.ann, groups: ['ops'] };
    await signIn(fixture.browser(), 'ann');
    expect(rowsOf('ann')).toMatchObject([{ role: 'operator' }]);
  });

  it('gives roles by tag to groups, and replaces them at each sign-in', async () => {
    await edit({ roles: 'staff=viewer@db\nops=operator@web, ops=viewer@db\nwheel=administrator@db' });
    for (const [name, tag] of [
      ['www', 'web'],
      ['store', 'db'],
      ['post', 'mail'],
    ] as const) {
      const { id } = await fixture.scene.addServer(name, {}, 'ssh');
      await fixture.scene.servers.change(id, { tags: [tag] }, 0, () => ({}));
    }
    const rolesOf = async () => {
      const user = (await fixture.scene.users.findByName('ann'))?.user;
      return [user?.role, user?.tagRoles];
    };
    const browser = fixture.browser();
    expect((await signIn(browser, 'ann', '?next=/servers')).location).toBe('/servers');
    expect(await rolesOf()).toEqual([
      null,
      [
        { tag: 'db', role: 'viewer' },
        { tag: 'web', role: 'operator' },
      ],
    ]);
    const { text } = await browser.get('/servers');
    expect([1, 2, 3].map((id) => text.includes(`href="/servers/${id}"`))).toEqual([true, true, false]);
    // An administrator's grant lasts until the next sign-in.
    const { manageUsers } = fixture.scene;
    await manageUsers.setTagRole(operator, await manageUsers.get(operator, 'ann'), 'mail', 'operator');
    users['ann'] = { ...USERS.ann, groups: ['staff', 'wheel'] };
    await signIn(fixture.browser(), 'ann');
    expect(await rolesOf()).toEqual([null, [{ tag: 'db', role: 'administrator' }]]);
    expect((await browser.get('/servers/1')).status).toBe(404);
    users['ann'] = { ...USERS.ann, groups: [] };
    expect(reasonOf(await signIn(fixture.browser(), 'ann'))).toBe('no_role');
    expect(await rolesOf()).toEqual([null, []]);
    const form422 = { roles: 'ops=operator@not a tag' };
    const root = await fixture.signedIn('administrator');
    expect((await root.post('/settings/sign-in/providers/home/edit', form(form422))).status).toBe(422);
  });

  it('refuses a disabled account', async () => {
    await signIn(fixture.browser(), 'ann');
    await fixture.scene.manageUsers.disable(operator, await fixture.scene.manageUsers.get(operator, 'ann'));
    const refused = await signIn(fixture.browser(), 'ann');
    expect([refused.status, reasonOf(refused)]).toEqual([403, 'account_disabled']);
  });

  it('ends the sessions of a provider that is disabled or removed, and hides its button', async () => {
    const root = await fixture.signedIn('administrator');
    const browser = fixture.browser();
    for (const [action, fields] of [
      ['disable', {}],
      ['remove', { confirm: 'home' }],
    ] as const) {
      expect((await signIn(browser, 'ann')).location).toBe('/');
      const path = `/settings/sign-in/providers/home/${action}`;
      expect((await root.post(path, fields)).status).toBe(303);
      expect((await browser.get('/servers')).location).toContain('/sign-in');
      expect((await browser.get('/sign-in')).text).not.toContain('/sign-in/sso/home');
      expect((await browser.get('/sign-in/sso/home')).status).toBe(404);
      await root.post('/settings/sign-in/providers/home/enable');
    }
  });

  it('lets users sign in with a password while the provider is down', async () => {
    const down = await realProvider({ users, redirectUris: [] });
    await down.close();
    await addProvider('down', { issuer: down.issuer });
    const refused = await fixture.browser().get('/sign-in/sso/down');
    expect([refused.status, reasonOf(refused)]).toEqual([503, 'provider_unreachable']);
    const local = await fixture.browser().post('/sign-in', { name: 'root', password: PASSWORD });
    expect(local.status).toBe(303);
  });

  it('counts two factors at the provider only if it is marked so', async () => {
    const policy = fixture.scene.twoFactorPolicy;
    await policy.set(operator, 'everyone');
    const without = fixture.browser();
    await signIn(without, 'ann');
    expect((await without.get('/servers')).location).toBe('/account/totp');
    await policy.set(operator, 'none');
    await edit({ two_factor: 'always' });
    await policy.set(operator, 'everyone');
    const browser = fixture.browser();
    await signIn(browser, 'ann');
    expect((await browser.get('/servers')).status).toBe(200);
  });

  it('asks a user who set up two-factor authentication for the code, unless the provider did', async () => {
    const browser = fixture.browser();
    await signIn(browser, 'ann');
    await signIn(browser, 'ann', '?confirm=1');
    const secret = /name="secret" value="(\w+)"/.exec((await browser.get('/account/totp')).text)?.[1] ?? '';
    const code = (): string => new TOTP({ secret }).generate({ timestamp: clock.now() });
    expect((await browser.post('/account/totp', { secret, code: code() })).status).toBe(200);
    await clock.advance(MINUTE);
    const second = fixture.browser();
    expect((await signIn(second, 'ann', '?next=/jobs')).location).toBe('/code?next=%2Fjobs');
    expect((await second.get('/jobs')).location).toContain('/sign-in');
    expect((await second.post('/code', { code: code(), next: '/jobs' })).location).toBe('/jobs');
    await edit({ two_factor: 'always' });
    expect((await signIn(fixture.browser(), 'ann', '?next=/jobs')).location).toBe('/jobs');
  });

  it('confirms who it is at the provider, as the same user only', async () => {
    const browser = fixture.browser();
    users['ann'] = { ...USERS.ann, groups: ['admins'] };
    await signIn(browser, 'ann');
    await clock.advance(HOUR);
    expect((await browser.get('/settings/sign-in/new-provider')).location).toContain('/confirm');
    const asked = await browser.get('/confirm?next=/settings/sign-in/new-provider');
    expect(asked.text).toContain('/sign-in/sso/home?confirm=1');
    expect(asked.text).not.toContain('name="password"');
    const query = '?confirm=1&next=/settings/sign-in/new-provider';
    expect(reasonOf(await signIn(browser, 'root', query))).toBe('other_user');
    expect((await browser.get('/settings/sign-in/new-provider')).location).toContain('/confirm');
    const { cookie } = browser;
    expect((await signIn(browser, 'ann', query)).location).toBe('/settings/sign-in/new-provider');
    expect((await browser.get('/settings/sign-in/new-provider')).status).toBe(200);
    expect(browser.cookie).not.toBe(cookie);
    browser.cookie = cookie;
    expect((await browser.get('/settings/sign-in/new-provider')).location).toContain('/sign-in');
  });

  it('sets no password for itself, and offers to sign out at the provider', async () => {
    const browser = fixture.browser();
    await signIn(browser, 'ann');
    expect((await browser.get('/account')).text).not.toContain('action="/account/password"');
    await signIn(browser, 'ann', '?confirm=1');
    const set = await browser.post('/account/password', { password: PASSWORD });
    expect(set.status).toBe(403);
    const out = await browser.post('/sign-out');
    expect(out.location).toBe('/sign-in?from=home');
    expect((await browser.get(out.location ?? '')).text).toContain('/sign-in/sso/home/sign-out');
    const there = new URL((await browser.get('/sign-in/sso/home/sign-out')).location ?? '');
    expect([there.origin, there.searchParams.get('client_id')]).toEqual([real.issuer, real.clientId]);
  });

  it('requires single sign-on of all users but the break-glass administrator', async () => {
    const root = await fixture.signedIn('administrator');
    const path = '/settings/sign-in/require';
    expect((await root.post(path, { required: 'on', break_glass: 'nobody' })).status).toBe(422);
    await fixture.signedIn('operator');
    expect((await root.post(path, { required: 'on', break_glass: 'operator1' })).status).toBe(422);
    expect((await root.post(path, { required: 'on', break_glass: 'root' })).status).toBe(303);
    expect((await fixture.browser().get('/sign-in')).text).toContain('break-glass');
    const password = (name: string) => fixture.browser().post('/sign-in', { name, password: PASSWORD });
    expect((await password('operator1')).status).toBe(401);
    expect((await password('root')).status).toBe(303);
    expect((await signIn(fixture.browser(), 'ann')).status).toBe(303);
    expect((await root.post(path, {})).status).toBe(303);
    expect((await password('operator1')).status).toBe(303);
  });

  it('keeps an administrator who can sign in if the break-glass account is disabled', async () => {
    const { manageUsers, takeUpLink, requireSso } = fixture.scene;
    const { link } = await manageUsers.invite(operator, { name: 'second', role: 'administrator' });
    await takeUpLink.execute(link.secret, { password: PASSWORD }, BROWSER.address);
    await requireSso.set(operator, 'root');
    const password = () => fixture.browser().post('/sign-in', { name: 'second', password: PASSWORD });
    expect((await password()).status).toBe(401);
    await manageUsers.disable(operator, await manageUsers.get(operator, 'root'));
    expect((await password()).status).toBe(303);
  });

  describe('linked to an account with a password', () => {
    /** Up to the provider's answer, for a user who is signed in to Drover. */
    const linkAnswer = async (browser: Visitor, user: string): Promise<string> => {
      expect((await browser.post('/account/link/home')).location).toBe('/account/link/home');
      const { text } = await browser.get('/account/link/home');
      const href = /class="button" href="([^"]+)"/.exec(text)?.[1] ?? '';
      real.user = user;
      const { pathname, search } = await real.follow(href.replaceAll('&amp;', '&'));
      return `${pathname}${search}`;
    };
    const link = async (browser: Visitor, user: string): Promise<Answer> =>
      browser.get(await linkAnswer(browser, user));
    const identityOf = (name: string) =>
      fixture.scene.kept.rows<{ sso_subject: string | null }>(
        'SELECT sso_subject FROM users WHERE name = ?',
        name,
      )[0]?.sso_subject;

    it('signs in to that account, whose role the groups then decide', async () => {
      const local = await fixture.signedIn('viewer');
      expect((await link(local, 'ann')).location).toBe('/account');
      expect(identityOf('viewer1')).toEqual(expect.any(String));
      const account = await local.get('/account');
      expect(account.text).toContain('action="/account/unlink"');
      // Named as its button is.
      expect(account.text).toContain('You can also sign in with Home');
      expect(account.text).not.toContain(real.issuer);
      await signIn(fixture.browser(), 'ann');
      expect(rowsOf('ann')).toEqual([]);
      expect(rowsOf('viewer1')).toMatchObject([{ role: 'operator' }]);
      const again = await fixture.browser().post('/sign-in', { name: 'viewer1', password: PASSWORD });
      expect(again.status).toBe(303);
      const actions = fixture.scene.kept.rows<{ action: string }>('SELECT action FROM audit_entries');
      expect(actions.map(({ action }) => action)).toContain('user.link');
    });

    it('needs a form of this site, a recent password, and the session that started it', async () => {
      const local = await fixture.signedIn('viewer');
      const foreign = await local.post('/account/link/home', {}, { 'Sec-Fetch-Site': 'cross-site' });
      expect(foreign.status).toBe(403);
      expect((await local.get('/account/link/home')).location).toBe('/account');
      const other = await fixture.signedIn('viewer');
      const answer = await linkAnswer(other, 'ann');
      local.sso = other.sso;
      expect(reasonOf(await local.get(answer))).toBe('response_invalid');
      expect([identityOf('viewer1'), identityOf('viewer2')]).toEqual([null, null]);
      const anonymous = fixture.browser();
      const third = await linkAnswer(other, 'ann');
      anonymous.sso = other.sso;
      expect(reasonOf(await anonymous.get(third))).toBe('response_invalid');
      await clock.advance(HOUR);
      const late = await other.post('/account/link/home');
      expect([late.status, late.text.includes('name="drover_password"')]).toEqual([403, true]);
    });

    it('takes no answer that was started to sign in or confirm, and the other way round', async () => {
      const local = await fixture.signedIn('viewer');
      const answer = await linkAnswer(local, 'ann');
      const browser = fixture.browser();
      browser.sso = local.sso;
      expect(reasonOf(await browser.get(answer))).toBe('response_invalid');
      await local.get('/sign-in/sso/home');
      const shown = (await local.get('/account/link/home')).text;
      const href = /class="button" href="([^"]+)"/.exec(shown)?.[1] ?? '';
      const { pathname, search } = await real.follow(href.replaceAll('&amp;', '&'));
      expect(reasonOf(await local.get(`${pathname}${search}`))).toBe('response_invalid');
      expect(identityOf('viewer1')).toBeNull();
      expect(rowsOf('ann')).toEqual([]);
    });

    it('is refused for identities of other accounts or without a role, and for linked accounts', async () => {
      const local = await fixture.signedIn('viewer');
      expect(reasonOf(await link(local, 'bob'))).toBe('no_role');
      await signIn(fixture.browser(), 'ann');
      expect(reasonOf(await link(local, 'ann'))).toBe('identity_taken');
      expect(identityOf('viewer1')).toBeNull();
      expect((await link(local, 'root')).location).toBe('/account');
      expect(reasonOf(await local.post('/account/link/home'))).toBe('already_linked');
      const born = fixture.browser();
      await signIn(born, 'ann');
      await signIn(born, 'ann', '?confirm=1');
      expect(reasonOf(await born.post('/account/link/home'))).toBe('already_linked');
    });

    it('is refused for the break-glass administrator, who needs no provider', async () => {
      const root = await fixture.signedIn('administrator');
      await fixture.scene.requireSso.set(operator, 'root');
      expect(reasonOf(await root.post('/account/link/home'))).toBe('break_glass');
    });

    it('can be undone by users with a password, and ends their other sessions', async () => {
      const local = await fixture.signedIn('viewer');
      await link(local, 'ann');
      const there = fixture.browser();
      await signIn(there, 'ann');
      expect((await local.post('/account/unlink')).location).toBe('/account');
      expect(identityOf('viewer1')).toBeNull();
      expect((await there.get('/account')).location).toContain('/sign-in');
      expect((await local.get('/account')).status).toBe(200);
      await signIn(fixture.browser(), 'ann');
      expect(rowsOf('ann')).toHaveLength(1);
      const born = fixture.browser();
      await signIn(born, 'ann');
      await signIn(born, 'ann', '?confirm=1');
      expect((await born.post('/account/unlink')).status).toBe(403);
    });
  });

  it('tests a provider, and says what is wrong', async () => {
    const root = await fixture.signedIn('administrator');
    const checks = async (): Promise<readonly string[]> => {
      const tested = await root.post('/settings/sign-in/providers/home/test');
      return [...tested.text.matchAll(/data-check="([^"]+)"/g)].map(([, check]) => check ?? '');
    };
    expect(await checks()).toContain('secret good');
    expect((await root.get('/settings/sign-in/providers/home')).text).toContain(redirectTo('home'));
    await edit({ client_secret: 'wrong' });
    expect(await checks()).toContain('secret bad');
    expect(reasonOf(await signIn(fixture.browser(), 'ann'))).toBe('secret_refused');
    await edit({ issuer: `${real.issuer}/other` });
    expect(await checks()).toEqual(['discovery bad']);
  });

  it('never shows the secret, and asks for it again if the issuer changes', async () => {
    const root = await fixture.signedIn('administrator');
    const pages = ['/settings/sign-in', '/settings/sign-in/providers/home', '/audit'];
    for (const path of pages) expect((await root.get(path)).text).not.toContain(real.clientSecret);
    const moved = { ...form({ issuer: 'https://other.example.org' }), client_secret: '' };
    const refused = await root.post('/settings/sign-in/providers/home/edit', moved);
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('the issuer has changed');
    const open = JSON.stringify(
      fixture.scene.kept.rows('SELECT * FROM sso_providers WHERE sealed_secret = ?', real.clientSecret),
    );
    expect(open).toBe('[]');
  });
});

describe('A provider from the environment', () => {
  it('has a button, and cannot be changed in the web UI', async () => {
    const real = await realProvider({ users, redirectUris: [redirectTo('env')] });
    const fixture = await openWebFixture({
      clock: new FakeClock(Date.now()),
      environmentProvider: {
        clientSecret: real.clientSecret,
        settings: {
          label: 'Environment',
          issuer: real.issuer,
          clientId: real.clientId,
          scopes: 'openid profile groups',
          groupsClaim: 'groups',
          roles: [{ group: 'ops', role: 'operator' }],
          twoFactor: 'never',
          allowPrivate: true,
        },
      },
    });
    Object.assign(users, structuredClone(USERS));
    const browser = fixture.browser();
    expect((await browser.get('/sign-in')).text).toContain('Sign in with Environment');
    real.user = 'ann';
    const { pathname, search } = await real.follow((await browser.get('/sign-in/sso/env')).location ?? '');
    expect((await browser.get(`${pathname}${search}`)).location).toBe('/');
    const root = await fixture.signedIn('administrator');
    expect((await root.post('/settings/sign-in/providers/env/test')).text).toContain('secret good');
    expect((await root.post('/settings/sign-in/providers/env/disable')).status).toBe(422);
    await fixture.close();
    await real.close();
  });
});

it('offers no provider while the service does not know its own address', async () => {
  const fixture = await openWebFixture({ publicUrl: null });
  const root = await fixture.signedIn('administrator');
  expect((await root.get('/settings/sign-in')).text).toContain('SERVICE_PUBLIC_URL');
  await fixture.close();
});
