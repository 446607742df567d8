import { request } from 'node:http';
import { Secret, TOTP } from 'otpauth';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Config, readConfig } from '../../../../src/adapters/bootstrap/config.ts';
import { forwardAuth } from '../../../../src/adapters/bootstrap/modules/system.ts';
import { Actor } from '../../../../src/domain/access/actor.ts';
import {
  FORWARD_AUTH,
  FORWARD_ISSUER,
  type ForwardAuthSettings,
} from '../../../../src/domain/access/forward-auth.ts';
import { openWebFixture, type Visitor, type WebFixture } from './web-fixture.ts';

const SETTINGS: ForwardAuthSettings = {
  headers: { user: 'Remote-User', email: 'Remote-Email', groups: 'Remote-Groups' },
  roles: [
    { group: 'admins', role: 'administrator' },
    { group: 'staff', role: 'viewer' },
  ],
  hasTwoFactors: false,
  signOutUrl: 'https://auth.example.org/logout',
};
const SIGN_IN = '/sign-in/proxy';
const SAME = { 'Sec-Fetch-Site': 'same-origin' };
const ANN = { 'Remote-User': 'ann', 'Remote-Email': 'ann@example.org', 'Remote-Groups': 'staff, wheel' };

describe('The user whom a trusted proxy names', () => {
  let fixture: WebFixture;
  let browser: Visitor;
  const open = async (settings: ForwardAuthSettings | null = SETTINGS, trusted = ['127.0.0.1/32']) => {
    fixture = await openWebFixture({
      trustedProxies: trusted,
      ...(settings === null ? {} : { forwardAuth: settings }),
    });
    browser = fixture.browser();
  };
  beforeEach(() => open());
  afterEach(() => fixture.close());

  const signIn = (headers: Record<string, string>) =>
    browser.post(SIGN_IN, { next: '/servers' }, { ...SAME, ...headers });
  const reasonIn = (text: string): string | undefined => /data-reason="(\w+)"/.exec(text)?.[1];
  const userNamed = async (name: string) => (await fixture.scene.users.findByName(name))?.user ?? null;
  const asAnn = async (headers: Record<string, string> = ANN): Promise<void> => {
    const answer = await signIn(headers);
    expect([answer.status, answer.location]).toEqual([303, '/servers']);
  };
  const isSignedIn = async (headers: Record<string, string>): Promise<boolean> =>
    (await browser.get('/servers', headers)).status === 200;

  test('is offered to sign in, and gets an account of the role of their groups', async () => {
    const offer = await browser.get('/sign-in?next=/servers', ANN);
    expect(offer.text).toContain('Sign in as ann');
    expect((await browser.get('/sign-in')).text).not.toContain('/sign-in/proxy');
    await asAnn();
    expect(await isSignedIn(ANN)).toBe(true);
    expect(await userNamed('ann')).toMatchObject({
      role: 'viewer',
      hasPassword: false,
      issuer: FORWARD_ISSUER,
    });
    const { items } = await fixture.scene.audit.list({}, { limit: 20, offset: 0 });
    expect(items.map(({ action }) => action)).toEqual(expect.arrayContaining(['user.add', 'session.start']));
  });

  test('does not get the account of a local user of the same name', async () => {
    await asAnn({ ...ANN, 'Remote-User': 'root' });
    expect(await userNamed('root')).toMatchObject({ role: 'administrator', hasPassword: true });
    expect(await userNamed('root-2')).toMatchObject({ role: 'viewer', issuer: FORWARD_ISSUER });
  });

  test('the session lasts as long as the headers name them, with the same role', async () => {
    await asAnn();
    expect(await isSignedIn({})).toBe(false);
    expect(await isSignedIn({ ...ANN, 'Remote-User': 'bob' })).toBe(false);
    expect(await isSignedIn({ ...ANN, 'Remote-Groups': 'guests' })).toBe(false);
    expect(await isSignedIn({ ...ANN, 'Remote-Groups': 'admins' })).toBe(false);
    expect(await isSignedIn(ANN)).toBe(true);
    // The role is read again at the next sign-in.
    await asAnn({ ...ANN, 'Remote-Groups': 'staff|admins' });
    expect(await userNamed('ann')).toMatchObject({ role: 'administrator' });
  });

  test('gets the roles by tag of their groups, and the session ends if these change', async () => {
    await fixture.close();
    await open({ ...SETTINGS, roles: [{ group: 'staff', role: 'operator', tag: 'web' }] });
    await asAnn();
    expect(await userNamed('ann')).toMatchObject({
      role: null,
      tagRoles: [{ tag: 'web', role: 'operator' }],
    });
    const { manageUsers } = fixture.scene;
    const operator = Actor.operator('cli:root');
    await manageUsers.setTagRole(operator, await manageUsers.get(operator, 'ann'), 'db', 'viewer');
    expect(await isSignedIn(ANN)).toBe(false);
    await asAnn();
    expect(await userNamed('ann')).toMatchObject({ tagRoles: [{ tag: 'web', role: 'operator' }] });
  });

  test('headers alone are no session, and no form is accepted from elsewhere', async () => {
    expect(await isSignedIn(ANN)).toBe(false);
    await asAnn({ ...ANN, 'Remote-Groups': 'admins' });
    const foreign = { ...ANN, 'Remote-Groups': 'admins', 'Sec-Fetch-Site': 'cross-site' };
    expect((await browser.post('/sign-out', {}, foreign)).status).toBe(403);
    // Nor does another site open a session.
    expect((await fixture.browser().post(SIGN_IN, {}, foreign)).status).toBe(403);
  });

  test.each([
    ['no groups', { 'Remote-User': 'ann' }, 'groups_missing', 403],
    ['no role', { ...ANN, 'Remote-Groups': 'guests' }, 'no_role', 403],
    ['two names in one header', { ...ANN, 'Remote-User': 'admin, ann' }, 'response_invalid', 401],
    [
      'a placeholder that the proxy did not fill',
      { ...ANN, 'Remote-User': '{http.reverse_proxy.header.Remote-User}' },
      'response_invalid',
      401,
    ],
    ['a name that is no UTF-8', { ...ANN, 'Remote-User': 'ren\u00e9' }, 'response_invalid', 401],
    ['an empty name', { ...ANN, 'Remote-User': '' }, 'response_invalid', 401],
    ['a name that is too long', { ...ANN, 'Remote-User': 'a'.repeat(300) }, 'response_invalid', 401],
    ['no header', {}, 'response_invalid', 401],
  ])('is refused with %s', async (_, headers, reason, status) => {
    const answer = await signIn(headers);
    expect([answer.status, reasonIn(answer.text)]).toEqual([status, reason]);
    expect(await userNamed('ann')).toBeNull();
    expect(browser.cookie).toBe('');
  });

  test('is refused if a header comes twice', async () => {
    const sent = await new Promise<number>((resolve, reject) => {
      const { port } = new URL(fixture.base);
      const headers = { 'Remote-User': ['admin', 'ann'], 'Remote-Groups': 'staff', ...SAME };
      request({ method: 'POST', host: '127.0.0.1', port, path: SIGN_IN, headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      })
        .on('error', reject)
        .end();
    });
    expect(sent).toBe(401);
    expect(await userNamed('ann')).toBeNull();
  });

  test('a disabled account is refused, and its session over', async () => {
    await asAnn();
    const user = await userNamed('ann');
    await fixture.scene.users.change(user?.id ?? 0, { disabledAt: fixture.scene.clock.now() }, () => ({}));
    expect(await isSignedIn(ANN)).toBe(false);
    const answer = await signIn(ANN);
    expect([answer.status, reasonIn(answer.text)]).toEqual([403, 'account_disabled']);
  });

  test('headers of anyone else are ignored and logged', async () => {
    await asAnn();
    const { cookie } = browser;
    await fixture.close();
    await open(SETTINGS, ['192.0.2.1/32']);
    browser.cookie = cookie;
    expect((await browser.get('/sign-in', ANN)).text).not.toContain('Sign in as ann');
    const answer = await signIn({ ...ANN, 'X-Forwarded-For': '192.0.2.1' });
    expect([answer.status, reasonIn(answer.text)]).toEqual([401, 'response_invalid']);
    const logged = fixture.scene.log.lines.filter(({ fields }) => 'peer' in (fields ?? {}));
    expect(logged).toMatchObject([
      { level: 'warn', fields: { header: 'Remote-User', peer: '127.0.0.1' } },
      {},
    ]);
  });

  test('is not there if it is switched off', async () => {
    await fixture.close();
    await open(null);
    expect((await browser.get('/sign-in', ANN)).text).not.toContain('Sign in as');
    expect((await signIn(ANN)).status).toBe(404);
  });

  test('tokens are asked for on the API and /mcp all the same', async () => {
    for (const path of ['/api/v1/servers', '/mcp'])
      expect((await browser.get(path, { ...ANN, 'Remote-Groups': 'admins' })).status).not.toBe(200);
    expect(await userNamed('ann')).toBeNull();
  });

  test('gives the code of two-factor authentication that they set up, unless the proxy requires two factors', async () => {
    await asAnn();
    const headers = { ...ANN, ...SAME };
    const secret = new Secret({ size: 20 }).base32;
    const code = new TOTP({ secret }).generate({ timestamp: fixture.scene.clock.now() });
    expect((await browser.post('/account/totp', { secret, code }, headers)).status).toBe(200);
    expect((await signIn(ANN)).location).toBe('/code?next=%2Fservers');
    await fixture.close();
    await open({ ...SETTINGS, hasTwoFactors: true });
    await asAnn();
    expect(await isSignedIn(ANN)).toBe(true);
  });

  test('can sign out, and then out of the proxy', async () => {
    await asAnn();
    const left = await browser.post('/sign-out', {}, { ...ANN, ...SAME });
    expect(left.location).toBe(`/sign-in?from=${FORWARD_AUTH}`);
    expect((await browser.get(left.location ?? '', ANN)).text).toContain('https://auth.example.org/logout');
    expect(await isSignedIn(ANN)).toBe(false);
  });

  test('cannot be confirmed by the proxy', async () => {
    await asAnn({ ...ANN, 'Remote-Groups': 'admins' });
    const page = await browser.get('/confirm', { ...ANN, 'Remote-Groups': 'admins' });
    expect(page.text).not.toContain('/sign-in/sso/');
    expect(page.text).not.toContain('type="password"');
  });
});

