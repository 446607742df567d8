import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VERSION } from '../../../../src/adapters/bootstrap/version.ts';
import { CATALOGUE } from '../../../../src/adapters/inbound/api/catalogue.ts';
import { OTHER_CERTIFICATE, SELF_SIGNED } from '../../../support/certificates.ts';
import { FakeService, overview, reply } from './fake-service.ts';
import { PipedAdapter } from './piped-adapter.ts';

const TOKEN = 'drv_a_secret_that_nobody_may_see';

let service: FakeService;
let adapter: PipedAdapter;
beforeEach(() => {
  service = new FakeService();
});
afterEach(async () => {
  await adapter.close();
  await service.stop();
  expect(JSON.stringify([adapter.log, adapter.said])).not.toContain(TOKEN);
});

async function start(more: { ca?: string; version?: string } = {}): Promise<PipedAdapter> {
  await service.start();
  adapter = new PipedAdapter({ url: service.url, token: TOKEN, ...more });
  return adapter;
}

const problem = (code: string, detail: string) => ({
  type: `/docs/errors#${code}`,
  title: '',
  status: 0,
  code,
  detail,
});

describe('a service that will not have the token', () => {
  it('is reported also if the client closed its end at once', async () => {
    service.overview = (_, res) => reply(res, 403, problem('read_scope_missing', 'This token lacks "read".'));
    await start();
    expect(await adapter.close()).toBe(false);
    expect(adapter.log).toEqual(['This token lacks "read".']);
  });

  it.each([
    [401, 'unauthorized', 'Send a valid API token.'],
    [403, 'read_scope_missing', 'This token lacks the scope "read"'],
    [403, 'address_not_allowed', 'The token may not be used from this address.'],
    [403, 'tokens_disabled', 'API tokens are switched off here.'],
    [421, 'host_not_allowed', 'The service does not answer to this host name.'],
  ])('ends the adapter, which says why: %i %s', async (status, code, detail) => {
    service.overview = (_req, res) => reply(res, status, problem(code, detail), 'application/problem+json');
    await start();
    const said = await adapter.initialize();
    expect(await adapter.ended).toBe(false);
    expect(adapter.log).toEqual([expect.stringContaining(detail)]);
    expect(said.json.error).toMatchObject({ message: expect.stringContaining(detail), data: { code } });
  });

  it('later on is reported to the client, which stays', async () => {
    await start();
    await adapter.initialize();
    expect((await adapter.request('tools/list')).json.result.tools.length).toBeGreaterThan(8);
    const gone = problem('unauthorized', 'Send a valid API token.');
    service.rest = (_req, res) => reply(res, 401, gone, 'application/problem+json');
    service.overview = service.rest;
    const called = await adapter.request('tools/call', { name: 'health' });
    expect(called.json.result).toMatchObject({ isError: true });
    expect(called.json.result.content[0].text).toContain('"status":401,"code":"unauthorized"');
    const listed = await adapter.request('tools/list');
    expect(listed.json.error).toMatchObject({ code: -32001, data: { code: 'unauthorized' } });
  });
});

describe('something that is not Drover', () => {
  it.each([
    ['a page', 200, '<html></html>', 'text/html', /status 200, but not as Drover does; check SERVICE_URL/],
    ['nothing of this name', 404, 'Not found', 'text/plain', /status 404, but not as Drover does/],
    ['broken JSON', 200, '{', 'application/json', /not as Drover does/],
    ['JSON of another kind', 200, '{"hello":1}', 'application/json', /It answers with 200/],
    ['no JSON object', 200, '7', 'application/json', /not as Drover does/],
  ])('ends the adapter: %s', async (_what, status, body, type, words) => {
    service.overview = (_req, res) => reply(res, status, body, type);
    await start();
    expect((await adapter.initialize()).json.error.message).toMatch(words);
    expect(await adapter.ended).toBe(false);
    expect(adapter.log).toEqual([expect.stringMatching(words)]);
  });

  it('does not get the token by a redirect', async () => {
    const elsewhere = new FakeService();
    await elsewhere.start();
    service.overview = (_req, res) => {
      res.writeHead(308, { Location: `${elsewhere.url}/api/v1` });
      res.end();
    };
    await start();
    await adapter.initialize();
    expect(await adapter.ended).toBe(false);
    expect(adapter.log).toEqual([expect.stringMatching(/redirects are not followed/)]);
    expect(elsewhere.requests).toEqual([]);
    await elsewhere.stop();
  });
});

