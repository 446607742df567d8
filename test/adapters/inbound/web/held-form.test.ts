import { TOTP } from 'otpauth';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MINUTE, SECOND } from '../../../../src/domain/base/instant.ts';
import { PASSWORD } from '../../../support/accounts-scene.ts';
import { openWebFixture, type Visitor, type WebFixture } from './web-fixture.ts';

let fixture: WebFixture;
let root: Visitor;
beforeEach(async () => {
  fixture = await openWebFixture();
  root = await fixture.signedIn('administrator');
});
afterEach(() => fixture.close());

const FORM = { name: 'ben', role: 'viewer', note: 'a "quoted" <b>\nline' };
const later = () => fixture.scene.clock.advance(11 * MINUTE);
const invite = (password?: string) =>
  root.post('/settings/users', {
    ...FORM,
    ...(password === undefined ? {} : { drover_password: password }),
  });
const isThere = () =>
  fixture.scene.kept.rows<{ name: string }>('SELECT name FROM users').some(({ name }) => name === 'ben');

test('A form that needs the password is kept, and goes on with it', async () => {
  await later();
  const held = await invite();
  expect(held.status).toBe(403);
  expect(held.headers.get('cache-control')).toBe('no-store');
  expect(held.text).toContain('<form method="post" action="/settings/users">');
  expect(held.text).toContain('name="note" value="a &quot;quoted&quot; &lt;b>\nline"');
  expect(held.text).toContain('class="app"');
  expect(isThere()).toBe(false);
  const before = root.cookie;
  const done = await invite(PASSWORD);
  expect([done.status < 400, isThere()]).toEqual([true, true]);
  expect(root.cookie).not.toBe(before);
  expect((await root.get('/account/passkeys')).status).toBe(200);
});

test('A wrong password changes nothing, is counted and audited, and is shown nowhere', async () => {
  await later();
  const wrong = await invite('not the password');
  expect([wrong.status, isThere()]).toEqual([401, false]);
  expect(wrong.text).toContain('name="name" value="ben"');
  expect(wrong.text).not.toContain('not the password');
  for (let i = 0; i < 4; i += 1) await invite('not the password');
  const throttled = await invite(PASSWORD);
  expect([throttled.status, throttled.text.includes('Too many failed attempts')]).toEqual([401, true]);
  expect(isThere()).toBe(false);
  const said = fixture.scene.kept.rows<{ action: string }>('SELECT action FROM audit_entries');
  expect(said.map(({ action }) => action)).toContain('session.refuse_confirmation');
  await fixture.scene.clock.advance(MINUTE);
  expect([(await invite(PASSWORD)).status < 400, isThere()]).toEqual([true, true]);
});

test('A password that no one asked for is ignored', async () => {
  expect([(await invite('not the password')).status < 400, isThere()]).toEqual([true, true]);
});

test('A form of another site is refused, whatever its password', async () => {
  await later();
  const foreign = await root.post(
    '/settings/users',
    { ...FORM, drover_password: PASSWORD },
    { 'Sec-Fetch-Site': 'cross-site' },
  );
  expect([foreign.status, isThere()]).toEqual([403, false]);
  expect(foreign.text).not.toContain('name="drover_password"');
});

test('With two-factor authentication the password does, as before', async () => {
  const secret = /name="secret" value="([A-Z2-7]+)"/.exec((await root.get('/account/totp')).text)?.[1] ?? '';
  const code = new TOTP({ secret }).generate({ timestamp: fixture.scene.clock.now() });
  await root.post('/account/totp', { secret, code });
  await fixture.scene.clock.advance(30 * SECOND);
  await later();
  expect((await invite()).text).toContain('name="drover_password"');
  await invite(PASSWORD);
  expect(isThere()).toBe(true);
});

test('Users without a password prove it where they signed in', async () => {
  fixture.scene.kept.rows("UPDATE sessions SET provider = 'home'");
  fixture.scene.kept.rows("UPDATE users SET password_hash = NULL WHERE name = 'root'");
  await later();
  const answer = await invite();
  expect([answer.status, answer.location?.split('?')[0]]).toEqual([303, '/confirm']);
});

test('A form whose session ended is kept until the next sign-in', async () => {
  const { cookie } = root;
  root.cookie = '';
  const held = await invite();
  expect([held.status, isThere()]).toEqual([401, false]);
  expect(held.headers.get('cache-control')).toBe('no-store');
  expect(held.text).toContain('<form method="post" action="/settings/users">');
  expect(held.text).toContain('name="note" value="a &quot;quoted&quot; &lt;b>\nline"');
  root.cookie = cookie;
  expect([(await invite()).status < 400, isThere()]).toEqual([true, true]);
});

test('Where there is nothing to keep, the sign-in leads back', async () => {
  root.cookie = '';
  expect((await root.post('/sign-out', {})).location).toBe('/sign-in');
  expect((await root.post('/jobs/1/cancel', {})).location).toMatch(/^\/sign-in/);
});

test('A browser says where a form was, and no other site learns it', async () => {
  expect((await root.get('/servers')).headers.get('referrer-policy')).toBe('same-origin');
});
