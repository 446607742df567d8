import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { transformSync } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { iconFiles } from '../../../../scripts/lib/icon-files.ts';
import { STATIC_FILES } from '../../../../src/adapters/bootstrap/version.ts';
import { ICON_FILE } from '../../../../src/adapters/inbound/web/components/icon-file.ts';
import { redirect } from '../../../../src/adapters/inbound/web/route.ts';
import { TOASTS, toastOf } from '../../../../src/adapters/inbound/web/toasts.ts';
import { requestFor, Witness } from '../../../contracts/backup-engine.contract.ts';
import { FakeRemoteHosts } from '../../../fakes/fake-remote-hosts.ts';
import { onTheWire as fromWire, neededBy } from '../../../support/first-view.ts';
import { containerOf, inventoryOf } from '../../../support/inventories.ts';
import { openWebFixture, type Visitor, type WebFixture } from './web-fixture.ts';

let fixture: WebFixture;
let administrator: Visitor;
beforeAll(async () => {
  fixture = await openWebFixture();
  administrator = await fixture.signedIn('administrator');
});
afterAll(() => fixture.close());

/** Actions that answer with a page or a part, not with a redirect, and those of signing in and of files. */
const SAID_BY_PAGE =
  /^\/(?:sign-|code|confirm|welcome|account\/(?:totp|recovery)|.*\/(?:check-|test$|preview)|servers\/:id\/files)/;

const HTML = { Accept: 'text/html,application/xhtml+xml;q=0.9' };
const MAX_FIRST_VIEW_BYTES = 90_000;
const MAX_REQUESTS = 8;

const onTheWire = (path: string, visitor: Visitor, accepts: string): Promise<Buffer> =>
  fromWire(`${fixture.base}${path}`, { Cookie: visitor.cookie, 'Accept-Encoding': accepts });

test('The sheet of phones starts with the alerts, without the entries of the bar', async () => {
  const { text } = await administrator.get('/');
  const sheet = /<nav class="side".*?<\/nav>/s.exec(text)?.[0] ?? '';
  const bar = /<nav class="tabbar".*?<\/nav>/s.exec(text)?.[0] ?? '';
  const inBar = [...bar.matchAll(/<a href="([^"]+)"/g)].map(([, href]) => href);
  const places = [...sheet.matchAll(/<a class="(place[^"]*)" href="([^"]+)"/g)];
  expect(places.filter(([, kind]) => kind === 'place desk').map(([, , href]) => href)).toEqual(inBar);
  expect(places.find(([, kind]) => kind === 'place')?.[2]).toBe('/notifications');
});

describe('What a first view loads', () => {
  test.each(['/', '/sign-in'])('at %s is small and few, with the font', async (path) => {
    const visitor = path === '/' ? administrator : fixture.browser();
    const page = await onTheWire(path, visitor, 'gzip, deflate, br');
    const isPlain = page.subarray(0, 1).toString() === '<';
    const needed = neededBy((isPlain ? page : gunzipSync(page)).toString());
    expect(needed).toContainEqual(expect.stringMatching(/\.woff2$/));
    expect(needed.length + 1).toBeLessThanOrEqual(MAX_REQUESTS);
    const all = await Promise.all([path, ...needed].map((each) => onTheWire(each, visitor, 'gzip, br')));
    expect(all.reduce((sum, { length }) => sum + length, 0)).toBeLessThan(MAX_FIRST_VIEW_BYTES);
  });

  test('is the same in any encoding, and plain for who takes none', async () => {
    const { text } = await administrator.get('/sign-in', { 'Accept-Encoding': 'identity' });
    const style = /href="(\/static\/[^"]+\.css)"/.exec(text)?.[1] ?? '';
    const plain = await onTheWire(style, administrator, 'identity');
    expect(brotliDecompressSync(await onTheWire(style, administrator, 'gzip, br'))).toEqual(plain);
    expect(gunzipSync(await onTheWire(style, administrator, 'gzip;q=0.5, br;q=0'))).toEqual(plain);
  });

  test('is the style sheet and script of the sources, without comments and formatting', async () => {
    const { text } = await administrator.get('/sign-in', { 'Accept-Encoding': 'identity' });
    const served = async (type: 'css' | 'js'): Promise<string> => {
      const path = new RegExp(`(?:src|href)="(/static/[^"]+/app\\.${type})"`).exec(text)?.[1] ?? '';
      return (await onTheWire(path, administrator, 'identity')).toString();
    };
    const source = (file: string): string => readFileSync(join(STATIC_FILES, file), 'utf8');
    const same = (code: string, loader: 'css' | 'js'): string =>
      transformSync(code, { loader, minifyWhitespace: true })
        .code.replaceAll(/(--[\w-]+):\s+/g, '$1:')
        .replaceAll(', ', ',')
        .replaceAll(/(?<=[ ,(:-])0\.(?=\d)/g, '.')
        .trim();
    for (const name of readdirSync(join(STATIC_FILES, 'css')))
      expect(same(await served('css'), 'css')).toContain(same(source(`css/${name}`), 'css'));
    for (const name of ['forms', 'tables', 'live', 'shell'])
      expect(same(await served('js'), 'js')).toContain(same(`(() => {${source(`js/${name}.js`)}})();`, 'js'));
  });

  test('keeps pages that can hold a secret uncompressed', async () => {
    for (const path of ['/settings/tokens', '/account/totp', '/settings/users']) {
      const page = await onTheWire(path, administrator, 'gzip, br');
      expect([path, page.subarray(0, 9).toString()]).toEqual([path, '<!doctype']);
    }
  });
});

