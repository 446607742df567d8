import { TOTP } from 'otpauth';
import { afterEach, describe, expect, test } from 'vitest';
import { HOUR } from '../../../../src/domain/base/instant.ts';
import { PASSWORD } from '../../../support/accounts-scene.ts';
import { openWebFixture, type Visitor, type WebFixture } from './web-fixture.ts';

let fixture: WebFixture;
afterEach(() => fixture.close());

const field = (text: string, name: string): string | undefined =>
  new RegExp(`name="${name}"[^>]*value="([^"]*)"`).exec(text)?.[1];

describe('The first administrator', () => {
  test('opens the link, creates the account, and is signed in', async () => {
    fixture = await openWebFixture({ empty: true });
    const browser = fixture.browser();
    expect((await browser.get('/')).location).toBe('/sign-in');
    expect((await browser.get('/sign-in')).text).toContain('drover user setup');
    const secret = (await fixture.scene.offerSetup.execute())?.secret ?? '';
    expect((await browser.post('/welcome', { link: 'wrong' })).status).toBe(410);
    expect((await browser.post('/welcome', { link: secret })).text).toContain('Create account');
    const bad = await browser.post('/welcome/password', { link: secret, name: 'Ann <b>', password: 'short' });
    expect(bad.status).toBe(422);
    expect(bad.text).toContain('value="Ann &lt;b>"');
    expect(bad.text).toContain('aria-invalid="true"');
    expect(bad.text).not.toContain('short"');
    const made = await browser.post('/welcome/password', { link: secret, name: 'ann', password: PASSWORD });
    expect(made.location).toBe('/');
    expect((await browser.get('/')).text).toContain('id="checklist"');
  });
});

describe('Signing in', () => {
  test('gives a cookie that scripts cannot read, and leads back to where one was', async () => {
    fixture = await openWebFixture();
    const browser = fixture.browser();
    expect((await browser.get('/jobs?status=failed')).location).toBe('/sign-in?next=%2Fjobs');
    const page = await browser.get('/sign-in?next=%2Fjobs');
    expect(field(page.text, 'next')).toBe('/jobs');
    const answer = await browser.post('/sign-in', { name: 'root', password: PASSWORD, next: '/jobs' });
    expect(answer.location).toBe('/jobs');
    expect(answer.headers.getSetCookie()[0]).toMatch(
      /^__Host-drover=[A-Za-z0-9_-]{32}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    );
  });

  test.each([null, 'http://drover.example.org:8888'])(
    'over plain HTTP needs no HTTPS at %s',
    async (publicUrl) => {
      fixture = await openWebFixture({ publicUrl });
      const browser = await fixture.signedIn('administrator');
      expect(browser.cookie).toMatch(/^drover=/);
      expect((await browser.get('/')).status).toBe(200);
    },
  );

  test.each(['//evil.example', 'https://evil.example', '/\\evil.example', 'javascript:alert(1)', '/a b'])(
    'never leads to %s',
    async (next) => {
      fixture = await openWebFixture();
      const browser = fixture.browser();
      const answer = await browser.post('/sign-in', { name: 'root', password: PASSWORD, next });
      expect(answer.location).toBe('/');
    },
  );

  test('keeps the name that was typed, and never the password', async () => {
    fixture = await openWebFixture();
    const answer = await fixture.browser().post('/sign-in', { name: 'ann"><i>', password: 'hunter2hunter2' });
    expect(answer.status).toBe(401);
    expect(answer.text).toContain('value="ann&quot;>&lt;i>"');
    expect(answer.text).toContain('The name or the password is wrong.');
    expect(answer.text).not.toContain('hunter2');
  });

  test('asks for the code if two-factor authentication is on', async () => {
    fixture = await openWebFixture();
    const browser = await fixture.signedIn('administrator');
    const offer = await browser.get('/account/totp');
    const secret = field(offer.text, 'secret') ?? '';
    expect(offer.text).toContain('<svg');
    const code = (): string => new TOTP({ secret }).generate({ timestamp: fixture.scene.clock.now() });
    expect((await browser.post('/account/totp', { secret, code: '000000' })).status).toBe(422);
    expect((await browser.post('/account/totp', { secret, code: code() })).text).toContain('Recovery codes');
    await browser.post('/sign-out');
    await fixture.scene.clock.advance(30_000);
    const half = await browser.post('/sign-in', { name: 'root', password: PASSWORD, next: '/jobs' });
    expect(half.location).toBe('/code?next=%2Fjobs');
    expect((await browser.get('/jobs')).location).toBe('/sign-in?next=%2Fjobs');
    expect((await browser.post('/code', { code: '123456' })).status).toBe(401);
    const done = await browser.post('/code', { code: code(), next: '/jobs' });
    expect(done.location).toBe('/jobs');
    expect((await browser.get('/jobs')).status).toBe(200);
  });

  test('ends with signing out', async () => {
    fixture = await openWebFixture();
    const browser = await fixture.signedIn('viewer');
    const kept = browser.cookie;
    expect((await browser.post('/sign-out')).location).toBe('/sign-in');
    expect(browser.cookie).toBe('');
    browser.cookie = kept;
    expect((await browser.get('/')).location).toBe('/sign-in');
  });
});