describe('certificates', () => {
  it('that are not trusted by the system are refused', async () => {
    service = new FakeService(SELF_SIGNED);
    await start();
    expect((await adapter.initialize()).json.error.message).toMatch(
      /cannot be trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\); name .* in SERVICE_CA_FILE/,
    );
    expect(await adapter.ended).toBe(false);
    expect(service.requests).toEqual([]);
  });

  it('are trusted where their authority is named, and then no others are', async () => {
    service = new FakeService(SELF_SIGNED);
    await start({ ca: SELF_SIGNED.cert });
    expect((await adapter.initialize()).json.result).toBeDefined();
    await adapter.close();
    await service.stop();
    service = new FakeService(SELF_SIGNED);
    await start({ ca: OTHER_CERTIFICATE });
    await adapter.initialize();
    expect(await adapter.ended).toBe(false);
  });

  it('if there is none, the scheme is wrong', async () => {
    await service.start();
    adapter = new PipedAdapter({ url: service.url.replace('http:', 'https:'), token: TOKEN });
    await adapter.initialize();
    expect(await adapter.ended).toBe(false);
    expect(adapter.log).toEqual([
      expect.stringMatching(/does not speak HTTPS .* check scheme and port of SERVICE_URL/),
    ]);
  });
});

describe('a service of another version', () => {
  const without = (...names: string[]) =>
    CATALOGUE.filter(({ name }) => !names.includes(name)).map(({ name }) => ({ name }));

  it('without a tool has it neither listed nor called', async () => {
    service.overview = (_req, res) =>
      reply(res, 200, overview({ version: '0.0.9', endpoints: without('services', 'set_features') }));
    await start();
    const { json } = await adapter.request('tools/list');
    const names = json.result.tools.map(({ name }: { name: string }) => name);
    expect(names).toContain('health');
    expect(names).not.toContain('services');
    const called = await adapter.request('tools/call', { name: 'services' });
    expect(called.json.error).toEqual({ code: -32602, message: 'Unknown tool: services' });
    expect((await adapter.initialize()).json.result.serverInfo.version).toBe('0.0.9');
    expect(adapter.log).toEqual([
      `The service is version 0.0.9, and this adapter ${VERSION}.`,
      expect.stringMatching(
        /^This adapter knows tools that the service does not have, .*: services, set_features\.$/,
      ),
    ]);
  });

  it('with more tools, scopes and fields keeps what is known', async () => {
    service.overview = (_req, res) => {
      const endpoints = [...without(), { name: 'fly\nnow', more: 1 }];
      reply(res, 200, overview({ endpoints, more: 1, token_scopes: ['read', 'fly', 'feature:fly'] }));
    };
    await start();
    const { json } = await adapter.request('tools/list');
    expect(json.result.tools.map(({ name }: { name: string }) => name)).not.toContain('trigger_job');
    expect(adapter.log).toEqual([expect.stringMatching(/does not know, and does not offer: fly\?now\.$/)]);
  });

  it('that replaced another is noticed, and the client is notified', async () => {
    await start();
    await adapter.initialize();
    expect((await adapter.request('tools/list')).json.result.tools.length).toBeGreaterThan(8);
    service.overview = (_req, res) => reply(res, 200, overview({ token_scopes: ['read'] }));
    service.rest = (_req, res) =>
      reply(res, 403, problem('scope_missing', 'It lacks a scope.'), 'application/problem+json');
    await adapter.request('tools/call', { name: 'set_features', arguments: { server_id: 1, docker: true } });
    const called = await adapter.request('tools/call', { name: 'trigger_job' });
    expect(called.json.error.message).toBe('Unknown tool: trigger_job');
    expect(adapter.said.map(({ json }) => json.method)).toEqual(['notifications/tools/list_changed']);
  });
});

describe('replies', () => {
  it('larger than 4 MiB are not read to their end', async () => {
    service.rest = (_req, res) => {
      res.writeHead(200, { 'Content-Type': 'application/json' });
      const chunk = Buffer.alloc(1024 * 1024, 32);
      const more = (): void => {
        if (!res.destroyed) res.write(chunk, more);
      };
      more();
    };
    await start();
    const { json } = await adapter.request('tools/call', { name: 'inventory' });
    expect(JSON.parse(json.result.content[0].text)).toMatchObject({ status: 502, code: 'reply_too_large' });
  });

  it('that are no JSON make an error that says so', async () => {
    service.rest = (_req, res) => reply(res, 200, '<html>', 'text/html');
    await start();
    const { json } = await adapter.request('tools/call', { name: 'summary' });
    expect(JSON.parse(json.result.content[0].text)).toMatchObject({ code: 'reply_not_understood' });
  });

  it('is not awaited once the call is cancelled', async () => {
    let cut: () => void = () => {};
    const gone = new Promise<void>((resolve) => {
      cut = resolve;
    });
    const begun = new Promise<void>((resolve) => {
      service.rest = (req) => {
        req.socket.once('close', cut);
        resolve();
      };
    });
    await start();
    adapter.send({ jsonrpc: '2.0', id: 'slow', method: 'tools/call', params: { name: 'summary' } });
    await begun;
    adapter.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'slow' } });
    await gone;
    expect((await adapter.request('ping')).json.result).toEqual({});
    expect(adapter.said).toEqual([]);
    expect(adapter.log).toEqual([]);
  });
});
