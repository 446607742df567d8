import { TOTP } from 'otpauth';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Actor } from '../../../../src/domain/access/actor.ts';
import { SECOND } from '../../../../src/domain/base/instant.ts';
import { PASSWORD } from '../../../support/accounts-scene.ts';
import { openWebFixture, type Visitor, type WebFixture } from './web-fixture.ts';

const operator = Actor.operator('cli:root');
const POLICY = '/settings/users/two-factor';
let fixture: WebFixture;
let root: Visitor;
beforeEach(async () => {
  fixture = await openWebFixture();
  root = await fixture.signedIn('administrator');
});
afterEach(() => fixture.close());

const secretIn = (text: string): string => /name="secret" value="([A-Z2-7]+)"/.exec(text)?.[1] ?? '';
const codeOf = (secret: string): string =>
  new TOTP({ secret }).generate({ timestamp: fixture.scene.clock.now() });

/** Turns it on, and returns the secret. */
async function setUp(who: Visitor): Promise<string> {
  const secret = secretIn((await who.get('/account/totp')).text);
  const done = await who.post('/account/totp', { secret, code: codeOf(secret) });
  expect([done.status, done.text.includes('Recovery codes')]).toEqual([200, true]);
  return secret;
}

const auditOf = (action: string) =>
  fixture.scene.kept.audit.filter((entry) => entry.action === action).map(({ detail }) => detail);

describe('Requiring two-factor authentication', () => {
  test('is for administrators who use it themselves', async () => {
    const refused = await root.post(POLICY, { two_factor: 'administrators' });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('for your own account first');
    expect(auditOf('user.require_two_factor')).toEqual([]);
    await setUp(root);
    expect((await root.post(POLICY, { two_factor: 'some' })).status).toBe(422);
    expect((await root.post(POLICY, { two_factor: 'operators' })).location).toBe('/settings/users');
    expect((await root.get('/settings/users')).text).toMatch(/value="operators" checked/);
    expect(auditOf('user.require_two_factor')).toEqual([{ accounts: 'operators' }]);
  });

  test('holds only the accounts that it names', async () => {
    const [viewer, op] = [await fixture.signedIn('viewer'), await fixture.signedIn('operator')];
    await fixture.scene.twoFactorPolicy.set(operator, 'operators');
    expect((await viewer.get('/servers')).status).toBe(200);
    for (const who of [op, root]) expect((await who.get('/servers')).location).toBe('/account/totp');
    await fixture.scene.twoFactorPolicy.set(operator, 'administrators');
    expect((await op.get('/servers')).status).toBe(200);
    await fixture.scene.twoFactorPolicy.set(operator, 'everyone');
    expect((await viewer.get('/servers')).location).toBe('/account/totp');
    await fixture.scene.twoFactorPolicy.set(operator, 'none');
    for (const who of [viewer, op, root]) expect((await who.get('/servers')).status).toBe(200);
  });

  test('leaves a session that is there nothing but setting it up, from its next request', async () => {
    await fixture.scene.twoFactorPolicy.set(operator, 'administrators');
    const open = ['/account/totp', '/account/passkeys', '/confirm', '/sign-out', '/code'];
    const isOpen = (path: string) => open.includes(path.replace(/(?:\/passkey)?\/options$|\/passkey$/, ''));
    const pathOf = (pattern: string) => pattern.replace(':id', '1').replace(':name', 'root');
    const barred = fixture.routes.filter(({ needs, path }) => needs !== 'nobody' && !isOpen(path));
    expect(barred.length).toBeGreaterThan(100);
    for (const { method, path } of barred) {
      const { status, location } = await (method === 'GET'
        ? root.get(pathOf(path))
        : root.post(pathOf(path)));
      expect([path, status, location]).toEqual([path, 303, '/account/totp']);
    }
    for (const [path, header, value] of [
      ['/live/overview', 'HX-Request', 'true'],
      ['/servers', 'Accept', 'application/json'],
      ['/jobs/1/events', 'Accept', 'text/event-stream'],
    ] as const) {
      const { status, text } = await root.get(path, { [header]: value });
      expect([path, status, JSON.parse(text).code]).toEqual([path, 403, 'two_factor_required']);
    }
  });

  test('lets in once it is set up, and stays on then', async () => {
    await fixture.scene.twoFactorPolicy.set(operator, 'administrators');
    const browser = fixture.browser();
    expect((await browser.post('/sign-in', { name: 'root', password: PASSWORD })).location).toBe('/');
    expect((await browser.get('/')).location).toBe('/account/totp');
    const page = await browser.get('/account/totp');
    expect(page.text).toContain('Your role requires two-factor authentication');
    expect(page.text).not.toContain('href="/servers"');
    await setUp(browser);
    expect((await browser.get('/servers')).status).toBe(200);
    expect((await browser.get('/account')).text).not.toContain('/account/totp/off');
    const off = await browser.post('/account/totp/off');
    expect([off.status, off.text.includes('two_factor_required')]).toEqual([403, true]);
    const own = await browser.post('/settings/users/root/remove-totp');
    expect([own.status, own.text.includes('two_factor_required')]).toEqual([403, true]);
    await fixture.scene.clock.advance(30 * SECOND);
    expect((await fixture.browser().post('/sign-in', { name: 'root', password: PASSWORD })).location).toMatch(
      /^\/code/,
    );
  });

  test('bars from the use cases, too, independently of the route', async () => {
    await fixture.scene.twoFactorPolicy.set(operator, 'everyone');
    const visitor = await fixture.scene.resumeSession.execute(
      root.cookie.split('=')[1] ?? '',
      '203.0.113.7',
      'counts',
    );
    expect(visitor?.mustSetUpTwoFactor).toBe(true);
    expect(() => visitor?.actor.require('read')).toThrow();
    expect(() => visitor?.actor.requireRole('viewer')).toThrow();
  });
});