describe('A token', () => {
  const create = (browser: Visitor, over: Record<string, string | readonly string[]> = {}) =>
    browser.post('/settings/tokens/new', {
      preset: 'mcp',
      name: 'mcp-laptop',
      scopes: ['read'],
      expires_at: '90d',
      ...over,
    });

  test('of the MCP preset has a pre-filled name and only read selected', async () => {
    fixture = await openWebFixture();
    const { text } = await (await fixture.signedIn('administrator')).get('/settings/tokens/new?preset=mcp');
    expect(field(text, 'name')).toBe('mcp-');
    expect(text.match(/<input type="checkbox"[^>]*checked/g)).toEqual([
      expect.stringContaining('value="read"'),
    ]);
  });

  test('is shown once, with what clients need, by a redirect that Drover does not log', async () => {
    fixture = await openWebFixture({ publicUrl: null });
    const browser = await fixture.signedIn('administrator');
    const { status, location } = await create(browser);
    expect(status).toBe(303);
    const secret = new URLSearchParams(location?.split('?')[1]).get('token_secret') ?? '';
    expect(secret).toMatch(/^drv_/);
    const { text } = await browser.get(location ?? '');
    expect(text).toContain(secret);
    for (const client of ['Claude Code', 'Cursor', 'VS Code', 'Codex']) expect(text).toContain(client);
    expect(text).toContain('placeholder');
    const snippet = /<pre[^>]*id="snippet-json"[^>]*>(.*?)<\/pre>/s.exec(text)?.[1] ?? '';
    const file = JSON.parse(snippet.replaceAll('&quot;', '"')) as { mcpServers: { drover: { url: string } } };
    expect(file.mcpServers.drover.url).toBe(`${fixture.base}/mcp`);
    expect((await browser.get('/settings/tokens')).text).not.toContain(secret);
    expect(JSON.stringify(fixture.scene.log.lines)).not.toContain(secret);
    const { items } = await fixture.scene.tokens.list({ limit: 1, offset: 0 });
    expect(items[0]).toMatchObject({ name: 'mcp-laptop', scopes: ['read'], createdBy: 'user:root' });
  });

  test.each([
    [['jobs'], true],
    [['read', 'jobs'], false],
  ])('with the scopes %j is created with a warning: %s', async (scopes, warned) => {
    fixture = await openWebFixture();
    const browser = await fixture.signedIn('administrator');
    const { location } = await create(browser, { scopes });
    expect((await browser.get(location ?? '')).text.includes('id="scope-warning"')).toBe(warned);
  });

  test('that is invalid is asked for again, with what was typed and the errors', async () => {
    fixture = await openWebFixture();
    const browser = await fixture.signedIn('administrator');
    const answer = await create(browser, {
      name: 'mcp-x',
      scopes: ['read', 'jobs'],
      allowed_cidrs: '10.0.0.1/8',
    });
    expect(answer.status).toBe(422);
    expect(field(answer.text, 'name')).toBe('mcp-x');
    expect(answer.text).toContain('value="10.0.0.1/8"');
    expect(answer.text).toContain('is not an address range');
    expect(answer.text.match(/<input type="checkbox"[^>]*checked/g)).toHaveLength(2);
  });

  test('is rotated and revoked', async () => {
    fixture = await openWebFixture();
    const browser = await fixture.signedIn('administrator');
    await create(browser);
    expect((await browser.post('/settings/tokens/1/rotate')).location).toContain('token_secret=drv_');
    expect((await browser.post('/settings/tokens/1/revoke')).location).toBe('/settings/tokens');
    expect((await browser.get('/settings/tokens')).text).toContain('revoked');
    expect((await browser.post('/settings/tokens/1/rotate')).status).toBe(404);
    expect((await browser.post('/settings/tokens/x/rotate')).status).toBe(404);
  });
});

