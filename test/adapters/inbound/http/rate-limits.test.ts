import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterEach, describe, expect, it } from 'vitest';
import { RateLimit, RateLimited } from '../../../../src/adapters/inbound/http/rate-limit.ts';
import { type ApiFixture, type ApiFixtureOptions, openApiFixture } from './api-fixture.ts';

const MINUTE = 60_000;

/** How many of these concurrent requests are accepted. */
function letThrough(limit: RateLimit, caller: string | number, requests: number): number {
  let through = 0;
  for (let request = 0; request < requests; request += 1) {
    try {
      limit.take(caller);
      through += 1;
    } catch (error) {
      if (!(error instanceof RateLimited)) throw error;
    }
  }
  return through;
}

describe('a limit of 60 requests a minute', () => {
  let now = 0;
  const limitOf = () => new RateLimit('here', 60, () => now);

  it('lets a minute of them through at once, then one a second, and counts none that it refuses', () => {
    const limit = limitOf();
    expect(letThrough(limit, 'a', 100)).toBe(60);
    now += 1_000;
    expect(letThrough(limit, 'a', 100)).toBe(1);
    now += 10_500;
    expect(letThrough(limit, 'a', 100)).toBe(10);
    now += 500;
    expect(letThrough(limit, 'a', 100)).toBe(1);
    now += 60 * MINUTE;
    expect(letThrough(limit, 'a', 100)).toBe(60);
  });

  it('says how long to wait', () => {
    const limit = limitOf();
    letThrough(limit, 'a', 60);
    expect(() => limit.take('a')).toThrow('Too many requests here. Wait a second, then send');
    now += 400;
    expect(() => limit.take('a')).toThrow(expect.objectContaining({ retryAfterSeconds: 1 }));
  });

  it('counts callers apart, and drops the oldest of very many', () => {
    const limit = limitOf();
    expect(letThrough(limit, 'a', 100)).toBe(60);
    expect(letThrough(limit, 'b', 100)).toBe(60);
    for (let caller = 0; caller < 9_998; caller += 1) limit.take(caller);
    expect(letThrough(limit, 'a', 100)).toBe(0);
    limit.take('one more');
    expect(letThrough(limit, 'b', 100)).toBe(0);
    expect(letThrough(limit, 'a', 100)).toBe(60);
  });
});

describe('requests', () => {
  let fixture: ApiFixture;
  const open = async (options: ApiFixtureOptions): Promise<ApiFixture> => {
    fixture = await openApiFixture(options);
    return fixture;
  };
  afterEach(() => fixture.close());

  it('of one token are limited over REST and /mcp together, those of another are not', async () => {
    await open({ rates: { perToken: 3 } });
    const token = await fixture.token(['read']);
    const other = await fixture.token(['read'], { name: 'other' });
    expect((await fixture.request('/api/v1/health', { token })).status).toBe(200);
    expect((await fixture.rpc(token, 'tools/list')).status).toBe(200);
    expect((await fixture.request('/api/v1/nothing', { token })).status).toBe(404);
    expect((await fixture.request('/api/v1/health', { token })).status).toBe(200);

    const refused = await fixture.request('/api/v1/health', { token });
    expect(refused).toMatchObject({
      status: 429,
      json: {
        type: '/docs/errors#rate_limited',
        title: 'Too Many Requests',
        status: 429,
        code: 'rate_limited',
      },
    });
    expect(refused.headers.get('content-type')).toContain('application/problem+json');
    expect(refused.headers.get('retry-after')).toBe('20');
    const toAgents = await fixture.rpc(token, 'tools/list');
    expect(toAgents).toMatchObject({ status: 429, json: { code: 'rate_limited' } });
    expect(toAgents.headers.get('retry-after')).toBe('20');
    expect((await fixture.request('/api/v1/health', { token: other })).status).toBe(200);
    expect(fixture.logger.lines.at(-2)).toMatchObject({ fields: { status: 429, token_id: 1 } });
  });

  it('of one address are limited, whatever token they bring, and probes always answer', async () => {
    await open({ rates: { perAddress: 2 }, trustedProxies: ['127.0.0.1'] });
    const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
    const statuses = async (...addresses: string[]): Promise<number[]> => {
      const seen: number[] = [];
      for (const each of addresses) seen.push((await fixture.request('/nothing', from(each))).status);
      return seen;
    };
    expect(await statuses('192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.2')).toEqual([404, 404, 429, 404]);
    // One network of IPv6 is one caller.
    expect(await statuses('2001:db8::1', '2001:db8::2:1', '2001:db8::3', '2001:db8:0:1::1')).toEqual([
      404, 404, 429, 404,
    ]);
    const refused = await fixture.rpc('none', 'tools/list', {}, from('192.0.2.1').headers);
    expect(refused).toMatchObject({ status: 429, json: { code: 'rate_limited' } });
    for (const path of ['/healthz', '/readyz']) {
      expect((await fixture.request(path, from('192.0.2.1'))).status).toBe(200);
    }
  });

  it('tell the official client of an agent what is wrong', async () => {
    await open({ rates: { perToken: 3 } });
    const headers = { Authorization: `Bearer ${await fixture.token(['read'])}` };
    const client = new Client({ name: 'test', version: '1' });
    const transport = new StreamableHTTPClientTransport(new URL(`${fixture.base}/mcp`), {
      requestInit: { headers },
    });
    await client.connect(transport);
    await client.listTools();
    await expect(client.listTools()).rejects.toThrow(/Too many requests with this token. Wait \d+ seconds/);
    await client.close();
  });
});
