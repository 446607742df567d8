import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { RateLimits } from '../../../../src/adapters/inbound/http/rate-limit.ts';
import { GetSummary } from '../../../../src/application/fleet/get-summary.ts';
import { DomainError } from '../../../../src/domain/base/errors.ts';
import { type ApiFixture, type ApiFixtureOptions, openApiFixture } from './api-fixture.ts';

let fixture: ApiFixture;
const open = async (options: ApiFixtureOptions = {}): Promise<ApiFixture> => {
  fixture = await openApiFixture(options);
  return fixture;
};
afterEach(() => fixture.close());

describe('probes', () => {
  it('say that the process is alive and the database answers, without a token', async () => {
    await open();
    for (const path of ['/healthz', '/readyz']) {
      expect(await fixture.request(path)).toMatchObject({ status: 200, json: { ok: true } });
      expect(await fixture.request(path, { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
      const post = await fixture.request(path, { method: 'POST' });
      expect(post.status).toBe(405);
      expect(post.headers.get('allow')).toBe('GET, HEAD');
    }
    expect(fixture.logger.messages('info')).toEqual([]);
    expect(fixture.logger.messages('debug')).toHaveLength(6);
  });

  it('say when the database does not answer', async () => {
    await open({
      ping: () => Promise.reject(new DomainError('database_unavailable', 'host db:3306 is away')),
    });
    const reply = await fixture.request('/readyz');
    expect(reply).toMatchObject({ status: 503, json: { code: 'not_ready' } });
    expect(reply.headers.get('retry-after')).toBe('5');
    expect(reply.text).not.toContain('3306');
    expect((await fixture.request('/healthz')).status).toBe(200);
  });
});

describe('every reply', () => {
  it('is named, not stored, and not usable as a page', async () => {
    const token = await (await open()).token(['read']);
    const replies = await Promise.all([
      fixture.request('/healthz'),
      fixture.request('/nothing'),
      fixture.request('/mcp'),
      fixture.request('/api/v1/health', { token, headers: { 'x-request-id': 'mine' } }),
    ]);
    for (const { headers } of replies) {
      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('content-security-policy')).toBe(
        "default-src 'none'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'",
      );
      expect(headers.get('x-powered-by')).toBeNull();
    }
    expect(new Set(replies.map(({ headers }) => headers.get('x-request-id'))).size).toBe(replies.length);
  });

  it('leaves one line in the log, without path, query or secret', async () => {
    const token = await (await open()).token(['read']);
    const reply = await fixture.request('/api/v1/servers/1?q=private', {
      token,
      headers: { cookie: 'private' },
    });
    await fixture.request('/private/path?private=1');
    expect(fixture.logger.lines).toEqual([
      {
        level: 'info',
        message: 'request',
        fields: {
          request_id: reply.headers.get('x-request-id'),
          method: 'GET',
          route: '/api/v1/servers/{server_id}',
          status: 422,
          ms: expect.any(Number),
          token_id: 1,
          client: '127.0.0.1',
        },
      },
      {
        level: 'info',
        message: 'request',
        fields: expect.objectContaining({ route: '(none)', status: 404, token_id: null }),
      },
    ]);
    expect(JSON.stringify(fixture.logger.lines)).not.toMatch(/private|drv_/);
  });
});

describe('unexpected errors', () => {
  it('is logged and not told', async () => {
    const broken = { execute: () => Promise.reject(new Error('SELECT secret FROM tokens')) };
    const token = await (await open({ useCases: [[GetSummary, broken]] })).token(['read']);
    const reply = await fixture.request('/api/v1/summary', { token });
    const id = reply.headers.get('x-request-id');
    expect(reply).toMatchObject({ status: 500, json: { code: 'internal', request_id: id } });
    expect(reply.text).not.toMatch(/SELECT|at /);
    expect(fixture.logger.lines.filter(({ level }) => level === 'error')).toMatchObject([
      { fields: { request_id: id, error: { message: 'SELECT secret FROM tokens' } } },
    ]);
    expect((await fixture.request('/api/v1/health', { token })).status).toBe(200);
  });

  it('says when to come again where the database is away', async () => {
    const away = {
      execute: () => Promise.reject(new DomainError('database_unavailable', 'The database is away.')),
    };
    const token = await (await open({ useCases: [[GetSummary, away]] })).token(['read']);
    const reply = await fixture.request('/api/v1/summary', { token });
    expect(reply).toMatchObject({ status: 503, json: { code: 'database_unavailable' } });
    expect(reply.headers.get('retry-after')).toBe('5');
  });
});

describe('stopping', () => {
  it('lets a running request finish and keeps no connection', async () => {
    let release = (): void => {};
    let begun = (): void => {};
    const running = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    await open({ ping: () => (begun(), gate) });
    const agent = new Agent({ keepAlive: true });
    const idle = get(`${fixture.base}/healthz`, { agent });
    const [first] = await once(idle, 'response');
    await text(first);
    const slow = get(`${fixture.base}/readyz`, { agent });
    await running;
    const closed = fixture.close();
    release();
    const [reply] = await once(slow, 'response');
    expect(await text(reply)).toBe('{"ok":true}');
    await closed;
    await expect(fixture.request('/healthz')).rejects.toThrow(/ECONNREFUSED/);
    agent.destroy();
  });

  it('may be asked for twice, and says when its port is taken', async () => {
    await open();
    const { createHttpServer } = await import('../../../../src/adapters/inbound/http/http-server.ts');
    const second = createHttpServer({
      authenticate: { execute: () => Promise.reject(new Error('not asked')) },
      readiness: { execute: () => Promise.resolve() },
      useCases: fixture.useCases,
      answerOnce: { execute: () => Promise.reject(new Error('not asked')) },
      logger: fixture.logger,
      limits: new RateLimits({ perToken: 0, perAddress: 0 }),
      connections: { most: 0, mostPerAddress: 0, headersTimeout: 10_000 },
      trustedProxies: [],
      publicUrl: null,
      allowedHosts: [],
      observe: () => {},
      mounts: [],
      pages: (_, next) => next(),
      closing: () => {},
    });
    await expect(second.listen('127.0.0.1', fixture.port)).rejects.toThrow(/EADDRINUSE/);
    await second.close();
    await fixture.close();
  });
});