describe('Users', () => {
  test('are invited, given a role, disabled and let in again', async () => {
    fixture = await openWebFixture({ publicUrl: null });
    const root = await fixture.signedIn('administrator');
    const invited = await root.post('/settings/users', { name: 'ann', role: 'viewer' });
    const link = /\/welcome#([A-Za-z0-9_-]{32})/.exec(invited.text)?.[1] ?? '';
    expect(invited.text).toContain(`>${fixture.base}/welcome#${link}<`);
    const ann = fixture.browser();
    const list = (await root.get('/settings/users')).text;
    expect(list.match(/>Copy new invitation</g)).toHaveLength(1);
    expect(list.match(/>you</g)).toHaveLength(1);
    expect((await root.get('/settings/users/ann')).text).toContain('Create new invitation');
    expect((await ann.post('/welcome', { link })).text).toContain('Welcome, ann');
    await ann.post('/welcome/password', { link, password: PASSWORD });
    expect((await ann.get('/settings/users')).status).toBe(403);
    expect((await root.get('/settings/users')).text).not.toContain('Copy new invitation');
    expect((await root.get('/settings/users/ann')).text).toContain('the current password stays valid');
    await root.post('/settings/users/ann/role', { role: 'administrator' });
    expect((await ann.get('/settings/users')).status).toBe(200);
    await root.post('/settings/users/ann/disable');
    expect((await ann.get('/')).location).toBe('/sign-in');
    await root.post('/settings/users/ann/enable');
    expect((await root.get('/settings/users')).text).toContain('active');
    await root.post('/settings/users/ann/role', { role: 'viewer' });
    expect((await root.post('/settings/users/root/disable')).status).toBe(409);
    expect((await root.post('/settings/users', { name: 'ann', role: 'viewer' })).status).toBe(422);
    expect((await root.post('/settings/users/nobody/link')).status).toBe(404);
  });

  test('are signed out of a page that is left open for half a day, however often it refreshes automatically', async () => {
    fixture = await openWebFixture();
    const { clock } = fixture.scene;
    const browser = await fixture.signedIn('viewer');
    await clock.advance(11 * HOUR);
    expect((await browser.get('/')).status).toBe(200);
    await clock.advance(11 * HOUR);
    const bySelf = { 'HX-Request': 'true', 'HX-Source': 'div#live-page' };
    expect((await browser.get('/live/overview')).status).toBe(200);
    expect((await browser.get('/jobs', bySelf)).status).toBe(200);
    await clock.advance(2 * HOUR);
    expect((await browser.get('/jobs', bySelf)).location).toContain('/sign-in');
    expect((await browser.get('/live/overview')).location).toContain('/sign-in');
    expect((await browser.get('/')).location).toContain('/sign-in');
  });

  test('see and end their own sessions alone', async () => {
    fixture = await openWebFixture();
    const [one, two] = [await fixture.signedIn('administrator'), await fixture.signedIn('administrator')];
    const other = await fixture.signedIn('viewer');
    const page = await one.get('/account');
    expect(page.text.match(/\/account\/sessions\/\d+\/end/g)).toHaveLength(1);
    await other.post('/account/sessions/1/end');
    expect((await one.get('/account')).status).toBe(200);
    await one.post('/account/sessions/end-others');
    expect((await two.get('/account')).location).toContain('/sign-in');
    expect((await one.get('/account')).status).toBe(200);
  });
});

describe('Every page', () => {
  test('comes with a policy that allows no other origin, and is never cached', async () => {
    fixture = await openWebFixture();
    const browser = await fixture.signedIn('administrator');
    const { headers, text } = await browser.get('/');
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self';.* object-src 'none'; base-uri 'none'/,
    );
    expect(headers.get('cache-control')).toBe('no-store');
    expect(text).not.toMatch(/<script(?![^>]*src=)|<style|\sstyle="|\son\w+=/);
    expect(text).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
  });

  test('loads files that never change under their address', async () => {
    fixture = await openWebFixture();
    const browser = fixture.browser();
    const { text } = await browser.get('/sign-in');
    const paths = [...text.matchAll(/(?:src|href)="(\/static\/[^"]+)"/g)].map(([, path]) => path ?? '');
    expect(paths.length).toBeGreaterThan(4);
    for (const path of paths) {
      const file = await browser.get(path);
      expect([file.status, file.headers.get('cache-control')]).toEqual([
        200,
        'public, max-age=31536000, immutable',
      ]);
    }
  });
});
