import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { DAY } from '../../../../src/domain/base/instant.ts';
import { type ApiFixture, type ApiFixtureOptions, openApiFixture } from './api-fixture.ts';

let fixture: ApiFixture;
const open = async (options: ApiFixtureOptions = {}): Promise<ApiFixture> => {
  fixture = await openApiFixture(options);
  return fixture;
};
afterEach(() => fixture.close());

/** The two interfaces with a token. */
const knock = async (headers: Record<string, string | string[]>) => [
  await fixture.request('/api/v1/health', { headers }),
  await fixture.request('/mcp', { method: 'POST', headers, json: { jsonrpc: '2.0', id: 1, method: 'ping' } }),
];

describe('who calls', () => {
  it('is identified by one bearer token, in any case of the word', async () => {
    const token = await (await open()).token(['read']);
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      for (const reply of await knock({ authorization: `${scheme} ${token}` }))
        expect(reply.status).toBe(200);
    }
    for (const value of [
      `Basic ${token}`,
      token,
      `Bearer ${token} x`,
      `Bearer ${token}x`,
      `Bearer${token}`,
      'Bearer é',
    ]) {
      for (const reply of await knock({ authorization: Buffer.from(value).toString('latin1') })) {
        expect(reply.status).toBe(401);
        expect(reply.headers.get('www-authenticate')).toBe('Bearer');
        expect(reply.text).not.toContain(token);
      }
    }
  });

  it('is not identified by two', async () => {
    const token = await (await open()).token(['read']);
    const [first, second] = [`Bearer ${token}`, 'Bearer other'];
    for (const authorization of [
      [first, second],
      [second, first],
      [first, first],
    ]) {
      for (const reply of await knock({ authorization })) expect(reply.status).toBe(401);
    }
  });

  it('is refused once the token has expired or was revoked', async () => {
    await open();
    const brief = await fixture.token(['read'], { expires: '1d' });
    const authorization = `Bearer ${brief}`;
    for (const reply of await knock({ authorization })) expect(reply.status).toBe(200);
    await fixture.clock.advance(DAY);
    for (const reply of await knock({ authorization })) expect(reply.status).toBe(401);
  });

  it('is refused on a demo instance', async () => {
    const token = await (await open({ demo: true })).token(['read']);
    for (const reply of await knock({ authorization: `Bearer ${token}` })) {
      expect(reply).toMatchObject({ status: 403, json: { code: 'tokens_disabled' } });
    }
  });
});

describe('where the caller is', () => {
  const forwarded = { 'x-forwarded-for': '203.0.113.9, 198.51.100.7' };

  it('is the peer, whatever it claims', async () => {
    const token = await (await open()).token(['read'], {
      allowedCidrs: ['203.0.113.0/24', '198.51.100.0/24'],
    });
    for (const reply of await knock({ authorization: `Bearer ${token}`, ...forwarded })) {
      expect(reply).toMatchObject({ status: 403, json: { code: 'address_not_allowed' } });
      expect(reply.json.detail).toContain('127.0.0.1');
    }
  });

  it('is what a trusted proxy saw', async () => {
    await open({ trustedProxies: ['127.0.0.0/8'] });
    const token = await fixture.token(['read'], { allowedCidrs: ['198.51.100.0/24'] });
    const authorization = `Bearer ${token}`;
    const health = await fixture.request('/api/v1/health', { headers: { authorization, ...forwarded } });
    expect(health).toMatchObject({ status: 200, json: { client_ip: '198.51.100.7' } });
    const split = await fixture.request('/api/v1/health', {
      headers: { authorization, 'x-forwarded-for': ['203.0.113.9', '198.51.100.8'] },
    });
    expect(split.json).toMatchObject({ client_ip: '198.51.100.8' });
    const none = await fixture.request('/api/v1/health', { headers: { authorization } });
    expect(none.status).toBe(403);
  });
});

