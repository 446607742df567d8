import { beforeEach, describe, expect, it } from 'vitest';
import { MINUTE } from '../../../../src/domain/base/instant.ts';
import { FakeClock } from '../../../fakes/fake-clock.ts';
import { PASSWORD } from '../../../support/accounts-scene.ts';
import { SoftwareAuthenticator } from '../../../support/software-authenticator.ts';
import { type Answer, openWebFixture, type Visitor, type WebFixture } from './web-fixture.ts';

const ORIGIN = 'https://drover.example.org:8443';
const SCRIPT = { 'Sec-Fetch-Site': 'same-origin', Accept: 'application/json' };

interface Options {
  readonly create?: {
    readonly challenge: string;
    readonly user: { readonly id: string };
    readonly excludeCredentials: readonly unknown[];
  };
  readonly get?: { readonly challenge: string; readonly allowCredentials: readonly unknown[] };
  readonly code?: string;
}

describe('Passkeys in the web UI', () => {
  let fixture: WebFixture;
  let clock: FakeClock;
  let key: SoftwareAuthenticator;
  beforeEach(async () => {
    clock = new FakeClock();
    fixture = await openWebFixture({ clock });
    key = new SoftwareAuthenticator(ORIGIN);
    return () => fixture.close();
  });

  const options = async (browser: Visitor, path: string): Promise<Options> =>
    JSON.parse((await browser.post(`${path}/options`, {}, SCRIPT)).text) as Options;
  const add = async (browser: Visitor, name = 'Laptop', device = key): Promise<Answer> => {
    const { create } = await options(browser, '/account/passkeys');
    const handle = Buffer.from(create?.user.id ?? '', 'base64url').toString();
    const answer = device.create(create?.challenge ?? '', handle);
    return browser.post('/account/passkeys', { name, answer });
  };
  const step = async (browser: Visitor, path: string, next = '/jobs'): Promise<Answer> => {
    const { get } = await options(browser, path);
    return browser.post(path, { answer: key.use(get?.challenge ?? ''), next });
  };
  const withPassword = async (): Promise<Visitor> => {
    const browser = fixture.browser();
    await browser.post('/sign-in', { name: 'root', password: PASSWORD });
    return browser;
  };

  it('is added, shown, renamed and removed by its owner', async () => {
    const root = await fixture.signedIn('administrator');
    expect((await add(root)).text).toContain('Recovery codes');
    const second = await add(root, 'Phone', new SoftwareAuthenticator(ORIGIN));
    expect([second.status, second.location]).toEqual([303, '/account']);
    const { create } = await options(root, '/account/passkeys');
    expect(create?.excludeCredentials).toHaveLength(2);
    expect((await root.post('/account/passkeys/1/rename', { name: 'Work' })).location).toBe('/account');
    expect((await root.get('/account')).text).toContain('value="Work"');
    expect((await root.post('/account/passkeys/9/remove')).status).toBe(404);
    expect((await root.post('/account/passkeys/1/remove')).status).toBe(303);
    expect((await root.get('/account')).text).not.toContain('value="Work"');
  });

  it('signs in without a password, once, in the browser that asked, and goes on where the user was', async () => {
    await add(await fixture.signedIn('administrator'));
    const browser = fixture.browser();
    expect((await browser.get('/sign-in')).text).toContain('data-passkey="/sign-in/passkey/options"');
    const { get } = await options(browser, '/sign-in/passkey');
    expect(get).toMatchObject({
      userVerification: 'required',
      rpId: 'drover.example.org',
      allowCredentials: [],
    });
    const fields = { answer: key.use(get?.challenge ?? ''), next: '/jobs' };
    expect((await fixture.browser().post('/sign-in/passkey', fields)).status).toBe(401);
    const { passkey } = browser;
    const { status, location, headers } = await browser.post('/sign-in/passkey', fields);
    expect([status, location]).toEqual([303, '/jobs']);
    expect(headers.getSetCookie().join('\n')).toContain('__Host-drover-passkey=; Max-Age=0');
    expect((await browser.get('/account')).status).toBe(200);
    const replay = fixture.browser();
    replay.passkey = passkey;
    expect((await replay.post('/sign-in/passkey', fields)).status).toBe(401);
    expect(replay.cookie).toBe('');
  });

  it('binds the challenge to a cookie for five minutes that no script reads', async () => {
    const { headers } = await fixture.browser().post('/sign-in/passkey/options', {}, SCRIPT);
    const [cookie] = headers.getSetCookie();
    for (const part of ['__Host-drover-passkey=', 'Max-Age=300', 'HttpOnly', 'SameSite=Lax', 'Secure'])
      expect(cookie).toContain(part);
  });

  it('is the second step after the password', async () => {
    await add(await fixture.signedIn('administrator'));
    const browser = await withPassword();
    expect((await browser.get('/account')).location).toContain('/sign-in');
    expect((await browser.get('/code')).text).toContain('data-passkey="/code/passkey/options"');
    const { get } = await options(browser, '/code/passkey');
    expect(get?.allowCredentials).toEqual([
      { type: 'public-key', id: key.credentialId, transports: ['usb'] },
    ]);
    expect((await step(browser, '/code/passkey')).location).toBe('/jobs');
    expect((await browser.get('/account')).status).toBe(200);
  });

  it('confirms who uses the session', async () => {
    const root = await fixture.signedIn('administrator');
    await add(root);
    await clock.advance(11 * MINUTE);
    expect((await root.get('/account/passkeys')).location).toContain('/confirm');
    expect((await options(root, '/account/passkeys')).code).toBe('confirmation_needed');
    expect((await root.get('/confirm')).text).toContain('data-passkey="/confirm/passkey/options"');
    expect((await step(root, '/confirm/passkey')).location).toBe('/jobs');
    expect((await root.get('/account/passkeys')).status).toBe(200);
  });

  it('is what a user can set up who needs two factors', async () => {
    await add(await fixture.signedIn('administrator'));
    const viewer = await fixture.signedIn('viewer');
    await fixture.scene.settings.set('accounts.two_factor_rule', 'everyone', {});
    expect((await viewer.get('/jobs')).location).toBe('/account/totp');
    expect((await viewer.get('/account/totp')).text).toContain('href="/account/passkeys"');
    expect((await viewer.get('/account/passkeys')).status).toBe(200);
    await add(viewer, 'Phone', new SoftwareAuthenticator(ORIGIN));
    expect((await viewer.get('/jobs')).status).toBe(200);
    expect((await viewer.post('/account/passkeys/2/remove')).status).toBe(403);
  });

  it('is not offered at an IP address, and says why to a script', async () => {
    const local = await openWebFixture({ publicUrl: null });
    try {
      const root = await local.signedIn('administrator');
      expect((await root.get('/sign-in')).text).not.toContain('data-passkey=');
      const refused = await root.post('/account/passkeys/options', {}, SCRIPT);
      expect(JSON.parse(refused.text)).toMatchObject({ code: 'passkey_refused', status: 401 });
    } finally {
      await local.close();
    }
  });
});
