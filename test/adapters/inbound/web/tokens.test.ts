import { afterEach, describe, expect, test } from 'vitest';
import { Actor } from '../../../../src/domain/access/actor.ts';
import { callsAt } from '../../../../src/domain/access/token-calls.ts';
import { DAY } from '../../../../src/domain/base/instant.ts';
import { auditEntry } from '../../../../src/domain/events/audit-entry.ts';
import { openWebFixture, type Visitor, type WebFixture } from './web-fixture.ts';

let fixture: WebFixture;
afterEach(() => fixture.close());

const NEW = '/settings/tokens/new';

/** A new token's secret. */
async function made(browser: Visitor, over: Record<string, string | readonly string[]> = {}) {
  const answer = await browser.post(NEW, {
    name: 'mcp-laptop',
    scopes: ['read', 'jobs', 'feature:backup'],
    expires_at: '30d',
    ...over,
  });
  expect(answer.status).toBe(303);
  return new URLSearchParams(answer.location?.split('?')[1]).get('token_secret') ?? '';
}

const administrator = async (options: Parameters<typeof openWebFixture>[0] = {}) => {
  fixture = await openWebFixture(options);
  return fixture.signedIn('administrator');
};

const token = async (id = 1) => fixture.scene.tokens.find(id);

describe('A new token', () => {
  test('is held to the servers that were ticked, or named, until a day', async () => {
    const browser = await administrator();
    for (const name of ['web-1', 'web-2', 'db-1']) await fixture.scene.addServer(name);
    const { text } = await browser.get(NEW);
    expect(text.match(/name="allowed_server_ids" value="\d"/g)).toHaveLength(3);
    await made(browser, {
      servers: 'some',
      allowed_server_ids: ['1', '3'],
      expires_at: 'date',
      expires_on: '2031-05-06',
    });
    expect(await token()).toMatchObject({
      allowedServerIds: [1, 3],
      expiresAt: Date.parse('2031-05-06T23:59:59.999Z'),
    });
    await made(browser, { servers: 'some', allowed_server_ids: 'db-1, 1' });
    expect(await token(2)).toMatchObject({ allowedServerIds: [1, 3] });
  });

  test('asks how its changes are approved in parts that the style sheet hides without such scopes', async () => {
    const { text } = await (await administrator()).get(NEW);
    expect(text).toMatch(/<div class="for-changes">(?:(?!<\/div>).)*name="approval"/s);
    expect(text).toMatch(/<details class="more for-changes">(?:(?!<\/details>).)*approver/s);
  });

  test('is held to the servers that have a tag now, beside those that were ticked', async () => {
    const browser = await administrator();
    const { scene } = fixture;
    for (const name of ['web-1', 'web-2', 'db-1', 'nas']) await scene.addServer(name);
    for (const ids of [['1'], ['2']]) await browser.post('/tags', { ids, add: 'web', remove: '' });
    expect((await browser.get(NEW)).text).toMatch(/name="allowed_tags" value="web".*2 servers/s);
    await made(browser, { servers: 'some', allowed_tags: 'web', allowed_server_ids: ['1', '3'] });
    expect(new Set((await token())?.allowedServerIds)).toEqual(new Set([1, 2, 3]));
    const refused = await browser.post(NEW, {
      name: 'x',
      scopes: 'read',
      servers: 'some',
      allowed_tags: 'none',
    });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('No server has the tag');
    // Tags beside "All" contradict it.
    expect((await browser.post(NEW, { name: 'x', scopes: 'read', allowed_tags: 'web' })).status).toBe(422);
  });

  test('of a large fleet is held to servers by their names', async () => {
    const browser = await administrator();
    for (let i = 0; i < 201; i += 1) await fixture.scene.addServer(`host-${i}`);
    const { text } = await browser.get(NEW);
    expect(text).toContain('Server names or IDs');
    expect(text).not.toContain('host-7');
    await made(browser, { servers: 'some', allowed_server_ids: 'host-7' });
    expect(await token()).toMatchObject({ allowedServerIds: [8] });
  });

  test.each([
    [{ servers: 'some' }, 'Name at least one server'],
    [{ servers: 'all', allowed_server_ids: '1' }, 'Choose either all servers'],
    [{ servers: 'some', allowed_server_ids: 'nope' }, 'There is no server &quot;nope&quot;'],
    [{ servers: 'some', allowed_server_ids: '99' }, 'does not exist'],
    [{ expires_at: 'date', expires_on: '' }, 'Enter the expiry date'],
    [{ expires_at: 'date', expires_on: '2001-01-01' }, 'must be in the future'],
    [{ expires_at: '2026-02-31' }, 'Enter a date'],
    [{ scopes: [] }, 'Name at least one of'],
    [{ name: '' }, 'A name has 1 to 100 characters'],
  ])('that is invalid keeps what was typed: %j', async (over, said) => {
    const browser = await administrator();
    await fixture.scene.addServer('web-1');
    const fields = { name: 'mcp-x', scopes: ['read'], expires_at: '30d', allowed_cidrs: '10.0.0.0/8' };
    const answer = await browser.post(NEW, { ...fields, ...over });
    expect(answer.status).toBe(422);
    expect(answer.text).toContain(said);
    expect(answer.text).toContain('value="10.0.0.0/8"');
    expect(await token()).toBeNull();
  });

  test('has its addresses checked while they are typed', async () => {
    const browser = await administrator();
    const check = async (allowed_cidrs: string) =>
      (await browser.post('/settings/tokens/check-addresses', { allowed_cidrs })).text;
    expect((await browser.get(NEW)).text).toContain('hx-post="/settings/tokens/check-addresses"');
    expect(await check('10.0.0.1/8')).toContain('is not an address range');
    expect(await check('')).toContain('Any address');
    expect(await check('10.0.0.0/8')).toContain('127.0.0.1, is not included');
    expect(await check('127.0.0.0/8, 10.0.0.0/8')).toContain('127.0.0.1, is included');
  });
});

