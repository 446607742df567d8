import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeService, overview, reply } from './fake-service.ts';
import { PipedAdapter } from './piped-adapter.ts';

const TOKEN = 'drv_a_secret_that_nobody_may_see';

let service: FakeService;
let adapter: PipedAdapter;
beforeEach(async () => {
  service = new FakeService();
  await service.start();
});
afterEach(async () => {
  await adapter.close();
  await service.stop();
  const heard = JSON.stringify([adapter.log, adapter.said]);
  expect(heard).not.toContain(TOKEN);
});

const start = (): PipedAdapter => new PipedAdapter({ url: service.url, token: TOKEN });

const unreachable = (why: RegExp) => ({
  code: -32010,
  message: expect.stringMatching(why),
  data: { code: 'service_unreachable' },
});

describe('a service that is away at the start', () => {
  it('is reported, waited for and found again, and the client has to ask for its tools again', async () => {
    await service.stop();
    adapter = start();
    expect((await adapter.initialize()).json.result).toMatchObject({
      protocolVersion: '2025-11-25',
      capabilities: { tools: { listChanged: true } },
    });
    expect((await adapter.request('ping')).json.result).toEqual({});
    expect((await adapter.modern('server/discover')).json.result).toMatchObject({
      supportedVersions: ['2026-07-28'],
    });
    const listed = await adapter.request('tools/list');
    expect(listed.json.error).toEqual(unreachable(/127\.0\.0\.1.* cannot be reached: nothing listens there/));
    const called = await adapter.request('tools/call', { name: 'health', arguments: {} });
    expect(called.json.error).toEqual(unreachable(/cannot be reached/));
    expect(adapter.log).toEqual([expect.stringMatching(/cannot be reached: nothing listens there/)]);

    await service.start();
    while (!adapter.said.some(({ json }) => json.method)) await once(adapter.output, 'said');
    expect(adapter.said.splice(0).map(({ json }) => json)).toEqual([
      { jsonrpc: '2.0', method: 'notifications/tools/list_changed' },
    ]);
    expect(adapter.log[1]).toMatch(/answers again/);
    expect((await adapter.request('tools/list')).json.result.tools.length).toBeGreaterThan(8);
    expect((await adapter.request('tools/call', { name: 'health' })).json.result.isError).toBeUndefined();
    expect(adapter.said).toEqual([]);
  });

  it('tells nothing unasked to a client of the modern era', async () => {
    await service.stop();
    adapter = start();
    expect((await adapter.modern('tools/list')).json.error).toEqual(unreachable(/cannot be reached/));
    await service.start();
    while (adapter.log.length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
    expect((await adapter.modern('tools/list')).json.result.tools.length).toBeGreaterThan(8);
    expect(adapter.said).toEqual([]);
  });

  it('is waited for while a gateway answers in its place', async () => {
    service.overview = (_req, res) => reply(res, 502, '<html>Bad Gateway</html>', 'text/html');
    adapter = start();
    await adapter.initialize();
    const { json } = await adapter.request('tools/list');
    expect(json.error).toEqual(unreachable(/answers with status 502; the service itself cannot be reached/));
    service.overview = (_req, res) => reply(res, 200, overview());
    expect((await adapter.request('tools/list')).json.result.tools.length).toBeGreaterThan(8);
  });

  it('does not make clients wait long where it accepts and says nothing', async () => {
    service.overview = () => undefined;
    adapter = start();
    expect((await adapter.initialize()).json.result.serverInfo.name).toBe('drover');
    expect((await adapter.request('tools/list')).json.error).toEqual(unreachable(/has not answered yet/));
    await service.stop();
  });

  it('is not waited for when the input ends', async () => {
    await service.stop();
    adapter = start();
    expect(await adapter.close()).toBe(true);
  });
});

describe('a service that goes away', () => {
  it('makes calls fail with what is wrong, keeps its tools listed, and is found again', async () => {
    adapter = start();
    await adapter.initialize();
    const { text: before } = await adapter.request('tools/list', undefined, 1);
    await service.stop();
    const { json } = await adapter.request('tools/call', { name: 'get_server', arguments: { server_id: 1 } });
    expect(json.result).toEqual({ isError: true, content: [{ type: 'text', text: expect.any(String) }] });
    expect(JSON.parse(json.result.content[0].text)).toEqual({
      ok: false,
      status: 503,
      code: 'service_unreachable',
      detail: expect.stringMatching(/cannot be reached: nothing listens there\. Try again later\.$/),
    });
    expect((await adapter.request('tools/list', undefined, 1)).text).toBe(before);
    await service.start();
    const again = await adapter.request('tools/call', { name: 'get_server', arguments: { server_id: 1 } });
    expect(again.json.result.structuredContent).toEqual({ ok: true });
    expect(adapter.log).toEqual([
      expect.stringMatching(/cannot be reached/),
      expect.stringMatching(/answers again/),
    ]);
    expect(adapter.said).toEqual([]);
  });

  it('is asked again after a connection that was cut, with the same key', async () => {
    let cuts = 1;
    service.rest = (req, res) => {
      cuts -= 1;
      if (cuts >= 0) req.socket.destroy();
      else reply(res, 202, { job_id: 1 });
    };
    adapter = start();
    const trigger = { name: 'trigger_job', arguments: { server_id: 1, job_type: 'backup' } };
    const { json } = await adapter.request('tools/call', trigger);
    expect(json.result.structuredContent).toEqual({ http_status: 202, job_id: 1 });
    const posts = service.requests.filter(({ line }) => line.startsWith('POST'));
    const keys = posts.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), keys[0]]);
    await adapter.request('tools/call', trigger);
    expect(service.requests.at(-1)?.headers['idempotency-key']).not.toBe(keys[0]);
  });

  it('is not asked twice to change what has no key', async () => {
    service.rest = (req) => void req.socket.destroy();
    adapter = start();
    const { json } = await adapter.request('tools/call', {
      name: 'set_features',
      arguments: { server_id: 1, docker: true },
    });
    expect(json.result.content[0].text).toContain('the connection was cut');
    expect(service.requests.filter(({ line }) => line.startsWith('PATCH'))).toHaveLength(1);
  });
});
