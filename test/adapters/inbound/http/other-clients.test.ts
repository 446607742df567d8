import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiFixture, openApiFixture } from './api-fixture.ts';

/** What clients written for PiHerder's API do with ours. */
let fixture: ApiFixture;
let token: string;
beforeAll(async () => {
  fixture = await openApiFixture();
  token = await fixture.token(['read', 'jobs', 'edit', 'files']);
  await start({});
});
afterAll(() => fixture.close());

const start = (
  headers: Record<string, string>,
  secret = token,
  body: object = { job_type: 'backup' },
  server = 1,
) =>
  fetch(`${fixture.base}/api/v1/servers/${server}/jobs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

describe('a conflict', () => {
  it.each([
    ['application/json', 'application/json; charset=utf-8'],
    ['text/html, application/json;q=0.9', 'application/json; charset=utf-8'],
    ['application/problem+json, application/json', 'application/problem+json; charset=utf-8'],
    ['*/*', 'application/problem+json; charset=utf-8'],
    ['application/json, */*', 'application/problem+json; charset=utf-8'],
  ])('for a client that accepts %s is %s', async (accept, type) => {
    for (const more of [{}, { 'idempotency-key': `key-${accept.length}` }]) {
      const reply = await start({ accept, ...more });
      expect([reply.status, reply.headers.get('content-type')]).toEqual([409, type]);
      expect(await reply.json()).toMatchObject({ already_active: true, job: { id: 1 } });
    }
  });
});

describe('lists that such clients read whole', () => {
  it.each(['/inventory', '/services'])('%s have 1,000 entries', async (path) => {
    const { json } = await fixture.request(`/api/v1${path}`, { token });
    expect(json.limit).toBe(1_000);
  });
});

describe('the calls of its MCP client', () => {
  type Call = { readonly name: string; readonly send: readonly [string, string, object?] };
  const FILES = '/servers/1/files';
  const ANSWERED: readonly Call[] = [
    { name: 'health', send: ['GET', '/health'] },
    { name: 'summary', send: ['GET', '/summary'] },
    { name: 'list_servers', send: ['GET', '/servers?limit=100&offset=0'] },
    { name: 'get_server', send: ['GET', '/servers/1'] },
    { name: 'inventory', send: ['GET', '/inventory'] },
    { name: 'services', send: ['GET', '/services'] },
    { name: 'list_jobs', send: ['GET', '/jobs?limit=50&active_only=true'] },
    { name: 'get_job', send: ['GET', '/jobs/1?detail=true'] },
    { name: 'set_features', send: ['PATCH', '/servers/1/features', { docker: true }] },
    {
      name: 'trigger_job',
      send: ['POST', '/servers/1/jobs', { job_type: 'os_update_check', source_filter: null }],
    },
    { name: 'list_files', send: ['GET', `${FILES}?p=app`] },
    { name: 'read_file', send: ['GET', `${FILES}/download?p=app/compose.yaml`] },
    { name: 'mkdir', send: ['POST', `${FILES}/mkdir`, { p: 'app', name: 'conf' }] },
    { name: 'rename_file', send: ['POST', `${FILES}/rename`, { p: 'app', src: 'conf', dest: 'etc' }] },
    { name: 'delete_file', send: ['DELETE', `${FILES}?p=app/etc`] },
  ];
  const NOT_OFFERED: readonly Call[] = [
    { name: 'start_move', send: ['POST', '/servers/1/moves', {}] },
    { name: 'list_discovery', send: ['GET', '/discovery'] },
    { name: 'get_discovery', send: ['GET', '/discovery/1'] },
    { name: 'get_discovery_run', send: ['GET', '/discovery/runs/1'] },
    { name: 'start_discovery', send: ['POST', '/discovery', {}] },
  ];

  it.each(ANSWERED)('$name is answered: $send', async ({ send: [method, path, json] }) => {
    const { status } = await fixture.request(`/api/v1${path}`, { method, token, ...(json ? { json } : {}) });
    expect(status).toBeGreaterThanOrEqual(200);
    expect(status).toBeLessThan(300);
  });

  it('write_file is answered: POST of a form', async () => {
    const body = new FormData();
    body.append('p', 'app');
    body.append('file', new Blob(['text']), 'a.txt');
    const headers = { authorization: `Bearer ${token}` };
    const reply = await fetch(`${fixture.base}/api/v1${FILES}`, { method: 'POST', headers, body });
    expect([reply.status, await reply.json()]).toEqual([
      200,
      expect.objectContaining({ ok: true, bytes: 4 }),
    ]);
  });

  it.each(NOT_OFFERED)('$name is not found: $send', async ({ send: [method, path, json] }) => {
    const reply = await fixture.request(`/api/v1${path}`, { method, token, ...(json ? { json } : {}) });
    expect([reply.status, reply.json.code]).toEqual([404, 'not_found']);
  });

  it('are the 21 that the documentation lists', async () => {
    const page = await readFile('docs/how-to/piherder-clients.md', 'utf8');
    const listed = [...page.matchAll(/^\| (`.+?`) \|/gm)].flatMap(([, cell = '']) => cell.split(', '));
    const tested = [...ANSWERED, ...NOT_OFFERED].map(({ name }) => name);
    expect(listed.map((name) => name.slice(1, -1)).sort()).toEqual([...tested, 'write_file'].sort());
    expect(listed).toHaveLength(21);
  });
});

describe('a wrong input', () => {
  const WRONG = { job_type: 'backup', surprise: 1 };
  const problemOf = async (reply: Response) => {
    const { status, code } = (await reply.json()) as { status: number; code: string };
    return [status, code];
  };
  const overMcp = async (secret: string, args: object) => {
    const { result } = (await fixture.rpc(secret, 'tools/call', { name: 'trigger_job', arguments: args }))
      .json;
    const { status, code } = JSON.parse(result.content[0].text);
    return [status, code];
  };

  it('is reported after a feature that is not allowed', async () => {
    const limited = await fixture.token(['read', 'jobs', 'feature:docker']);
    expect(await problemOf(await start({}, limited, WRONG))).toEqual([403, 'feature_not_allowed']);
    expect(await overMcp(limited, { server_id: 1, ...WRONG })).toEqual([403, 'feature_not_allowed']);
  });

  it('is reported after a server that the token has no access to', async () => {
    const limited = await fixture.token(['read', 'jobs'], { allowedServerIds: [2] });
    expect(await problemOf(await start({}, limited, WRONG))).toEqual([404, 'server_not_found']);
    expect(await problemOf(await start({}, token, WRONG, 99))).toEqual([404, 'server_not_found']);
    expect(await overMcp(limited, { server_id: 1, ...WRONG })).toEqual([404, 'server_not_found']);
    const missing = { name: 'get_server', arguments: { server_id: 99, surprise: 1 } };
    const { result } = (await fixture.rpc(limited, 'tools/call', missing)).json;
    expect(JSON.parse(result.content[0].text).code).toBe('server_not_found');
  });

  it('is reported after a feature that is off for the server', async () => {
    const off = { method: 'PATCH', token, json: { docker: false } };
    await fixture.request('/api/v1/servers/1/features', off);
    const wrong = { ...WRONG, job_type: 'container_patch' };
    expect(await problemOf(await start({}, token, wrong))).toEqual([400, 'feature_disabled']);
    expect(await overMcp(token, { server_id: 1, ...wrong })).toEqual([400, 'feature_disabled']);
  });

  it('is reported to those who may do it', async () => {
    expect(await problemOf(await start({}, token, WRONG))).toEqual([422, 'invalid_input']);
    expect(await overMcp(token, { server_id: 1, ...WRONG })).toEqual([422, 'invalid_input']);
  });
});
