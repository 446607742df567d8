import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CATALOGUE } from '../../../../src/adapters/inbound/api/catalogue.ts';
import { type ApiFixture, openApiFixture } from './api-fixture.ts';

const FORMS = new URL('../../../../src/adapters/inbound/web/static/js/forms.js', import.meta.url);

let opened = 0;
let fixture: ApiFixture;
let token: string;
beforeAll(async () => {
  fixture = await openApiFixture({
    opener: {
      open: () => {
        opened += 1;
        return Promise.reject(new Error('no host is contacted here'));
      },
    },
  });
  token = await fixture.token(['read', 'jobs', 'edit', 'files']);
});
afterAll(() => fixture.close());

const call = async (name: string, args: object) =>
  (await fixture.rpc(token, 'tools/call', { name, arguments: args })).json.result;

describe('Stored data alone', () => {
  test('is what the eight tools for reading answer from', async () => {
    const started = await call('trigger_job', { server_id: 1, job_type: 'backup' });
    const { id: job_id } = started.structuredContent.job;
    const reading = CATALOGUE.flatMap(({ name, scope, ...rest }) =>
      scope === 'read' && 'tool' in rest && rest.tool ? [name] : [],
    );
    expect(reading).toHaveLength(8);
    for (const name of reading) {
      const args = name === 'get_server' ? { server_id: 1 } : name === 'get_job' ? { job_id } : {};
      expect(await call(name, args), name).toHaveProperty('structuredContent');
    }
    expect(opened).toBe(0);
  });

  test('is what the metrics are computed from', async () => {
    const { status, text } = await fixture.request('/metrics');
    expect(status).toBe(200);
    expect(text).toMatch(/^service_servers 2$/m);
    expect(opened).toBe(0);
  });
});

test('Reads over MCP and scrapes write no event for webhooks', async () => {
  const events = () => fixture.kept.rows('SELECT id FROM outbox_events').length;
  const before = events();
  for (const name of ['health', 'summary', 'list_servers', 'inventory', 'services', 'list_jobs'])
    expect(await call(name, {}), name).toHaveProperty('structuredContent');
  expect((await fixture.request('/metrics')).status).toBe(200);
  expect(events()).toBe(before);
  // Events are kept there: a request for approval is one.
  const careful = await fixture.token(['read', 'edit'], { requireApproval: true });
  const request = { name: 'set_features', arguments: { server_id: 1, docker: true } };
  await fixture.rpc(careful, 'tools/call', request);
  expect(events()).toBe(before + 1);
});

describe('The directory of a file tool', () => {
  test.each([
    ['write_file', { server_id: 1, name: 'a.txt', text: 'a' }],
    ['mkdir', { server_id: 1, name: 'a' }],
  ])('is required by %s, and empty for the file root', async (tool, args) => {
    const refused = JSON.parse((await call(tool, args)).content[0].text);
    expect(refused).toMatchObject({ code: 'invalid_input', errors: [{ path: '/p' }] });
    expect(await call(tool, { ...args, p: '' })).toHaveProperty('structuredContent');
  });
});

describe('Types of jobs', () => {
  test.each([
    'host_reboot',
    'docker_stack_check',
    'docker_stack_deploy',
    'docker_stack_stop',
    'docker_stack_start',
    'docker_stack_restart',
    'template_deploy',
    'template_redeploy',
  ])('beyond the six of agents are known to REST alone: %s', async (job_type) => {
    const json = { job_type };
    const { json: rest } = await fixture.request('/api/v1/servers/1/jobs', { method: 'POST', token, json });
    const faults = ((rest as { errors?: { path: string }[] }).errors ?? []).map(({ path }) => path);
    expect(faults).not.toContain('/job_type');
    const refused = JSON.parse((await call('trigger_job', { server_id: 1, job_type })).content[0].text);
    expect(refused.errors).toMatchObject([{ path: '/job_type' }]);
  });
});

test('The secret of a new token leaves the address bar once the web UI shows it', () => {
  const shown: string[] = [];
  const nothing = () => undefined;
  const page = {
    location: { pathname: '/settings/tokens', search: '?token_secret=drv_x&token_id=1', hash: '' },
    history: { replaceState: (_state: unknown, _title: string, address: string) => shown.push(address) },
    document: {
      querySelector: () => null,
      querySelectorAll: () => [],
      addEventListener: nothing,
      documentElement: { classList: { add: nothing }, dataset: {} },
      body: { addEventListener: nothing },
    },
    navigator: {},
    addEventListener: nothing,
    URLSearchParams,
  };
  runInNewContext(`${readFileSync(FORMS, 'utf8').replaceAll(/^export /gm, '')}\nhideSecret();`, page);
  expect(shown.at(-1)).toBe('/settings/tokens');
});