describe('the names that the service answers to', () => {
  const paths = ['/api/v1/health', '/api/v1', '/mcp', '/metrics', '/openapi.json', '/sign-in', '/nothing'];
  const probes = ['/healthz', '/readyz'];

  it('are those of the machine itself, unless others were set', async () => {
    const token = await (await open()).token(['read']);
    for (const host of ['localhost', 'LocalHost:9999', '127.0.0.1:1', '[::1]:8888']) {
      expect((await fixture.request('/api/v1/health', { token, headers: { host } })).status).toBe(200);
    }
    for (const host of ['rebound.example', 'rebound.example:8888', '192.0.2.7:8888']) {
      for (const path of paths) {
        const reply = await fixture.request(path, { token, headers: { host } });
        expect(reply, `${host} ${path}`).toMatchObject({ status: 421, json: { code: 'host_not_allowed' } });
      }
    }
  });

  it('are that of the public address too, with any port', async () => {
    const token = await (await open({ publicUrl: 'https://drover.example:8443' })).token(['read']);
    const asks = (host: string) => fixture.request('/api/v1/health', { token, headers: { host } });
    for (const host of ['drover.example:8443', 'drover.example:8888', 'Drover.Example', 'localhost:8888'])
      expect((await asks(host)).status, host).toBe(200);
    for (const host of ['rebound.example:8443', 'drover.example.evil:8443'])
      expect((await asks(host)).status, host).toBe(421);
  });

  it('are any for probes, and for metrics that a token keeps', async () => {
    await open({ metricsToken: 'm3trics', allowedHosts: ['drover.example'] });
    const headers = { host: '192.0.2.7:8888' };
    for (const path of probes) expect((await fixture.request(path, { headers })).status, path).toBe(200);
    expect((await fixture.request('/metrics', { headers })).status).toBe(401);
    const own = { ...headers, 'x-metrics-token': 'm3trics' };
    expect((await fixture.request('/metrics', { headers: own })).status).toBe(200);
  });

  it('are the configured ones, in every interface', async () => {
    const token = await (await open({ allowedHosts: ['Drover.example', 'local:8888', '[::1]'] })).token([
      'read',
    ]);
    const authorization = `Bearer ${token}`;
    for (const host of ['drover.example', 'DROVER.example:9999', 'local:8888', '[::1]:8888', '[::1]']) {
      expect((await fixture.request('/api/v1/health', { headers: { host, authorization } })).status).toBe(
        200,
      );
    }
    for (const host of [
      'evil.example',
      'local',
      'local:1',
      'drover.example.evil',
      'x.drover.example',
      '::1',
    ]) {
      for (const path of paths) {
        const method = path === '/mcp' ? 'POST' : 'GET';
        const reply = await fixture.request(path, { method, headers: { host, authorization } });
        expect(reply, `${host} ${path}`).toMatchObject({ status: 421, json: { code: 'host_not_allowed' } });
        const page = await fixture.request(path, {
          method,
          headers: { host, authorization, origin: `http://${host}` },
        });
        expect(page, `${host} ${path}`).toMatchObject({ status: 403, json: { code: 'origin_not_allowed' } });
      }
    }
  });

  it('are given once, and not in the target', async () => {
    await open();
    const socket = connect(fixture.port, '127.0.0.1');
    socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n');
    expect(await text(socket)).toMatch(/^HTTP\/1.1 400 /);
    const target = await fixture.request('http://evil.example/healthz');
    expect(target).toMatchObject({ status: 400, json: { code: 'invalid_request' } });
  });
});

describe('secrets in the address', () => {
  it.each([
    'token=x',
    'access_token=x',
    'api_key=x',
    'API-Key=x',
    'apikey=x',
    'Authorization=x',
    'token_secret=x',
    'password=x',
    'a=1&t%6Fken=x',
    `q=drv_${'a'.repeat(36)}`,
    `drv_${'a'.repeat(36)}`,
  ])('are refused: ?%s', async (query) => {
    const token = await (await open()).token(['read']);
    const authorization = `Bearer ${token}`;
    const api = await fixture.request(`/api/v1/servers?${query}`, { headers: { authorization } });
    const mcp = await fixture.request(`/mcp?${query}`, {
      method: 'POST',
      headers: { authorization },
      json: { jsonrpc: '2.0', id: 1, method: 'ping' },
    });
    for (const reply of [api, mcp]) {
      expect(reply).toMatchObject({ status: 400, json: { code: 'secret_in_query' } });
    }
    expect(JSON.stringify(fixture.logger.lines)).not.toMatch(/servers\?|=x|drv_/);
  });
});
