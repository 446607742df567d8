import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenApiDocument } from '../../../../src/adapters/inbound/api/openapi/types.ts';
import { html } from '../../../../src/adapters/inbound/http/reference/html.ts';
import { referencePage } from '../../../../src/adapters/inbound/http/reference/page.ts';
import { ERROR_CODES } from '../../../../src/domain/base/errors.ts';
import { DOCUMENT, DOCUMENTED } from './documented.ts';
import { type Doors, openDoors } from './doors.ts';

let doors: Doors;
let page: string;
beforeAll(async () => {
  doors = await openDoors();
  page = (await doors.request('/api/docs')).text;
});
afterAll(() => doors.close());

const all = (text: string, pattern: RegExp): string[] =>
  Array.from(text.matchAll(pattern), ([, found = '']) => found);

describe('the reference page', () => {
  it('is public, may show nothing but itself, and is sent once', async () => {
    const reply = await doors.request('/api/docs');
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(reply.headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    const style = await doors.request('/api/docs/style.css');
    expect(style.headers.get('content-type')).toBe('text/css; charset=utf-8');
    expect(style.text).toContain('prefers-color-scheme: dark');
    for (const [path, { headers }] of Object.entries({ '/api/docs': reply, '/api/docs/style.css': style })) {
      const again = await doors.request(path, { headers: { 'if-none-match': headers.get('etag') ?? '' } });
      expect(again).toMatchObject({ status: 304, text: '' });
      expect((await doors.request(path, { method: 'POST' })).status).toBe(405);
    }
  });

  it('needs no script, no inline style and nothing from elsewhere', () => {
    expect(page).not.toMatch(/<script|<style|<iframe|<img| style=| on\w+=|javascript:/i);
    expect(page.match(/<link [^>]*>/g)).toEqual(['<link rel="stylesheet" href="/api/docs/style.css">']);
    for (const href of all(page, /href="([^"]*)"/g)) expect(href).toMatch(/^(#|\/api\/)/);
  });

  it('takes little of a slow line: browsers get it packed, others as it is', async () => {
    const packed = await fetch(`${doors.base}/api/docs`, { headers: { 'accept-encoding': 'gzip' } });
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    expect(packed.headers.get('vary')).toBe('Accept-Encoding');
    expect(Number(packed.headers.get('content-length'))).toBeLessThan(50_000);
    expect(await packed.text()).toBe(page);
    const plain = await fetch(`${doors.base}/api/docs`, { headers: { 'accept-encoding': 'identity' } });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(plain.headers.get('etag')).not.toBe(packed.headers.get('etag'));
  });

  it('has an anchor for everything that it links to, each once', () => {
    const ids = all(page, / id="([^"]*)"/g);
    expect(new Set(ids).size).toBe(ids.length);
    for (const href of all(page, /href="#([^"]*)"/g)) expect(ids).toContain(href);
  });

  it('shows every operation with its address and a command to paste', () => {
    for (const { operation, path } of DOCUMENTED) {
      const start = page.indexOf(`<section class="operation" id="${operation.operationId}">`);
      const section = page.slice(start, page.indexOf('</section>', start));
      expect(start, path).toBeGreaterThan(0);
      expect(section).toContain(`<code>/api/v1${path === '/' ? '' : path}</code>`);
      expect(section).toContain('curl -s ');
      expect(page).toContain(`<a href="#${operation.operationId}"><span class="method`);
    }
  });

  it('names every code that a reply can carry', () => {
    const shown = all(page, /id="error-(\w+)"/g);
    expect(shown).toEqual(Object.keys(DOCUMENT['x-error-codes']));
    expect(shown).toEqual(
      expect.arrayContaining(['not_found', 'job_already_active', 'idempotency_key_reused']),
    );
    for (const code of shown) expect(ERROR_CODES).toContain(code);
  });

  it('closes what it opens', () => {
    const open: string[] = [];
    for (const [, end, tag = ''] of page.matchAll(/<(\/?)([a-z][a-z0-9]*)\b[^>]*>/g)) {
      if (['meta', 'link'].includes(tag)) continue;
      if (end) expect(open.pop()).toBe(tag);
      else open.push(tag);
    }
    expect(open).toEqual([]);
  });

  it('shows hostile text as text', () => {
    const hostile = '"><script>alert(1)</script>\' onload=x &amp; `<b>`';
    const poisoned = JSON.parse(
      JSON.stringify(DOCUMENT).replaceAll(
        /"(summary|description|title|message|meaning|source|label|example)":"(?:[^"\\]|\\.)*"/g,
        (_, key: string) => `"${key}":${JSON.stringify(hostile)}`,
      ),
    ) as OpenApiDocument;
    const shown = referencePage(poisoned);
    expect(shown).toContain('&#60;script&#62;alert(1)');
    expect(shown).not.toMatch(/<script|<b>x|onload=x "/);
    expect(shown.match(/<[a-z]+ [^>]*onload/g)).toBeNull();
  });
});

describe('a template', () => {
  it('escapes text, keeps pieces, joins lists, and leaves out nothing', () => {
    const piece = html`<b>${'a<b>&"\''}</b>`;
    expect(piece.text).toBe('<b>a&#60;b&#62;&#38;&#34;&#39;</b>');
    expect(html`<p title="${'"'}">${[piece, ' ', ['x', 0]]}${null}${undefined}${false}${''}</p>`.text).toBe(
      `<p title="&#34;">${piece.text} x0</p>`,
    );
  });
});
