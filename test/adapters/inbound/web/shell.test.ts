import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { iconFiles } from '../../../../scripts/lib/icon-files.ts';
import { ICON_FILE } from '../../../../src/adapters/inbound/web/components/icon-file.ts';
import { TOASTS } from '../../../../src/adapters/inbound/web/toasts.ts';
import { type House, openHouse, type Visitor } from './house.ts';

let house: House;
let administrator: Visitor;
beforeAll(async () => {
  house = await openHouse();
  administrator = await house.signedIn('administrator');
});
afterAll(() => house.close());

/** Actions that answer with a page or a part, not with a redirect, and those of signing in and of files. */
const SAID_BY_PAGE =
  /^\/(?:sign-|code|confirm|welcome|account\/(?:totp|recovery)|.*\/(?:check-|test$|preview)|servers\/:id\/files)/;

const HTML = { Accept: 'text/html,application/xhtml+xml;q=0.9' };
const MAX_FIRST_VIEW_BYTES = 90_000;
const MAX_REQUESTS = 8;

/** As it goes over the wire: `fetch` would unpack it. */
async function onTheWire(path: string, visitor: Visitor, accepts: string): Promise<Buffer> {
  const { request } = await import('node:http');
  return new Promise((resolve, reject) => {
    const headers = { Cookie: visitor.cookie, 'Accept-Encoding': accepts };
    request(`${house.base}${path}`, { headers }, (reply) => {
      const parts: Buffer[] = [];
      reply.on('data', (part: Buffer) => parts.push(part));
      reply.on('end', () => resolve(Buffer.concat(parts)));
    })
      .on('error', reject)
      .end();
  });
}

/** What a browser asks for besides the page. */
function neededBy(html: string): readonly string[] {
  const named = [...html.matchAll(/(?:src|href)="(\/(?:static\/[^"#]+|manifest\.webmanifest))/g)];
  const paths = new Set(named.map(([, path]) => path ?? ''));
  // Only devices that install the app ask for it.
  return [...paths].filter((path) => !path.includes('icon-192'));
}

describe('What a first view loads', () => {
  test('is small and few', async () => {
    const html = gunzipSync(await onTheWire('/', administrator, 'gzip, deflate, br')).toString();
    const needed = neededBy(html);
    expect(needed.length + 1).toBeLessThanOrEqual(MAX_REQUESTS);
    const all = await Promise.all(['/', ...needed].map((path) => onTheWire(path, administrator, 'gzip, br')));
    expect(all.reduce((sum, { length }) => sum + length, 0)).toBeLessThan(MAX_FIRST_VIEW_BYTES);
  });

  test('is the same in any encoding, and plain for who takes none', async () => {
    const { text } = await administrator.get('/sign-in', { 'Accept-Encoding': 'identity' });
    const style = /href="(\/static\/[^"]+\.css)"/.exec(text)?.[1] ?? '';
    const plain = await onTheWire(style, administrator, 'identity');
    expect(brotliDecompressSync(await onTheWire(style, administrator, 'gzip, br'))).toEqual(plain);
    expect(gunzipSync(await onTheWire(style, administrator, 'gzip;q=0.5, br;q=0'))).toEqual(plain);
  });

  test('keeps pages that can hold a secret uncompressed', async () => {
    for (const path of ['/settings/tokens', '/account/totp', '/settings/users']) {
      const page = await onTheWire(path, administrator, 'gzip, br');
      expect([path, page.subarray(0, 9).toString()]).toEqual([path, '<!doctype']);
    }
  });
});

describe('A wrong address', () => {
  test('is a page in the frame for a browser', async () => {
    const answer = await administrator.get('/nowhere', HTML);
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-type')).toContain('text/html');
    expect(answer.text).toContain('aria-label="Main"');
    expect(answer.text).toContain('href="/search"');
    expect((await house.browser().get('/nowhere', HTML)).text).not.toContain('aria-label="Main"');
  });

  test.each([
    ['/nowhere', { Accept: '*/*' }],
    ['/api/v1/nowhere', HTML],
  ])('%s stays a problem document for programs', async (path, headers) => {
    const answer = await administrator.get(path, headers);
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
  });
});

