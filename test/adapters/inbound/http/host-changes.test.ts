import { afterAll, beforeAll, expect, test } from 'vitest';
import { SqlHostChangeStore } from '../../../../src/adapters/outbound/storage/sql/stores/sql-host-change-store.ts';
import { DAY, HOUR, toIso } from '../../../../src/domain/base/instant.ts';
import { type HostState, STATE_KINDS } from '../../../../src/domain/fleet/host-state.ts';
import { type ApiFixture, openApiFixture } from './api-fixture.ts';

const NONE = Object.fromEntries(STATE_KINDS.map((kind) => [kind, null]));
const state = (version: string, ports: readonly string[]): HostState => ({
  ...(NONE as unknown as HostState),
  package: new Map([['openssl:amd64', version]]),
  port: new Map(ports.map((each) => [each, 'open'])),
});

interface Change {
  readonly server_name: string;
  readonly name: string;
  readonly before: string | null;
  readonly after: string | null;
}

let fixture: ApiFixture;
let token: string;
beforeAll(async () => {
  fixture = await openApiFixture();
  token = await fixture.token(['read']);
  const store = new SqlHostChangeStore(fixture.database);
  const now = fixture.clock.now();
  for (const { id } of [fixture.alpha, fixture.beta]) {
    await store.record(id, state('1', []), now - 3 * DAY);
    await store.record(id, state('2', []), now - 2 * DAY);
    await store.record(id, state('3', ['tcp 0.0.0.0:8080']), now - HOUR);
  }
});
afterAll(() => fixture.close());

const list = async (query = '', by = token): Promise<readonly string[]> => {
  const { json } = await fixture.request(`/api/v1/changes${query}`, { token: by });
  const { changes } = json as { changes: readonly Change[] };
  return changes.map(({ server_name, name, before, after }) => `${server_name} ${name} ${before} → ${after}`);
};

test('The changes of the last 24 hours are listed, of one server and kind if asked for', async () => {
  expect(await list('?kind=package')).toEqual(['alpha openssl:amd64 2 → 3', 'beta openssl:amd64 2 → 3']);
  expect(await list(`?server_id=${fixture.beta.id}`)).toEqual([
    'beta openssl:amd64 2 → 3',
    'beta tcp 0.0.0.0:8080 null → open',
  ]);
});

test('A period has the changes that were found in it', async () => {
  const now = fixture.clock.now();
  const since = toIso(now - 3 * DAY);
  const before = toIso(now - DAY);
  const query = `?server_id=${fixture.alpha.id}&since=${since}&before=${before}`;
  expect(await list(query)).toEqual(['alpha openssl:amd64 1 → 2']);
});

test('A token sees the changes of its servers only, and needs read', async () => {
  const ofBeta = await fixture.token(['read'], { allowedServerIds: [fixture.beta.id] });
  expect(await list('?kind=package', ofBeta)).toEqual(['beta openssl:amd64 2 → 3']);
  const foreign = await fixture.request(`/api/v1/changes?server_id=${fixture.alpha.id}`, { token: ofBeta });
  expect(foreign.status).toBe(404);
  const blind = await fixture.request('/api/v1/changes', { token: await fixture.token(['jobs']) });
  expect(blind.status).toBe(403);
});

test('The jobs of the period are listed with who requested them, over REST and MCP', async () => {
  const user = await fixture.token(['read', 'jobs']);
  const { id } = fixture.beta;
  await fixture.stores.servers.setFeatures(id, { os_patch: true }, fixture.clock.now(), () => ({}));
  const body = { job_type: 'os_update_check' };
  const started = await fixture.request(`/api/v1/servers/${id}/jobs`, {
    token: user,
    method: 'POST',
    json: body,
  });
  expect(started.status, started.text).toBe(202);
  const { json: job } = await fixture.request(`/api/v1/jobs/${started.json.job_id}`, { token });
  expect(job.requested_by).toBeTruthy();
  const { json } = await fixture.request(`/api/v1/changes?server_id=${id}&kind=key`, { token });
  expect(json).toMatchObject({
    changes: [],
    jobs_total: 1,
    jobs: [
      {
        id: started.json.job_id,
        server_id: id,
        job_type: 'os_update_check',
        requested_by: job.requested_by,
      },
    ],
  });
  const args = { section: 'changes', server_id: id };
  const { structuredContent: found } = (
    await fixture.rpc(token, 'tools/call', { name: 'inventory', arguments: args })
  ).json.result;
  expect(found).toMatchObject({
    jobs_total: 1,
    jobs: [{ id: started.json.job_id, job_type: 'os_update_check' }],
  });
  const ofAlpha = await fixture.token(['read'], { allowedServerIds: [fixture.alpha.id] });
  expect((await fixture.request('/api/v1/changes', { token: ofAlpha })).json.jobs_total).toBe(0);
  const later = toIso(fixture.clock.now() + HOUR);
  const { json: none } = await fixture.request(`/api/v1/changes?since=${later}`, { token });
  expect(none).toMatchObject({ jobs: [], jobs_total: 0 });
});

test('A query that makes no sense is refused, naming the field', async () => {
  for (const [query, field] of [
    ['?kind=weather', '/kind'],
    ['?since=yesterday', '/since'],
    ['?limit=1001', '/limit'],
  ]) {
    const { status, json } = await fixture.request(`/api/v1/changes${query}`, { token });
    expect(status).toBe(422);
    expect(JSON.stringify(json)).toContain(field);
  }
});