test('The title of each page about a server is its own', async () => {
  const { id } = await fixture.scene.addServer('web-title');
  const titleAt = async (path: string) =>
    /<title>(.*?)<\/title>/.exec((await administrator.get(`/servers/${id}${path}`)).text)?.[1];
  expect([await titleAt(''), await titleAt('/settings')]).toEqual([
    'web-title · Drover',
    'Settings · web-title · Drover',
  ]);
});

describe('A wrong address', () => {
  test('is a page in the frame for a browser', async () => {
    const answer = await administrator.get('/nowhere', HTML);
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-type')).toContain('text/html');
    expect(answer.text).toContain('aria-label="Main"');
    expect(answer.text).toMatch(/<form method="get" action="\/search"[^>]*role="search"/);
    expect(answer.text).toMatch(/<nav class="choices"[^>]*>.*href="\/servers".*href="\/backups"/s);
    expect((await fixture.browser().get('/nowhere', HTML)).text).not.toContain('aria-label="Main"');
  });

  test.each([
    ['/servers/1/settings/name', '/servers/1/settings'],
    ['/servers/1/start', '/servers/1'],
    ['/logout', null],
  ])('%s, if only a form is sent there, leads to %s', async (path, page) => {
    expect((await administrator.get(path, HTML)).location).toBe(page);
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
    ['/settings/repositories', 'Repositories'],
    ['/settings/tokens', 'API management'],
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
    const { text } = await (await fixture.signedIn('viewer')).get('/');
    expect(text).not.toContain('href="/settings/tokens"');
    expect(text).not.toContain('href="/audit"');
  });

  test('changes the theme, and leads back to the page that one is on', async () => {
    const viewer = await fixture.signedIn('viewer');
    const change = (back: string) => viewer.post('/settings/appearance', { theme: 'dark', back });
    expect((await change('/servers')).location).toBe('/servers');
    expect((await viewer.get('/')).text).toContain('data-theme="dark"');
    for (const back of ['//evil.example', '/\\evil.example', 'https://evil.example'])
      expect((await change(back)).location).toBe('/settings');
  });
});

test('The height of rows is kept in the browser', async () => {
  const viewer = await fixture.signedIn('viewer');
  expect((await viewer.get('/servers')).text).not.toContain('data-density=');
  const change = await viewer.post('/settings/appearance', { density: 'compact', back: '/servers' });
  expect(change.location).toBe('/servers');
  expect((await viewer.get('/jobs')).text).toContain('data-density="compact"');
  expect((await viewer.post('/settings/appearance', { density: 'huge' })).status).toBe(422);
});

