import { afterEach, describe, expect, it, test } from 'vitest';
import { VERSION } from '../../../../src/adapters/bootstrap/version.ts';
import { ALWAYS, SERIES, SERVER_SERIES } from '../../../../src/adapters/inbound/metrics/series.ts';
import type { GaugeSource } from '../../../../src/application/ports/service/gauge-source.ts';
import { SECOND } from '../../../../src/domain/base/instant.ts';
import type { Gauges } from '../../../../src/domain/fleet/gauges.ts';
import { type ApiFixture, type ApiFixtureOptions, openApiFixture } from '../http/api-fixture.ts';
import { samplesOf } from './samples.ts';

const TOKEN = 'a-long-metrics-token';

let fixture: ApiFixture;
afterEach(() => fixture.close());
const open = async (options: ApiFixtureOptions = {}): Promise<void> => {
  fixture = await openApiFixture(options);
};
const scrape = (headers: Record<string, string> = {}, path = '/metrics') =>
  fixture.request(path, { headers });

describe('GET /metrics', () => {
  test('writes every series with its help and type, zeros too, and each value of a label', async () => {
    await open();
    const { status, text, headers } = await scrape();
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-store');
    const named = [...Object.values(ALWAYS), ...SERIES];
    for (const { name, help } of named) {
      expect(text).toContain(`# HELP ${name} ${help}\n# TYPE ${name} gauge\n${name}`);
    }
    const samples = samplesOf(text);
    const expected = SERIES.flatMap(({ name, label }) =>
      label ? label.values.map((value) => `${name}{${label.name}="${value}"}`) : [name],
    );
    expect([...samples.keys()]).toEqual(expect.arrayContaining(expected));
    expect(samples.size).toBe(expected.length + Object.keys(ALWAYS).length);
    expect(samples.get('service_up')).toBe(1);
    expect(samples.get('service_db_up')).toBe(1);
    expect(samples.get(`service_build_info{version="${VERSION}"}`)).toBe(1);
    expect(samples.get('service_servers')).toBe(2);
    expect(samples.get('service_servers_backup_enabled')).toBe(1);
    expect(samples.get('service_servers_backup_stale')).toBe(1);
    expect(samples.get('service_servers_never_checked{kind="os"}')).toBe(1);
    expect(samples.get('service_jobs{status="failed"}')).toBe(0);
  });

  test('reads again each time', async () => {
    await open();
    await scrape();
    const token = await fixture.token(['jobs']);
    const json = { job_type: 'backup' };
    await fixture.request('/api/v1/servers/1/jobs', { method: 'POST', token, json });
    const samples = samplesOf((await scrape()).text);
    expect(samples.get('service_jobs{status="pending"}')).toBe(1);
    expect(samples.get('service_jobs_active{type="backup"}')).toBe(1);
    expect(samples.get('service_jobs_oldest_pending_timestamp_seconds')).toBe(fixture.clock.now() / SECOND);
    expect(samples.get('service_tokens_active')).toBe(1);
  });

  test('lists each server only if that is configured', async () => {
    await open();
    expect((await scrape()).text).not.toContain('service_server_');
    await fixture.close();
    await open({ perServer: true });
    await fixture.stores.servers.learn(1, {
      osPretty: 'He said "12"\\\n',
      lastSeenAt: 5_000,
      osUpdatesCount: 0,
    });
    const { text } = await scrape();
    for (const { name, help } of SERVER_SERIES) expect(text).toContain(`# HELP ${name} ${help}\n`);
    const info = 'service_server_info{server_id="1",name="alpha",os="He said \\"12\\"\\\\\\n"} 1';
    expect(text).toContain(info);
    expect(text).toContain('service_server_last_seen_timestamp_seconds{server_id="1",name="alpha"} 5\n');
    expect(text).toContain('service_server_last_backup_timestamp_seconds{server_id="2",name="beta"} 0\n');
    expect(text).toContain('service_server_updates_pending{server_id="1",name="alpha",kind="os"} 0\n');
    expect(text).not.toContain('service_server_updates_pending{server_id="2"');
  });

  test.each([
    [undefined, 'text/plain; version=0.0.4; charset=utf-8'],
    ['*/*', 'text/plain; version=0.0.4; charset=utf-8'],
    ['text/html,application/xhtml+xml', 'text/plain; version=0.0.4; charset=utf-8'],
    ['application/openmetrics-text', 'application/openmetrics-text; version=1.0.0; charset=utf-8'],
    [
      'application/openmetrics-text;version=1.0.0;q=0.8,text/plain;version=0.0.4;q=0.5,*/*;q=0.1',
      'application/openmetrics-text; version=1.0.0; charset=utf-8',
    ],
    [
      'application/openmetrics-text;version=1.0.0;q=0.3,text/plain;version=0.0.4;q=0.5',
      'text/plain; version=0.0.4; charset=utf-8',
    ],
  ])('answers Accept: %s with %s', async (accept, type) => {
    await open();
    const { headers, text } = await scrape(accept === undefined ? {} : { accept });
    expect(headers.get('content-type')).toBe(type);
    expect(headers.get('vary')).toBe('Accept');
    expect(text.endsWith('# EOF\n')).toBe(type.startsWith('application'));
    const own = await scrape(accept === undefined ? {} : { accept }, '/metrics/process');
    expect(own.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  });

  test('takes GET and HEAD alone', async () => {
    await open();
    const refused = await fixture.request('/metrics', { method: 'POST' });
    expect(refused).toMatchObject({ status: 405, json: { code: 'method_not_allowed' } });
    expect(refused.headers.get('allow')).toBe('GET, HEAD');
    expect(await fixture.request('/metrics', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
  });
});

describe.each(['/metrics', '/metrics/process'])('%s with METRICS_TOKEN', (path) => {
  test.each<[string, Record<string, string>]>([
    ['as a bearer', { authorization: `Bearer ${TOKEN}` }],
    ['as a bearer in another case', { authorization: `bearer ${TOKEN}` }],
    ['in a header of its own', { 'x-metrics-token': TOKEN }],
    ['beside the login of a proxy', { authorization: 'Basic abc', 'x-metrics-token': TOKEN }],
  ])('takes it %s', async (_, headers) => {
    await open({ metricsToken: TOKEN });
    expect((await scrape(headers, path)).status).toBe(200);
  });

  test.each<[string, Record<string, string>]>([
    ['nothing', {}],
    ['another', { authorization: 'Bearer another' }],
    ['a part of it', { 'x-metrics-token': TOKEN.slice(0, -1) }],
    ['more than it', { authorization: `Bearer ${TOKEN}x` }],
    ['an empty one', { authorization: 'Bearer ', 'x-metrics-token': '' }],
    ['another scheme', { authorization: `Basic ${TOKEN}` }],
    ['a cookie', { cookie: `METRICS_TOKEN=${TOKEN}` }],
  ])('refuses %s', async (_, headers) => {
    await open({ metricsToken: TOKEN });
    const refused = await scrape(headers, path);
    expect(refused).toMatchObject({ status: 401, json: { code: 'unauthorized' } });
    expect(refused.headers.get('www-authenticate')).toBe('Bearer');
    expect(refused.text).not.toContain('service_');
    expect(JSON.stringify(fixture.logger.lines)).not.toContain(TOKEN);
  });

  test('refuses an API token', async () => {
    await open({ metricsToken: TOKEN });
    const token = await fixture.token(['read']);
    expect((await fixture.request(path, { token })).status).toBe(401);
  });

  test('refuses it in the address, and never repeats it', async () => {
    await open({ metricsToken: TOKEN });
    const refused = await scrape({ authorization: `Bearer ${TOKEN}` }, `${path}?token=${TOKEN}`);
    expect(refused).toMatchObject({ status: 400, json: { code: 'secret_in_query' } });
    expect(JSON.stringify(fixture.logger.lines)).not.toContain(TOKEN);
  });

  test('is open without one', async () => {
    await open();
    expect((await scrape({}, path)).status).toBe(200);
  });

  test('answers under allowed names alone', async () => {
    await open({ allowedHosts: ['drover.example.org'] });
    expect((await scrape({ host: 'evil.example.org' }, path)).status).toBe(421);
    expect((await scrape({ host: 'drover.example.org' }, path)).status).toBe(200);
  });
});

describe('while the database is down', () => {
  const dead: GaugeSource = {
    read: () => Promise.reject(new Error('no connection')),
    readServers: () => Promise.reject(new Error('no connection')),
  };
  const hung: GaugeSource = { ...dead, read: () => new Promise<Gauges>(() => {}) };

  it.each([
    ['refuses', dead],
    ['hangs', hung],
  ])('says so, and no number besides, where it %s', async (_, gauges) => {
    await open({ gauges });
    const answered = scrape();
    const over = answered.then(() => true);
    const clock = async (): Promise<boolean> => {
      await fixture.clock.advance(SECOND);
      return false;
    };
    // The request arrives at an unknown time; from then on no more than three seconds pass.
    while (!(await Promise.race([over, clock()])));
    const { status, text } = await answered;
    expect(status).toBe(200);
    const samples = samplesOf(text);
    expect([...samples.keys()]).toEqual([
      'service_up',
      'service_db_up',
      `service_build_info{version="${VERSION}"}`,
      'service_scrape_duration_seconds',
    ]);
    expect(samples.get('service_up')).toBe(1);
    expect(samples.get('service_db_up')).toBe(0);
    expect(samples.get('service_scrape_duration_seconds')).toBeLessThan(3);
    expect(text).not.toContain('no connection');
  });
});
