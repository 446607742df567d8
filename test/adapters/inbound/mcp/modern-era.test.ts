import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VERSION as OURS } from '../../../../src/adapters/bootstrap/version.ts';
import { INSTRUCTIONS } from '../../../../src/adapters/inbound/mcp/drover-server.ts';
import { type Answer, type ApiFixture, openApiFixture } from '../http/api-fixture.ts';

const VERSION = '2026-07-28';
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';
const SERVER_INFO = {
  'io.modelcontextprotocol/serverInfo': { name: 'drover', title: 'Drover', version: OURS },
};

let fixture: ApiFixture;
let token: string;
beforeAll(async () => {
  fixture = await openApiFixture();
  token = await fixture.token(['read', 'jobs']);
});
afterAll(() => fixture.close());

const META = { [VERSION_KEY]: VERSION, [CAPABILITIES_KEY]: {} };

/** A request as a client of the era sends it; `headers` and `meta` replace single members, `undefined` leaves out. */
function ask(
  method: string,
  params: Record<string, unknown> = {},
  change: {
    headers?: Record<string, string | undefined>;
    meta?: Record<string, unknown>;
    token?: string;
  } = {},
): Promise<Answer> {
  const name = params['name'];
  const headers = {
    'mcp-protocol-version': VERSION,
    'mcp-method': method,
    ...(method === 'tools/call' && typeof name === 'string' ? { 'mcp-name': name } : {}),
    ...change.headers,
  };
  const sent = Object.fromEntries(
    Object.entries(headers).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
  return fixture.rpc(change.token ?? token, method, { ...params, _meta: { ...META, ...change.meta } }, sent);
}

const call = (name: string, args: object = {}, change = {}) =>
  ask('tools/call', { name, arguments: args }, change);

describe('a client of 2026-07-28', () => {
  it('discovers the service', async () => {
    const reply = await ask('server/discover');
    expect(reply.status).toBe(200);
    expect(reply.json.result).toEqual({
      supportedVersions: [VERSION],
      capabilities: { tools: {}, prompts: {} },
      instructions: INSTRUCTIONS,
      ttlMs: 60_000,
      cacheScope: 'private',
      resultType: 'complete',
      _meta: SERVER_INFO,
    });
  });

  it('sees the tools that others see, and how long it may keep them', async () => {
    const { tools, ...rest } = (await ask('tools/list')).json.result;
    expect(tools).toEqual((await fixture.rpc(token, 'tools/list')).json.result.tools);
    expect(rest).toEqual({
      ttlMs: 60_000,
      cacheScope: 'private',
      resultType: 'complete',
      _meta: SERVER_INFO,
    });
  });

  it('gets the results that others get', async () => {
    for (const [name, args] of [
      ['health', {}],
      ['get_server', { server_id: 1 }],
      ['get_server', { server_id: 99 }],
      ['get_server', {}],
    ] as const) {
      const modern = (await call(name, args)).json.result;
      const legacy = (await fixture.rpc(token, 'tools/call', { name, arguments: args })).json.result;
      expect(modern).toEqual({
        ...legacy,
        resultType: 'complete',
        _meta: { ...legacy['_meta'], ...SERVER_INFO },
      });
    }
  });

  it('gets a reply that there is no such tool', async () => {
    const reply = await call('set_features');
    expect(reply).toMatchObject({
      status: 200,
      json: { error: { code: -32602, message: 'Unknown tool: set_features' } },
    });
  });

  it('finds none of the methods that its era left behind, nor streams', async () => {
    for (const method of [
      'initialize',
      'ping',
      'logging/setLevel',
      'subscriptions/listen',
      'resources/list',
      'x',
    ]) {
      expect(await ask(method), method).toMatchObject({
        status: 404,
        json: { id: 1, error: { code: -32601 } },
      });
    }
  });

  it('gets nowhere without the scope to read', async () => {
    const blind = await fixture.token(['jobs']);
    for (const method of ['server/discover', 'tools/list', 'nothing']) {
      const reply = await ask(method, {}, { token: blind });
      expect(reply).toMatchObject({ status: 200, json: { id: 1, error: { code: -32001 } } });
    }
    expect((await call('health', {}, { token: blind })).json.error.code).toBe(-32001);
  });
});

describe('the envelope of 2026-07-28', () => {
  it.each([
    [{ [VERSION_KEY]: undefined }],
    [{ [VERSION_KEY]: 7 }],
    [{ [VERSION_KEY]: null }],
    [{ [CAPABILITIES_KEY]: undefined }],
    [{ [CAPABILITIES_KEY]: [] }],
    [{ [CAPABILITIES_KEY]: 'all' }],
  ])('has version and capabilities: not %j', async (meta) => {
    const reply = await ask('tools/list', {}, { meta });
    expect(reply).toMatchObject({ status: 400, json: { id: 1, error: { code: -32602 } } });
  });

  it('is missed where the header promises it', async () => {
    const reply = await fixture.rpc(token, 'tools/list', {}, { 'mcp-protocol-version': VERSION });
    expect(reply).toMatchObject({ status: 400, json: { error: { code: -32602 } } });
  });

  it.each(['2027-01-01', '2025-11-25', 'nonsense'])(
    'names a version that we speak: not %s',
    async (version) => {
      const reply = await ask(
        'tools/list',
        {},
        {
          meta: { [VERSION_KEY]: version },
          headers: { 'mcp-protocol-version': version },
        },
      );
      expect(reply).toMatchObject({
        status: 400,
        json: { error: { code: -32022, data: { supported: [VERSION], requested: version } } },
      });
    },
  );

  it.each([
    ['mcp-protocol-version', undefined],
    ['mcp-protocol-version', '2025-11-25'],
    ['mcp-protocol-version', '2027-01-01'],
    ['mcp-method', undefined],
    ['mcp-method', 'tools/list'],
    ['mcp-method', 'Tools/Call'],
    ['mcp-name', undefined],
    ['mcp-name', 'summary'],
    ['mcp-name', 'HEALTH'],
    ['mcp-name', '=?base64?c3VtbWFyeQ==?='],
    ['mcp-name', '=?base64?aGVhbHRo'],
    ['mcp-name', '=?base64?aGV*bHRo?='],
  ])('is repeated by the headers: %s is not %s', async (header, value) => {
    const reply = await call('health', {}, { headers: { [header]: value } });
    expect(reply).toMatchObject({ status: 400, json: { id: 1, error: { code: -32020 } } });
  });

  it('may have its name encoded', async () => {
    expect(
      (await call('health', {}, { headers: { 'mcp-name': '=?base64?aGVhbHRo?=' } })).json.result.isError,
    ).toBeUndefined();
    const name = 'jo\u00ebl';
    const encoded = `=?base64?${Buffer.from(name).toString('base64')}?=`;
    const reply = await ask('tools/call', { name }, { headers: { 'mcp-name': encoded } });
    expect(reply.json.error.message).toBe(`Unknown tool: ${name}`);
  });
});

describe('both eras at one address', () => {
  it('take a handshake whatever its header says, and do not mix up the rest', async () => {
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    };
    const reply = await fixture.rpc(token, 'initialize', params, { 'mcp-protocol-version': VERSION });
    expect(reply.json.result.protocolVersion).toBe('2025-06-18');
    const traced = await fixture.rpc(token, 'tools/list', { _meta: { progressToken: 1 } });
    expect(traced.json.result).not.toHaveProperty('resultType');
  });

  it('offer an older version to a handshake that asks for this one', async () => {
    const reply = await fixture.rpc(token, 'initialize', { protocolVersion: VERSION });
    expect(reply.json.result.protocolVersion).toBe('2025-11-25');
  });
});
