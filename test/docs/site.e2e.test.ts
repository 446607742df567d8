import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { buildSite } from '../../scripts/site/build.mjs';
import { ERROR_CODES } from '../../src/domain/base/errors.ts';
import { Person } from '../support/browser.ts';
import { describeWith } from '../support/capabilities.ts';
import { useService } from '../support/service.ts';
import { allPages, ROOT } from './markdown.ts';

const HOUR = 3_600_000;
beforeAll(() => buildSite(), HOUR);

/** The demo starts no jobs on this machine. */
const service = useService(() => ({ settings: { SERVICE_DEMO: '1' } }));
afterAll(() => service().stop());

interface Fetched {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

const get = async (path: string, init: RequestInit = {}): Promise<Fetched> => {
  const reply = await fetch(`${service().url}${path}`, { redirect: 'manual', ...init });
  return { status: reply.status, headers: reply.headers, body: await reply.text() };
};

const linksIn = (html: string): readonly string[] =>
  [...html.matchAll(/<(?:a|link|script|img)\b[^>]*?\b(?:href|src)="([^"]+)"/g)].map(([, link = '']) =>
    link.replaceAll('&amp;', '&'),
  );
const idsIn = (html: string): ReadonlySet<string> =>
  new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => decodeURIComponent(id)));

describe('the documentation that the service serves', () => {
  const pages = new Map<string, Fetched>();

  /** Every page that one gets to from the first. */
  const readAll = async (): Promise<void> => {
    const waiting = ['/docs/'];
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (pages.has(path)) continue;
      const page = await get(path);
      pages.set(path, page);
      if (!page.headers.get('content-type')?.startsWith('text/html')) continue;
      const base = new URL(path, service().url);
      for (const link of linksIn(page.body)) {
        const { origin, pathname } = new URL(link, base);
        if (origin === base.origin && pathname.startsWith('/docs/')) waiting.push(pathname);
      }
    }
  };
  beforeAll(readAll, HOUR);

  it('has all pages, and no link leads nowhere', async () => {
    expect([...pages].filter(([, { status }]) => status !== 200).map(([path]) => path)).toEqual([]);
    const isPage = ({ headers }: Fetched) => headers.get('content-type')?.startsWith('text/html');
    const inDocs = (await allPages()).filter(({ path }) => path.startsWith('docs/'));
    expect([...pages.values()].filter(isPage).length).toBeGreaterThanOrEqual(inDocs.length);
  });

  it('has the heading that each link names', () => {
    const dead = [...pages].flatMap(([path, { body }]) =>
      linksIn(body)
        .map((link) => new URL(link, `http://host${path}`))
        .filter(({ host, hash }) => host === 'host' && hash !== '')
        .filter(({ pathname, hash }) => {
          const target = pages.get(pathname);
          return target !== undefined && !idsIn(target.body).has(decodeURIComponent(hash.slice(1)));
        })
        .map(({ pathname, hash }) => `${path}: ${pathname}${hash}`),
    );
    expect(dead).toEqual([]);
  });

  it('loads nothing from elsewhere, and lets only its own scripts run', () => {
    for (const [path, { headers, body }] of pages) {
      if (!headers.get('content-type')?.startsWith('text/html')) continue;
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy, path).toContain("default-src 'none'");
      expect(policy, path).not.toMatch(/unsafe|https?:|\*/);
      const loaded = [...body.matchAll(/<(?:script|link|img)\b[^>]*?\b(?:src|href)="([^"]+)"/g)];
      expect(
        loaded.filter(([, from = '']) => /^(?:[a-z]+:|\/\/)/.test(from) && !from.startsWith('data:')),
      ).toEqual([]);
      expect(body, path).not.toMatch(/<[^>]+\sstyle="/);
    }
  });

  it('explains each error at the address that the error names', async () => {
    const refused = await get('/api/v1/health');
    const { type, code } = JSON.parse(refused.body) as { type: string; code: string };
    expect(type).toBe(`/docs/errors#${code}`);
    const ids = idsIn((await get('/docs/errors')).body);
    expect(ERROR_CODES.filter((each) => !ids.has(each))).toEqual([]);
  });

  it('has the runbook of each alert', async () => {
    const rules = parse(await readFile(join(ROOT, 'deploy/prometheus/drover-rules.yml'), 'utf8')) as {
      groups: { rules: { annotations: { runbook_url: string } }[] }[];
    };
    const urls = rules.groups.flatMap((group) => group.rules.map((rule) => rule.annotations.runbook_url));
    expect(urls.length).toBeGreaterThan(10);
    for (const url of urls) expect((await get(new URL(url).pathname)).status, url).toBe(200);
  });

  it('takes an address with or without an ending, and none outside', async () => {
    const body = (await get('/docs/how-to/backups')).body;
    for (const path of ['/docs/how-to/backups.html', '/docs/how-to/backups.md'])
      expect((await get(path)).body, path).toBe(body);
    expect((await get('/docs')).headers.get('location')).toBe('/docs/');
    for (const path of [
      '/docs/nothing',
      '/docs/..%2f..%2fpackage.json',
      '/docs/.built-from',
      '/docs//etc/passwd',
    ])
      expect((await get(path)).status, path).toBe(404);
    expect((await get('/docs/', { method: 'POST' })).status).toBe(405);
  });

  it('is not sent again to a browser that has it', async () => {
    const etag = (await get('/docs/errors')).headers.get('etag') ?? '';
    // Else `fetch` says that it wants no kept copy.
    const headers = { 'If-None-Match': etag, 'Cache-Control': 'max-age=0' };
    expect((await get('/docs/errors', { headers })).status).toBe(304);
    const script = [...pages].find(([path]) => /\/assets\/app\..*\.js$/.test(path));
    expect(script?.[1].headers.get('cache-control')).toContain('immutable');
  });
});

describeWith(['chromium'], 'a person who reads the documentation', () => {
  let person: Person;
  beforeAll(async () => {
    person = await Person.sitDown(service().url);
  });
  // It fails if a page asked another host for something or broke the policy.
  afterAll(() => person?.leave());

  it('finds a page by a word, without signing in', async () => {
    const { page } = person;
    await page.goto(`${service().url}/docs/`);
    await page.getByRole('button', { name: 'Search' }).first().click();
    await page.getByPlaceholder('Search').fill('host_key_mismatch');
    await page.locator('.result').first().click();
    await page.locator('.vp-doc', { hasText: 'host_key_mismatch' }).waitFor();
  });
});
