import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GetSummary } from '../../../../src/application/fleet/get-summary.ts';
import type { Stub } from '../../../support/program-of.ts';
import { type Answer, type ApiFixture, type Ask, openApiFixture } from '../http/api-fixture.ts';

let fixture: ApiFixture;
let limited: ApiFixture;
let demo: ApiFixture;
beforeAll(async () => {
  const broken: readonly Stub[] = [
    [GetSummary, { execute: () => Promise.reject(new Error('something of ours')) }],
  ];
  fixture = await openApiFixture({ useCases: broken });
  limited = await openApiFixture({ allowedHosts: ['drover.example'] });
  demo = await openApiFixture({ demo: true });
});
afterAll(() => Promise.all([fixture.close(), limited.close(), demo.close()]));

/** The stable parts of a reply; ids of requests differ from run to run. */
function record({ status, headers, text, json }: Answer): object {
  const told = ['www-authenticate', 'allow', 'retry-after', 'content-type'].flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value]];
  });
  const id = headers.get('x-request-id') ?? '';
  const body: unknown = json === undefined ? text : JSON.parse(text.replaceAll(id, 'REQUEST-ID'));
  return { status, headers: Object.fromEntries(told), body };
}

const golden = (recorded: object, file: string) =>
  expect(`${JSON.stringify(recorded, null, 1)}\n`).toMatchFileSnapshot(`../../../golden/${file}`);

const VERSION = '2026-07-28';
const META = {
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientCapabilities': {},
};

describe('every error at /mcp', () => {
  it('is what it was', async () => {
    const token = await fixture.token(['read', 'jobs', 'edit']);
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const post = (init: Ask) => fixture.request('/mcp', { method: 'POST', token, ...init });
    const call = (name: unknown, args?: unknown) =>
      fixture.rpc(token, 'tools/call', { name, arguments: args });
    const modern = (method: string, headers: Record<string, string>, meta: object = META) =>
      fixture.rpc(token, method, { _meta: meta }, headers);
    const agreeing = { 'mcp-protocol-version': VERSION, 'mcp-method': 'ping' };
    const away = { method: 'POST', json: ping };
    const held = await fixture.token(['read', 'jobs', 'feature:docker']);
    const elsewhere = await fixture.token(['read'], { allowedCidrs: ['192.0.2.0/24'] });
    await call('trigger_job', { server_id: 1, job_type: 'backup' });

    await golden(
      {
        GET: record(await fixture.request('/mcp')),
        'no token': record(await fixture.request('/mcp', away)),
        'wrong token': record(await fixture.request('/mcp', { ...away, token: 'drv_wrong' })),
        'address not allowed': record(await fixture.request('/mcp', { ...away, token: elsewhere })),
        'demo instance': record(await demo.request('/mcp', { ...away, token })),
        'foreign origin': record(await post({ json: ping, headers: { origin: 'http://evil.example' } })),
        'foreign host': record(await limited.request('/mcp', { ...away, headers: { host: 'evil.example' } })),
        'foreign host and origin': record(
          await limited.request('/mcp', {
            ...away,
            headers: { host: 'evil.example', origin: 'http://evil.example' },
          }),
        ),
        'secret in the query': record(await fixture.request(`/mcp?token=${token}`, away)),
        'wrong media type': record(await post({ json: ping, headers: { 'content-type': 'text/plain' } })),
        'too large': record(await post({ body: ' '.repeat(1_048_577) })),
        'empty body': record(await post({ body: '' })),
        'not JSON': record(await post({ body: '{' })),
        'a key twice': record(await post({ body: '{"id":1,"id":2}' })),
        'nested too deep': record(await post({ body: '['.repeat(65) + ']'.repeat(65) })),
        batch: record(await post({ json: [ping] })),
        'no message': record(await post({ json: { ...ping, method: undefined } })),
        'no read scope': record(await fixture.rpc(await fixture.token(['jobs']), 'initialize')),
        'unknown method': record(await fixture.rpc(token, 'resources/list')),
        'unknown version in the header': record(
          await fixture.rpc(token, 'ping', {}, { 'mcp-protocol-version': '1999-01-01' }),
        ),
        'no version to agree on': record(await fixture.rpc(token, 'initialize')),
        cursor: record(await fixture.rpc(token, 'tools/list', { cursor: 'x' })),
        'no tool named': record(await call(undefined)),
        'unknown tool': record(await call('reboot_everything')),
        'wrong arguments': record(await call('get_server', { server_id: 'one', surprise: 1 })),
        'unknown server': record(await call('get_server', { server_id: 99 })),
        'unknown job': record(await call('get_job', { job_id: 99 })),
        'unknown source': record(
          await call('trigger_job', { server_id: 1, job_type: 'retention', source_filter: 'none' }),
        ),
        'feature off': record(await call('trigger_job', { server_id: 2, job_type: 'backup' })),
        'feature not allowed': record(
          await fixture.rpc(held, 'tools/call', {
            name: 'trigger_job',
            arguments: { server_id: 1, job_type: 'backup' },
          }),
        ),
        'type not run': record(await call('trigger_job', { server_id: 1, job_type: 'os_patch' })),
        'already active': record(await call('trigger_job', { server_id: 1, job_type: 'backup' })),
        'nothing to change': record(await call('set_features', { server_id: 1 })),
        'failure inside': record(await call('summary')),
        'modern: unknown method': record(await modern('ping', agreeing)),
        'modern: no envelope': record(await modern('ping', agreeing, {})),
        'modern: headers missing': record(await modern('ping', {})),
        'modern: headers differ': record(await modern('ping', { ...agreeing, 'mcp-method': 'tools/list' })),
        'modern: unknown version': record(
          await modern(
            'ping',
            { ...agreeing, 'mcp-protocol-version': '2030-01-01' },
            { ...META, 'io.modelcontextprotocol/protocolVersion': '2030-01-01' },
          ),
        ),
      },
      'mcp/errors.json',
    );
  });
});