describe('The search', () => {
  const hitsOf = (html: string): readonly string[] =>
    [...html.matchAll(/<a href="([^"]+)" id="hit-/g)].map(([, href]) => href ?? '');

  test('finds servers, their jobs, pages and actions', async () => {
    const { id } = await fixture.scene.addServer('needle', { backup: true });
    const found = hitsOf((await administrator.get('/live/search?q=need')).text);
    expect(found).toContain(`/servers/${id}`);
    expect(found).toContain(`/servers/${id}/jobs/new?type=backup`);
    expect(hitsOf((await administrator.get('/search?q=audit')).text)).toEqual(['/audit']);
    expect(hitsOf((await administrator.get('/live/search?q=%23227')).text)[0]).toBe('/jobs/227');
    expect(hitsOf((await administrator.get('/live/search?q=new+token')).text)).toEqual([
      '/settings/tokens/new',
    ]);
  });

  test.each([
    ['add server', '/servers/new'],
    ['update', '/batches/new?type=os_patch'],
    ['Restore', '/backups'],
    ['reboot', '/batches/new?type=host_reboot'],
    ['run job', '/batches/new'],
  ])('finds the action "%s" without a server', async (q, href) => {
    const { text } = await administrator.get(`/live/search?q=${encodeURIComponent(q)}`);
    expect(hitsOf(text)).toContain(href);
  });

  test('finds packages, containers, CVEs, lists and pages of the settings', async () => {
    const { id } = await fixture.scene.addServer('softly', {});
    const openssl = { name: 'openssl', version: '3', source: 'openssl', sourceVersion: '3' };
    await fixture.scene.packages.save(id, 'debian:12', [openssl]);
    await fixture.scene.inventories.save(
      id,
      inventoryOf({ containers: [containerOf({ name: 'shop-cache-1' })] }),
    );
    const first = async (q: string) =>
      hitsOf((await administrator.get(`/live/search?q=${encodeURIComponent(q)}`)).text)[0];
    expect(await first('openssl')).toBe('/packages?q=openssl');
    expect(await first('shop-cache')).toBe(`/servers/${id}/containers#container-shop-cache-1`);
    expect(await first('cve-2025-9230')).toBe('/packages?q=CVE-2025-9230');
    expect(await first('vulnerab')).toBe('/packages/cves');
    expect(await first('fingerprint')).toBe('/settings/keys');
  });

  test('finds what to do with a server by a verb and its name, and puts what fits best first', async () => {
    const { id } = await fixture.scene.addServer('vault-07', { backup: true });
    const first = async (q: string) =>
      hitsOf((await administrator.get(`/live/search?q=${encodeURIComponent(q)}`)).text)[0];
    expect(await first('back up vault')).toBe(`/servers/${id}/jobs/new?type=backup`);
    expect(await first('vault-07 reboot')).toBe(`/servers/${id}/jobs/new?type=host_reboot`);
    expect(await first('jobs vault')).toBe(`/servers/${id}/jobs`);
    expect(await first('vault7')).toBe(`/servers/${id}`);
    expect(await first('schedules')).toBe('/schedules');
    expect(await first('shedules')).not.toBe(`/servers/${id}`);
    const viewer = await fixture.signedIn('viewer');
    expect(hitsOf((await viewer.get('/live/search?q=back+up+vault')).text)).not.toContain(
      `/servers/${id}/jobs/new?type=backup`,
    );
  });

  test('starts with what the user did last, and says for which query the results are', async () => {
    const { id } = await fixture.scene.addServer('recently', { backup: true });
    await fixture.scene.addSource(id, 'files');
    await administrator.post(`/servers/${id}/backups`, {});
    const { text } = await administrator.get('/live/search?q=');
    expect(hitsOf(text)[0]).toBe(`/servers/${id}`);
    expect((await administrator.get('/live/search?q=recent')).text).toContain('data-found="recent"');
  });

  test('finds schedules, backup sources and tokens by name, tokens for administrators', async () => {
    const { scene } = fixture;
    const { id } = await scene.addServer('sourced', { backup: true });
    await scene.addSource(id, 'thread-files');
    await administrator.post('/schedules/new', {
      type: 'backup',
      name: 'thread-nightly',
      cron: '30 2 * * *',
      time_zone: 'UTC',
      selector: 'ids',
      servers: 'sourced',
      tags: '',
      max_parallel: '10',
      canary: '0',
      stop_after_failures: '',
      jitter: '0',
    });
    await administrator.post('/settings/tokens/new', { name: 'thread-agent', scopes: 'read' });
    const found = async (visitor: Visitor) =>
      hitsOf((await visitor.get('/live/search?q=thread')).text).map((href) => href.replace(/\d+/, ':id'));
    const open = ['/schedules/:id', '/servers/:id/sources#thread-files'];
    expect(await found(administrator)).toEqual([...open, '/settings/tokens/:id']);
    expect(await found(await fixture.signedIn('viewer'))).toEqual(open);
  });

  test('finds maintenance windows, repositories, and snapshots by source and server', async () => {
    const { scene, stock } = fixture;
    const { id } = await scene.addServer('keeper-01', { backup: true });
    const source = await scene.addSource(id, 'ledger');
    stock.engine.files.set('/etc/hosts', 'x');
    const request = requestFor(new FakeRemoteHosts().host('keeper-01').session(), source);
    const kept = await scene.snapshots.add(await stock.engine.backup(request, new Witness()));
    const when = { cron: '0 2 * * 0', time_zone: 'UTC', duration: '2', selector: 'all' };
    await administrator.post('/windows/new', { name: 'sunday-night', ...when });
    const url = 'rest:https://backup.example.org/far';
    await administrator.post('/settings/new-repository', {
      name: 'faraway',
      url,
      password: 'between the lines',
    });
    const found = async (q: string, visitor = administrator) =>
      hitsOf((await visitor.get(`/live/search?${new URLSearchParams({ q })}`)).text);
    const viewer = await fixture.signedIn('viewer');
    for (const q of ['snapshot keeper-01', 'keeper-01 ledger', 'snapshots ledger', 'snap keep'])
      expect([q, await found(q, viewer)]).toEqual([q, expect.arrayContaining([`/snapshots/${kept.id}`])]);
    expect(await found('ledger', viewer)).not.toContain(`/snapshots/${kept.id}`);
    expect((await found('sunday-night'))[0]).toBe('/windows/1/edit');
    expect((await found('sunday', viewer))[0]).toBe('/windows');
    expect((await found('faraway'))[0]).toBe('/settings/repositories/faraway');
    expect(await found('faraway', viewer)).toEqual([]);
  });

  test('offers a viewer nothing that only others may do', async () => {
    const viewer = await fixture.signedIn('viewer');
    await fixture.scene.addServer('haystack', { backup: true });
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

/** A server with a file root; the same one each time. */
async function filesAt(jail: string): Promise<{ readonly id: number }> {
  const known = (await fixture.scene.servers.list({}, { limit: 50, offset: 0 })).items.find(
    ({ name }) => name === 'filed',
  );
  if (known) return known;
  const made = await fixture.scene.addServer('filed', {});
  await fixture.scene.servers.change(made.id, { jail }, 0, () => ({}));
  return made;
}

const ANY = {
  method: 'POST',
  path: '/servers/:id/files/delete',
  needs: 'nobody',
  handle: () => redirect('/'),
} as const;

describe('What was just done', () => {
  test('is said once, on the page that comes', async () => {
    const { id } = await fixture.scene.addServer('renamed', {});
    const saved = await administrator.post(`/servers/${id}/settings/features`, { os_patch: 'on' });
    expect(saved.status).toBe(303);
    const cookie = saved.headers.getSetCookie().find((each) => each.startsWith('drover-flash='));
    expect(cookie).toMatch(/; HttpOnly; SameSite=Lax; Secure$/);
    expect((await administrator.get('/servers')).text).toMatch(
      /<div class="toast">.*Features saved: renamed/,
    );
    expect((await administrator.get('/servers')).text).not.toContain('class="toast"');
  });

  test('is refused with a wrong signature', async () => {
    const text = Buffer.from('Send your password to me').toString('base64url');
    const headers = { Cookie: `${administrator.cookie}; drover-flash=${text}.${'A'.repeat(43)}` };
    expect((await administrator.get('/servers', headers)).text).not.toContain('class="toast"');
  });

  test.each([
    ['mkdir', { p: '', name: 'made' }, 'Directory created: made'],
    ['new', { p: '', name: 'a.conf', text: 'x' }, 'File created: a.conf'],
    ['rename', { p: 'a.conf', dest: 'b.conf' }, 'Renamed: a.conf to b.conf'],
    ['delete', { p: 'b.conf' }, 'Deleted: b.conf'],
  ])('names the file: %s', async (action, fields, words) => {
    fixture.stock.files.directory('/srv/app');
    const { id } = await filesAt('/srv/app');
    expect((await administrator.post(`/servers/${id}/files/${action}`, fields)).status).toBe(303);
    expect((await administrator.get('/servers')).text).toMatch(new RegExp(`<div class="toast">.*${words}<`));
  });

  test('is short, also of long names', async () => {
    const saved = await administrator.post('/settings/appearance', { theme: 'dark', back: '/settings' });
    expect(saved.status).toBe(303);
    expect(toastOf(ANY, { kind: 'redirect', to: '/', about: 'x'.repeat(4_000) })?.words).toHaveLength(
      'Deleted: '.length + 121,
    );
  });

  // Houses fail each redirect of a route with words that names no object, in all tests of pages.
  test('is decided for every action', () => {
    const actions = fixture.routes.filter(({ method }) => method === 'POST').map(({ path }) => path);
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
