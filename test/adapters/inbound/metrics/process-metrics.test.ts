import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CATALOGUE } from '../../../../src/adapters/inbound/api/catalogue.ts';
import { PROCESS_SERIES, ProcessMetrics } from '../../../../src/adapters/inbound/metrics/process-metrics.ts';
import { type ApiFixture, openApiFixture } from '../http/api-fixture.ts';
import { samplesOf } from './samples.ts';

let fixture: ApiFixture;
beforeEach(async () => {
  fixture = await openApiFixture();
});
afterEach(() => fixture.close());

const page = async () => (await fixture.request('/metrics/process')).text;
const count = async (sample: string) => samplesOf(await page()).get(sample);

describe('GET /metrics/process', () => {
  test('has every series with its help and type', async () => {
    const text = await page();
    for (const { name, help, type } of Object.values(PROCESS_SERIES)) {
      expect(text).toContain(`# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`);
    }
    const samples = samplesOf(text);
    expect(samples.get('service_process_memory_bytes{area="resident"}')).toBeGreaterThan(1_000_000);
    expect(samples.get('service_process_cpu_seconds_total')).toBeGreaterThan(0);
    expect(samples.get('service_process_start_time_seconds')).toBeGreaterThan(1_700_000_000);
    expect(samples.get('service_event_loop_lag_seconds{percentile="99"}')).toBeGreaterThanOrEqual(0);
    expect(samples.get('service_database_connections{state="used"}')).toBe(1);
    expect(samples.get('service_database_connections{state="free"}')).toBe(2);
    expect(samples.get('service_database_waiting')).toBe(3);
    expect(samples.get('service_jobs_run_total{type="backup",outcome="failed"}')).toBe(0);
  });

  test('counts requests by the pattern of their route, never by what a caller writes', async () => {
    const token = await fixture.token(['read']);
    const of = (route: string, outcome: string) =>
      count(`service_http_request_duration_seconds_count{route="${route}",outcome="${outcome}"}`);
    for (const id of [1, 2]) await fixture.request(`/api/v1/servers/${id}`, { token });
    await fixture.request('/api/v1/servers/77', { token });
    await fixture.request('/api/v1/servers/1');
    for (const path of ['/a', '/b', '/%00', '/metrics/x']) await fixture.request(path);
    expect(await of('/api/v1/servers/{server_id}', '2xx')).toBe(2);
    expect(await of('/api/v1/servers/{server_id}', '4xx')).toBe(2);
    expect(await of('(none)', '4xx')).toBe(4);
  });

  test('counts calls of tools by how they ended, and knows no tool that is not one', async () => {
    const token = await fixture.token(['read', 'jobs']);
    const call = (name: string, args: object = {}) =>
      fixture.rpc(token, 'tools/call', { name, arguments: args });
    await call('list_servers');
    await call('get_server', { server_id: 1 });
    await call('get_server', { server_id: 99 });
    await call('get_server', { server_id: 'x' });
    await call('no_such_tool');
    const of = (tool: string, outcome: string) =>
      count(`service_tool_duration_seconds_count{tool="${tool}",outcome="${outcome}"}`);
    expect(await of('list_servers', 'ok')).toBe(1);
    expect(await of('get_server', 'ok')).toBe(1);
    expect(await of('get_server', 'refused')).toBe(2);
    expect(await page()).not.toContain('no_such_tool');
    expect(await of('/mcp', 'ok')).toBeUndefined();
  });

  test('stays bounded: labels come from fixed sets', async () => {
    const routes = new Set(CATALOGUE.flatMap(({ routes: each }) => each.map(({ path }) => `/api/v1${path}`)));
    const token = await fixture.token(['read']);
    await Promise.all(
      Array.from({ length: 200 }, (_, n) =>
        fixture.request(`/api/v1/${['servers', 'jobs', 'x'][n % 3]}/${n}?q=${n}`, { token }),
      ),
    );
    const seen = new Set([...(await page()).matchAll(/route="([^"]*)"/g)].map(([, route]) => route));
    for (const route of seen) expect([...routes, '(none)', '/metrics/process']).toContain(route);
  });
});

test('jobs are counted by type and outcome', async () => {
  const metrics = new ProcessMetrics({ pool: () => ({ used: 0, free: 0, waiting: 0 }) });
  metrics.job('backup', 'failed');
  metrics.job('backup', 'failed');
  const text = await metrics.page();
  expect(text).toContain('service_jobs_run_total{type="backup",outcome="failed"} 2\n');
});