describe('The sidebar', () => {
  test.each([
    ['/servers', 'Servers'],
    ['/batches', 'Jobs'],
    ['/schedules', 'Schedules'],
    ['/windows', 'Maintenance'],
    ['/settings/tokens', 'Agents &amp; API'],
    ['/settings/users', 'Settings'],
    ['/audit', 'Audit log'],
  ])('says at %s that one is in %s', async (path, label) => {
    const { text } = await administrator.get(path);
    const side = /<nav class="side".*?<\/nav>/s.exec(text)?.[0] ?? '';
    const current = [...side.matchAll(/<a [^>]*aria-current="page"[^>]*>.*?<\/a>/gs)];
    expect(current.map(([link]) => link.replaceAll(/<[^>]+>/g, ''))).toEqual([
      expect.stringMatching(new RegExp(`^${label}\\d*$`)),
    ]);
  });

  test('shows no user a page that is closed to them', async () => {
    const { text } = await (await house.signedIn('viewer')).get('/');
    expect(text).not.toContain('href="/settings/tokens"');
    expect(text).not.toContain('href="/audit"');
  });

  test('changes the theme, and leads back to the page that one is on', async () => {
    const viewer = await house.signedIn('viewer');
    const change = (back: string) => viewer.post('/settings/appearance', { theme: 'dark', back });
    expect((await change('/servers')).location).toBe('/servers');
    expect((await viewer.get('/')).text).toContain('data-theme="dark"');
    for (const back of ['//evil.example', '/\\evil.example', 'https://evil.example'])
      expect((await change(back)).location).toBe('/settings');
  });
});

describe('The search', () => {
  const hitsOf = (html: string): readonly string[] =>
    [...html.matchAll(/<a href="([^"]+)" id="hit-/g)].map(([, href]) => href ?? '');

  test('finds servers, their jobs, pages and actions', async () => {
    const { id } = await house.scene.addServer('needle', { backup: true });
    const found = hitsOf((await administrator.get('/live/search?q=need')).text);
    expect(found).toContain(`/servers/${id}`);
    expect(found).toContain(`/servers/${id}/jobs/new?type=backup`);
    expect(hitsOf((await administrator.get('/search?q=audit')).text)).toEqual(['/audit']);
    expect(hitsOf((await administrator.get('/live/search?q=%23227')).text)[0]).toBe('/jobs/227');
    expect(hitsOf((await administrator.get('/live/search?q=new+token')).text)).toEqual([
      '/settings/tokens/new',
    ]);
  });

  test('offers a viewer nothing that only others may do', async () => {
    const viewer = await house.signedIn('viewer');
    await house.scene.addServer('haystack', { backup: true });
    const found = hitsOf((await viewer.get('/live/search?q=hay')).text);
    expect(found.filter((href) => href.includes('/new'))).toEqual([]);
    expect(hitsOf((await viewer.get('/live/search?q=')).text)).not.toContain('/audit');
  });

  test('says so if nothing is found, and writes the query as text', async () => {
    const { text } = await administrator.get('/search?q=%3Cb%3Enothing');
    expect(hitsOf(text)).toEqual([]);
    expect(text).not.toContain('<b>nothing');
  });
});

describe('What was just done', () => {
  test('is said once, on the page that comes', async () => {
    const { id } = await house.scene.addServer('renamed', {});
    const saved = await administrator.post(`/servers/${id}/settings/features`, { os_patch: 'on' });
    expect(saved.status).toBe(303);
    const cookie = saved.headers.getSetCookie().find((each) => each.startsWith('drover-flash='));
    expect(cookie).toMatch(/; HttpOnly; SameSite=Lax; Secure$/);
    expect((await administrator.get('/servers')).text).toMatch(/<p class="toast">.*Features saved/);
    expect((await administrator.get('/servers')).text).not.toContain('class="toast"');
  });

  test('is refused with a wrong signature', async () => {
    const text = Buffer.from('Send your password to me').toString('base64url');
    const headers = { Cookie: `${administrator.cookie}; drover-flash=${text}.${'A'.repeat(43)}` };
    expect((await administrator.get('/servers', headers)).text).not.toContain('class="toast"');
  });

  test('is decided for every action', () => {
    const actions = house.routes.filter(({ method }) => method === 'POST').map(({ path }) => path);
    const unsaid = Object.keys(TOASTS).filter((path) => !actions.includes(path));
    expect(unsaid).toEqual([]);
    expect(actions.filter((path) => !(path in TOASTS) && !SAID_BY_PAGE.test(path))).toEqual([]);
  });
});

describe('The icons', () => {
  test('are those of the package', () => {
    for (const { path, text } of iconFiles()) {
      const kept = readFileSync(fileURLToPath(new URL(`../../../../${path}`, import.meta.url)), 'utf8');
      expect([path, kept === text]).toEqual([path, true]);
    }
  });

  test('are served at the address that pages name', async () => {
    expect((await administrator.get(ICON_FILE)).headers.get('content-type')).toBe('image/svg+xml');
  });
});