describe('The banner', () => {
  test("shows no secret but Drover's", async () => {
    const browser = await administrator();
    const secret = await made(browser);
    const { text } = await browser.get('/settings/tokens?token_id=1&token_secret=drv_not-one');
    expect(text).not.toContain('drv_not-one');
    const { text: shown, headers } = await browser.get(`/settings/tokens?token_secret=${secret}`);
    expect(shown).toContain(secret);
    // Else the browser would name the address to what the page loads.
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    const links = [...shown.matchAll(/href="([^"]*)" data-install="(\w+)"/g)];
    expect(links.map(([, , client]) => client)).toEqual(['cursor', 'vscode']);
    for (const [, href = ''] of links) expect(href).not.toContain(secret);
  });

  test.each([
    [null, true],
    ['https://drover.example.org', false],
  ])('says that the host is a placeholder where the address is %s', async (publicUrl, told) => {
    const browser = await administrator({ publicUrl });
    expect((await browser.get('/settings/tokens')).text.includes('data-placeholder-host')).toBe(told);
    const settings = (await browser.get('/settings')).text;
    expect(/data-placeholder-host.*?<strong>[^<]*placeholder/.test(settings)).toBe(told);
    expect(settings.includes('SERVICE_PUBLIC_URL=http')).toBe(told);
    const { text } = await browser.get(`/settings/tokens?token_secret=${await made(browser)}`);
    const outside = text.replaceAll(/<pre.*?<\/pre>/gs, '');
    expect(outside.match(/data-placeholder-host/g) ?? []).toHaveLength(told ? 1 : 0);
    expect(outside.includes('data-copy-text="SERVICE_PUBLIC_URL=http')).toBe(told);
    // The list that is asked for again and again.
    expect(text).toContain('hx-get="/live/settings/tokens"');
    expect((await browser.get('/live/settings/tokens')).text).toMatch(/^<div id="list"/);
    const blocks = text.match(/<pre id="snippet-.*?<\/pre>/gs) ?? [];
    expect(blocks).toHaveLength(7);
    for (const block of blocks) expect(block).not.toContain('SERVICE_PUBLIC_URL');
    expect(/data-placeholder-host.*id="snippet-/s.test(text)).toBe(told);
  });
});

test('The page of a token names who created it, without the form of stored names', async () => {
  const browser = await administrator();
  await made(browser);
  const { text } = await browser.get('/settings/tokens/1');
  expect(text).toContain('class="origin"');
  expect(text).not.toContain('by user:');
});

test('A token shows its calls in the list and on its page', async () => {
  const browser = await administrator();
  await made(browser);
  const { scene } = fixture;
  const now = scene.clock.now();
  await scene.tokens.touch(1, now - 2 * DAY, callsAt(now - 2 * DAY, 40));
  await scene.tokens.touch(1, now, callsAt(now, 3));
  const { text } = await browser.get('/settings/tokens');
  expect(text).toMatch(/>3 <span class="quiet">\/ 43<\/span>/);
  expect(text).toContain('aria-label="Calls a day, 7 days: 0, 0, 0, 0, 40, 0, 3"');
  expect((await browser.get('/settings/tokens/1')).text).toMatch(/3 calls in the last 24\s+hours, 43 in all/);
});

test('A token that expires within a week is marked in the list', async () => {
  const browser = await administrator();
  await made(browser);
  const soon = new Date(fixture.scene.clock.now() + 5 * DAY).toISOString().slice(0, 10);
  await made(browser, { expires_at: 'date', expires_on: soon });
  const { text } = await browser.get('/live/settings/tokens');
  const states = text.matchAll(/<td[^>]*class="state"><span class="status (\w+)">.*?<span>([^<]*)<\/span>/gs);
  expect([...states].map(([, tone, word]) => `${tone}: ${word}`).toSorted()).toEqual([
    'care: expires in 6 d',
    'good: active',
  ]);
});

test('Selected tokens are revoked together, the others stay', async () => {
  const browser = await administrator();
  for (let count = 0; count < 3; count += 1) await made(browser);
  const revoked = async () =>
    (await fixture.scene.tokens.list({ limit: 9, offset: 0 })).items
      .filter(({ revokedAt }) => revokedAt !== null)
      .map(({ id }) => id)
      .toSorted((one, other) => one - other);
  const revoke = (ids: readonly string[]) => browser.post('/settings/tokens/revoke', { ids: [...ids] });
  expect((await browser.get('/settings/tokens')).text).toContain('action="/settings/tokens/revoke"');
  expect((await revoke(['1', '3'])).location).toBe('/settings/tokens');
  expect(await revoked()).toEqual([1, 3]);
  // One that is revoked already changes nothing.
  expect((await revoke(['1', '2'])).status).toBe(303);
  expect(await revoked()).toEqual([1, 2, 3]);
  expect((await revoke(['9'])).status).toBe(404);
});

test('The general settings name the variables behind them', async () => {
  const { text } = await (await administrator()).get('/settings');
  for (const name of ['SERVICE_PUBLIC_URL', 'METRICS_BACKUP_STALE_HOURS']) expect(text).toContain(name);
  expect(text).toContain('36 hours');
});

test('The page has the name that leads to it', async () => {
  const browser = await administrator();
  const { text } = await browser.get('/settings');
  const [, side = '', list = ''] =
    /<nav class="side"(.*?)<\/nav>.*<nav class="list-nav"(.*?)<\/nav>/s.exec(text) ?? [];
  for (const navigation of [side, list])
    expect(navigation).toMatch(/href="\/settings\/tokens"(?:(?!<\/a>).)*API management/s);
  expect((await browser.get('/settings/tokens')).text).toMatch(/<h1[^>]*>API management<\/h1>/);
});

describe('Testing a token', () => {
  const attempt = (browser: Visitor, secret: string, address = '') =>
    browser.post('/settings/tokens/test', { secret, address });

  test('says what it may do, and counts as no use', async () => {
    const browser = await administrator();
    const secret = await made(browser);
    const { text } = await attempt(browser, ` Bearer ${secret}\n`);
    expect(text).toContain('This token is accepted from 127.0.0.1.');
    expect(text).toContain('9 of 16: health, summary,');
    expect(text).toContain('Backups only');
    expect(text).toContain('in 30 days');
    expect(text).not.toContain(secret);
    expect(await token()).toMatchObject({ lastUsedAt: null });
  });

  test('says from where it would be refused, in the words that an agent gets', async () => {
    const browser = await administrator();
    const secret = await made(browser, { allowed_cidrs: '203.0.113.0/24' });
    const own = await attempt(browser, secret);
    expect(own.text).toContain('This token is rejected from 127.0.0.1.');
    expect(own.text).toContain('may not be used from 127.0.0.1');
    expect(own.text).toContain('203.0.113.0/24; requests from other addresses are rejected');
    expect((await attempt(browser, secret, '203.0.113.9')).text).toContain('accepted from 203.0.113.9');
  });

  test('distinguishes what an agent cannot', async () => {
    const browser = await administrator();
    const secret = await made(browser);
    await browser.post('/settings/tokens/1/revoke');
    expect((await attempt(browser, secret)).text).toContain('It was revoked on');
    expect((await attempt(browser, 'drv_nonsense')).text).toContain('No token has this secret');
    expect((await attempt(browser, '')).status).toBe(422);
    const nowhere = await attempt(browser, secret, 'x'.repeat(1_000));
    expect([nowhere.status, nowhere.text.includes('Enter an IP address')]).toEqual([422, true]);
    const blind = await made(browser, { scopes: ['jobs'] });
    expect((await attempt(browser, blind)).text).toContain('lacks the scope &quot;read&quot;');
    const short = await made(browser);
    await fixture.scene.clock.advance(31 * 86_400_000);
    const late = await fixture.signedIn('administrator');
    expect((await attempt(late, short)).text).toContain('It expired on');
  });

  test('is written into the audit log, without the secret', async () => {
    const browser = await administrator();
    const secret = await made(browser);
    await attempt(browser, secret);
    const { text } = await browser.get('/settings/tokens/1?audit=to');
    expect(text).toContain('token.try');
    expect(JSON.stringify(await fixture.scene.audit.list({}, { limit: 50, offset: 0 }))).not.toContain(
      secret,
    );
  });
});

describe('A token', () => {
  test('is edited, and what is not touched stays', async () => {
    const browser = await administrator();
    await fixture.scene.addServer('web-1');
    await made(browser, { allowed_cidrs: '10.0.0.0/8', approval: 'client' });
    const before = await token();
    const form = await browser.get('/settings/tokens/1/edit');
    expect(form.text).toContain('value="mcp-laptop"');
    expect(form.text).toContain('value="10.0.0.0/8"');
    expect(form.text.match(/<input type="checkbox"[^>]*checked/g)).toHaveLength(3);
    const answer = await browser.post('/settings/tokens/1/edit', {
      name: 'mcp-desk',
      scopes: ['read'],
      servers: 'some',
      allowed_server_ids: '1',
      expires_at: 'keep',
      approval: 'none',
    });
    expect(answer.location).toBe('/settings/tokens/1');
    expect(await token()).toEqual({
      ...before,
      name: 'mcp-desk',
      scopes: ['read'],
      allowedServerIds: [1],
      serversGrantedBy: { label: 'user:root', userId: 1 },
      allowedCidrs: [],
      requireApproval: false,
      approvalInClient: false,
    });
    expect(before).toMatchObject({ requireApproval: true, approvalInClient: true });
    const wrong = await browser.post('/settings/tokens/1/edit', { name: 'kept', scopes: [] });
    expect([wrong.status, wrong.text.includes('value="kept"')]).toEqual([422, true]);
    expect((await browser.get('/settings/tokens/7/edit')).status).toBe(404);
  });

  test('has a page with what was done with it, and to it, paged', async () => {
    const browser = await administrator();
    await made(browser);
    const agent = new Actor({
      kind: 'token',
      id: 1,
      name: 'mcp-laptop',
      address: '203.0.113.7',
      capabilities: new Set(['read']),
      features: null,
      serverIds: null,
      requireApproval: false,
    });
    for (let i = 1; i <= 30; i += 1)
      await fixture.scene.audit.record(auditEntry(agent, i, 'job.request', `job:${i}`, { note: `n${i}` }));
    const first = await browser.get('/settings/tokens/1');
    expect(first.text).toContain('1 to 25 of 30');
    expect(first.text).toContain('>Job 30<');
    expect(first.text).not.toContain('Token created');
    expect((await browser.get('/settings/tokens/1?offset=25')).text).toContain('>Job 5<');
    expect((await browser.get('/settings/tokens/1?audit=to')).text).toContain('Token created');
    expect((await browser.get('/settings/tokens/2')).status).toBe(404);
  });
});

test('The first call of a new token is shown in the list at once', async () => {
  const browser = await administrator();
  const { text } = await browser.get(`/settings/tokens?token_secret=${await made(browser)}`);
  const asked = /hx-get="(\/live\/settings\/tokens\/1[^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';
  const refreshes = async () => (await browser.get(asked)).text.includes('hx-target="#list"');
  expect(await refreshes()).toBe(false);
  const now = fixture.scene.clock.now();
  await fixture.scene.tokens.touch(1, now, callsAt(now, 1));
  expect(await refreshes()).toBe(true);
});