describe('The settings of forward authentication', () => {
  const configOf = (env: Record<string, string>): Config => readConfig(env, () => '');

  test('are off without SERVICE_FORWARD_AUTH, and need proxies and roles', () => {
    expect(forwardAuth(configOf({ SERVICE_FORWARD_AUTH_ROLES: 'admins=administrator' }))).toBeNull();
    expect(() => forwardAuth(configOf({ SERVICE_FORWARD_AUTH: '1' }))).toThrow(/SERVICE_TRUSTED_PROXIES/);
    const wrong = { SERVICE_FORWARD_AUTH: '1', SERVICE_TRUSTED_PROXIES: '127.0.0.1' };
    expect(() => forwardAuth(configOf({ ...wrong, SERVICE_FORWARD_AUTH_ROLES: 'x=king' }))).toThrow(/ROLES/);
    expect(() => configOf({ SERVICE_FORWARD_AUTH_USER: 'Remote User' })).toThrow(/SERVICE_FORWARD_AUTH_USER/);
    expect(() => configOf({ SERVICE_FORWARD_AUTH_SIGN_OUT_URL: 'javascript:alert(1)' })).toThrow(
      /SIGN_OUT_URL/,
    );
    const read = forwardAuth(
      configOf({
        ...wrong,
        SERVICE_FORWARD_AUTH_USER: 'X-authentik-username',
        SERVICE_FORWARD_AUTH_ROLES: 'authentik Admins=administrator',
      }),
    );
    expect(read).toEqual({
      headers: { user: 'X-authentik-username', email: 'Remote-Email', groups: 'Remote-Groups' },
      roles: [{ group: 'authentik Admins', role: 'administrator' }],
      hasTwoFactors: false,
      signOutUrl: null,
    });
  });
});