describe('every error at /api/v1', () => {
  it('is what it was', async () => {
    const token = await fixture.token(['read', 'jobs', 'edit']);
    const ask = async (path: string, init: Ask = {}) =>
      record(await fixture.request(`/api/v1${path}`, { token, ...init }));
    const started = await fixture.request('/api/v1/servers/1/jobs', {
      token,
      method: 'POST',
      json: { job_type: 'os_update_check' },
    });
    const cancel = { method: 'POST', json: {} };
    await fixture.request(`/api/v1/jobs/${started.json.job_id}/cancel`, { token, ...cancel });
    await fixture.request('/api/v1/servers/1/jobs', {
      token,
      method: 'POST',
      json: { job_type: 'retention' },
    });
    const start = (json: unknown) => ({ method: 'POST', json });
    const keyed = (key: string) => ({
      ...start({ job_type: 'backup' }),
      headers: { 'idempotency-key': key },
    });
    await fixture.request('/api/v1/servers/1/jobs', {
      token,
      ...keyed('k'),
      json: { job_type: 'retention' },
    });

    await golden(
      {
        'no token': record(await fixture.request('/api/v1')),
        'two tokens': record(
          await fixture.request('/api/v1', { headers: { authorization: ['Bearer a', 'Bearer b'] } }),
        ),
        'no read scope': record(await fixture.request('/api/v1', { token: await fixture.token(['jobs']) })),
        'no jobs scope': record(
          await fixture.request('/api/v1/jobs/1/cancel', { token: await fixture.token(['read']), ...cancel }),
        ),
        'address not allowed': record(
          await fixture.request('/api/v1', {
            token: await fixture.token(['read'], { allowedCidrs: ['2001:db8::/32'] }),
          }),
        ),
        'demo instance': record(await demo.request('/api/v1', { token })),
        'foreign host': record(
          await limited.request('/api/v1', { token, headers: { host: 'evil.example' } }),
        ),
        'secret in the query': await ask('/servers?api_key=x'),
        'nothing there': await ask('/nothing'),
        'wrong method': await ask('/servers', { method: 'DELETE' }),
        'unknown parameter': await ask('/servers?surprise=1'),
        'parameter twice': await ask('/servers?limit=1&limit=2'),
        'limit too large': await ask('/servers?limit=101'),
        'id that is none': await ask('/servers/one'),
        'unknown server': await ask('/servers/99'),
        'unknown job': await ask('/jobs/99'),
        'wrong media type': await ask('/servers/1/jobs', {
          method: 'POST',
          body: 'x',
          headers: { 'content-type': 'text/plain' },
        }),
        'not JSON': await ask('/servers/1/jobs', { method: 'POST', body: '{' }),
        'too large': await ask('/servers/1/jobs', { method: 'POST', body: ' '.repeat(1_048_577) }),
        'no object': await ask('/servers/1/jobs', start([])),
        'wrong fields': await ask('/servers/1/jobs', start({ job_type: 'x', surprise: 1, server_id: 1 })),
        'meaningless fields': await ask(
          '/servers/1/jobs',
          start({ job_type: 'backup', os_steps: ['update'] }),
        ),
        'already active': await ask('/servers/1/jobs', start({ job_type: 'retention' })),
        'malformed idempotency key': await ask('/servers/1/jobs', keyed('')),
        'idempotency key used before': await ask('/servers/1/jobs', keyed('k')),
        'cancelled before': await ask(`/jobs/${started.json.job_id}/cancel`, cancel),
        'feature off': await ask('/servers/2/jobs', start({ job_type: 'backup' })),
        'type not run': await ask('/servers/1/jobs', start({ job_type: 'host_reboot' })),
        'nothing to change': await ask('/servers/1/features', { method: 'PATCH', json: {} }),
        'failure inside': await ask('/summary'),
      },
      'http/errors.json',
    );
  });
});
