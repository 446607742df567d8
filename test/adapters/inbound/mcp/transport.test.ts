import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VERSION } from '../../../../src/adapters/bootstrap/version.ts';
import { MAX_BODY_BYTES } from '../../../../src/adapters/inbound/http/body.ts';
import { type ApiFixture, type Ask, openApiFixture } from '../http/api-fixture.ts';

let fixture: ApiFixture;
let token: string;
beforeAll(async () => {
  fixture = await openApiFixture({
    publicUrl: 'https://Drover.example:8443',
    allowedHosts: ['service.example', 'a.example'],
  });
  token = await fixture.token(['read', 'jobs']);
});
afterAll(() => fixture.close());

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };
const send = (init: Ask) => fixture.request('/mcp', { method: 'POST', token, json: PING, ...init });

describe('methods at /mcp', () => {
  it.each(['GET', 'HEAD', 'DELETE', 'PUT', 'PATCH'])(
    '%s is not allowed, with a token or without',
    async (method) => {
      for (const headers of [{}, { authorization: `Bearer ${token}`, accept: 'text/event-stream' }]) {
        const reply = await fixture.request('/mcp', { method, headers });
        expect(reply.status).toBe(405);
        expect(reply.headers.get('allow')).toBe('POST, OPTIONS');
        expect(reply.headers.get('www-authenticate')).toBeNull();
      }
    },
  );

  it('OPTIONS says what is', async () => {
    const reply = await fixture.request('/mcp', {
      method: 'OPTIONS',
      headers: { origin: 'http://evil.example' },
    });
    expect(reply).toMatchObject({ status: 204, text: '' });
    expect(reply.headers.get('allow')).toBe('POST, OPTIONS');
    expect(reply.headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('tokens at /mcp', () => {
  it('are wanted in exactly this form', async () => {
    const reply = await fixture.request('/mcp', { method: 'POST', json: PING });
    expect(reply.status).toBe(401);
    expect(reply.headers.get('www-authenticate')).toBe('Bearer');
    expect(reply.json).toMatchObject({ status: 401, code: 'unauthorized' });
  });

  it.each([
    [
      'initialize',
      { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    ],
    ['ping', undefined],
    ['tools/list', undefined],
    ['tools/call', { name: 'health' }],
    ['tools/call', { name: 'trigger_job', arguments: { server_id: 1, job_type: 'backup' } }],
    ['resources/list', undefined],
    ['server/discover', undefined],
  ])('without the scope to read get an error for %s, and no dialogue', async (method, params) => {
    for (const scopes of [['jobs'], ['edit', 'files'], ['jobs', 'feature:os']]) {
      const reply = await fixture.rpc(await fixture.token(scopes), method, params);
      expect(reply).toMatchObject({
        status: 200,
        json: { jsonrpc: '2.0', id: 1, error: { code: -32001, data: { code: 'read_scope_missing' } } },
      });
    }
  });
});

describe('the address of the endpoint', () => {
  it('may end in a slash', async () => {
    for (const path of ['/mcp', '/mcp/']) {
      const asked = { method: 'POST', headers: { authorization: `Bearer ${token}` }, json: PING };
      expect(await fixture.request(path, asked), path).toMatchObject({ status: 200, json: { result: {} } });
      expect((await fixture.request(path)).status, path).toBe(405);
    }
    expect((await fixture.request('/mcp/x')).status).toBe(404);
  });
});

describe('origins at /mcp', () => {
  const host = 'service.example:8888';
  it.each([
    undefined,
    'http://service.example:8888',
    'https://service.example:8888',
    'HTTP://SERVICE.example:8888',
    'https://drover.example:8443',
    'vscode-webview://1a2b3c',
    'cursor://app',
    'cursor://',
    'file://',
    'vscode-file://vscode app',
    'chrome-extension://abcdef',
  ])('%s comes in', async (origin) => {
    const headers = { host, ...(origin === undefined ? {} : { origin }) };
    expect((await send({ headers })).status).toBe(200);
  });

  it.each([
    'null',
    '',
    'http://evil.example',
    'https://service.example',
    'http://service.example:8889',
    'http://service.example:8888.evil.example',
    'http://evil.example/service.example:8888',
    'http://service.example:8888@evil.example',
    'https://drover.example',
    'service.example:8888',
    'http://',
    'nonsense',
    'http://service.example:8888, http://service.example:8888',
  ])('"%s" does not, before the token is checked', async (origin) => {
    for (const authorization of [`Bearer ${token}`, 'Bearer wrong', '']) {
      const reply = await fixture.request('/mcp', {
        method: 'POST',
        headers: { host, origin, authorization },
        json: PING,
      });
      expect(reply).toMatchObject({ status: 403, json: { code: 'origin_not_allowed' } });
    }
  });

  it('have the usual port of their scheme, written or not', async () => {
    for (const [origin, name] of [
      ['https://a.example', 'a.example'],
      ['https://a.example', 'a.example:443'],
      ['https://a.example:443', 'a.example'],
      ['http://a.example', 'a.example:80'],
      ['http://[::1]:80', '[::1]'],
    ] as const) {
      expect((await send({ headers: { origin, host: name } })).status, `${origin} ${name}`).toBe(200);
    }
    expect((await send({ headers: { origin: 'https://a.example', host: 'a.example:80' } })).status).toBe(403);
  });

  it('must be those of the request if there is no public address', async () => {
    const plain = await openApiFixture({ allowedHosts: ['service.example'] });
    try {
      const asked = { method: 'POST', token: await plain.token(['read']), json: PING };
      const foreign = { ...asked, headers: { host, origin: 'https://drover.example:8443' } };
      expect((await plain.request('/mcp', foreign)).status).toBe(403);
      expect(
        (await plain.request('/mcp', { ...asked, headers: { host, origin: `http://${host}` } })).status,
      ).toBe(200);
    } finally {
      await plain.close();
    }
  });
});

describe('bodies at /mcp', () => {
  it.each(['', '{', 'nonsense', '{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"ping"}', '['.repeat(200)])(
    'that are not JSON get a parse error: %s',
    async (body) => {
      const reply = await fixture.request('/mcp', { method: 'POST', token, body });
      expect(reply).toMatchObject({
        status: 400,
        json: { jsonrpc: '2.0', id: null, error: { code: -32700 } },
      });
    },
  );

  it.each([
    [[]],
    [[PING]],
    [[PING, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }]],
    ['text'],
    [null],
    [7],
    [{}],
    [{ ...PING, jsonrpc: '1.0' }],
    [{ ...PING, id: null }],
    [{ ...PING, id: 1.5 }],
    [{ ...PING, id: 2 ** 60 }],
    [{ ...PING, id: {} }],
    [{ ...PING, method: 7 }],
    [{ ...PING, params: [] }],
    [{ ...PING, params: 'x' }],
    [{ jsonrpc: '2.0', id: 1 }],
  ])('that are no single message are invalid requests: %j', async (json) => {
    const reply = await send({ json });
    expect(reply).toMatchObject({ status: 400, json: { jsonrpc: '2.0', error: { code: -32600 } } });
    expect(reply.json).toHaveProperty('id');
  });

  it('that are too large are refused', async () => {
    const body = JSON.stringify({ ...PING, params: { x: 'a'.repeat(MAX_BODY_BYTES) } });
    expect(await send({ json: undefined, body })).toMatchObject({
      status: 413,
      json: { code: 'body_too_large' },
    });
    expect((await send({})).status).toBe(200);
  });

  it('are JSON by their type', async () => {
    expect((await send({ headers: { 'content-type': 'text/plain' } })).status).toBe(415);
  });

  it.each([
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1, reason: 'x' } },
    { jsonrpc: '2.0', method: 'notifications/unknown' },
    { jsonrpc: '2.0', method: 'tools/call', params: { name: 'trigger_job' } },
    { jsonrpc: '2.0', id: 7, result: {} },
    { jsonrpc: '2.0', id: 7, error: { code: -1, message: 'x' } },
  ])('that want no answer get none: %j', async (json) => {
    const reply = await send({ json });
    expect(reply).toMatchObject({ status: 202, text: '' });
    expect(reply.headers.get('content-length')).toBe('0');
    expect(reply.headers.get('content-type')).toBeNull();
  });
});

describe('headers at /mcp', () => {
  it.each([undefined, '*/*', 'application/json', 'text/event-stream', 'text/html'])(
    'Accept may be %s',
    async (accept) => {
      const reply = await send({ headers: accept === undefined ? {} : { accept } });
      expect(reply.status).toBe(200);
      expect(reply.headers.get('content-type')).toBe('application/json');
    },
  );

  it('of sessions and streams are ignored, and none is given out', async () => {
    const reply = await send({ headers: { 'mcp-session-id': 'abc', 'last-event-id': '7' } });
    expect(reply.status).toBe(200);
    expect(reply.headers.get('mcp-session-id')).toBeNull();
  });
});

describe('initialize', () => {
  const initialize = (protocolVersion: unknown, headers = {}) =>
    fixture.rpc(
      token,
      'initialize',
      { protocolVersion, capabilities: {}, clientInfo: { name: 'x', version: '1' } },
      headers,
    );

  it.each(SUPPORTED_PROTOCOL_VERSIONS)('agrees on %s', async (version) => {
    expect((await initialize(version)).json.result).toMatchObject({
      protocolVersion: version,
      capabilities: { tools: {}, prompts: {} },
      serverInfo: { name: 'drover', version: VERSION },
    });
    const later = await fixture.rpc(token, 'tools/list', undefined, { 'mcp-protocol-version': version });
    expect(later.status).toBe(200);
  });

  it.each(['2099-01-01', '1.0', ''])('offers its latest for %j', async (version) => {
    expect((await initialize(version)).json.result.protocolVersion).toBe('2025-11-25');
  });

  it('wants a version, and does not hold the header against it', async () => {
    expect((await initialize(7)).json.error.code).toBe(-32602);
    expect((await initialize('2025-11-25', { 'mcp-protocol-version': 'whatever' })).status).toBe(200);
  });
});

describe('methods of the protocol', () => {
  it('answer ping, and keep ids as they are', async () => {
    for (const id of [0, -7, 2 ** 53 - 1, '', 'a', '\u2028"\\', '\ud800']) {
      expect((await send({ json: { ...PING, id } })).json).toEqual({ jsonrpc: '2.0', id, result: {} });
    }
  });

  it.each([
    '',
    'tools',
    'resources/list',
    'prompts/subscribe',
    'logging/setLevel',
    '__proto__',
    'toString',
    'server/discover',
  ])('do not know "%s"', async (method) => {
    expect((await fixture.rpc(token, method)).json.error).toEqual({
      code: -32601,
      message: 'Method not found',
    });
  });

  it('refuse a cursor that is not ours', async () => {
    expect((await fixture.rpc(token, 'tools/list', { cursor: 'x' })).json.error.code).toBe(-32602);
  });

  it('refuse a version in the header that is none', async () => {
    const reply = await fixture.rpc(token, 'ping', {}, { 'mcp-protocol-version': 'nonsense' });
    expect(reply).toMatchObject({ status: 400, json: { id: 1, error: { code: -32000 } } });
  });
});
