import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HostState, STATE_KINDS } from '../../../../src/domain/fleet/host-state.ts';
import { UNKNOWN_FACTS } from '../../../../src/domain/fleet/server.ts';
import { containerOf, inventoryOf } from '../../../support/inventories.ts';
import { type ApiFixture, openApiFixture } from '../http/api-fixture.ts';
import { REVISIONS, type Revision, rpcOf } from './revisions.ts';

/** Characters are counted, four to a token: what agents' clients estimate by. */
const MAX_DEFINITIONS = 4_500 * 4;
const MAX_RESULT = 2_500 * 4;
const MAX_WORDS = 60;

const SERVERS = 1_000;
const NO_STATE = Object.fromEntries(STATE_KINDS.map((kind) => [kind, null])) as unknown as HostState;
const LONG = 'a rather long line that a host has written '.repeat(40);

const UPDATES = Array.from({ length: 300 }, (_, n) => ({
  name: `libsomething-with-a-name${n}`,
  from: '1:2.3.4-5+deb13u1',
  to: '1:2.3.4-5+deb13u2',
  security: n % 3 === 0,
  origin: 'Debian-Security:13/stable-security',
  held: false,
}));
const CONTAINERS = Array.from({ length: 60 }, (_, n) =>
  containerOf({
    name: `shop-app-${n}`,
    state: n % 2 ? 'exited' : 'running',
    status: LONG,
    project: 'shop',
    service: 'app',
    path: '/srv/compose/shop',
  }),
);

let fixture: ApiFixture;
let token: string;
beforeAll(async () => {
  fixture = await openApiFixture();
  token = await fixture.token(['read', 'jobs', 'edit', 'files']);
  const { servers, inventories } = fixture.stores;
  const inventory = inventoryOf({ updates: UPDATES, containers: CONTAINERS, osPretty: `Debian ${LONG}` });
  const alpha = await servers.find(1);
  if (!alpha) throw new Error('alpha is missing');
  for (let n = 3; n <= SERVERS; n += 1) {
    await servers.add(
      { ...alpha, name: `server-with-a-long-name-${n}`, tags: ['production', 'frankfurt', 'customer-a'] },
      fixture.clock.now(),
      () => ({}),
    );
  }
  for (let id = 1; id <= SERVERS; id += 1) {
    await servers.learn(id, {
      ...UNKNOWN_FACTS,
      osPretty: 'Debian GNU/Linux 13 (trixie)',
      osUpdatesCount: 300,
      securityUpdatesCount: 100,
      containerUpdatesCount: 3,
      rebootPending: true,
      lastSeenAt: fixture.clock.now(),
      lastBackupAt: fixture.clock.now(),
      inventoryAt: fixture.clock.now(),
    });
    await inventories.save(id, inventory);
  }
  await fixture.request('/api/v1/servers/1/jobs', {
    token,
    method: 'POST',
    json: { job_type: 'backup' },
  });
  fixture.kept.change('jobs', 1, {
    status: 'failed',
    lane_key: null,
    summary: LONG,
    error_code: 'host_command_failed',
    error_detail: LONG,
    log_tail: JSON.stringify(Array.from({ length: 8 }, () => LONG)),
  });
  fixture.kept.copy('jobs', 1, 199);
  const state = (version: string): HostState => ({
    ...NO_STATE,
    package: new Map(UPDATES.map(({ name }) => [name, `${LONG} ${version}`])),
  });
  for (const id of [1, 2])
    for (const version of ['1', '2'])
      await fixture.stores.hostChanges.record(id, state(version), fixture.clock.now() - 3 + Number(version));
  for (let n = 0; n < 400; n += 1)
    fixture.files.file(`/srv/compose/many/a-file-with-a-long-name-${n}.yaml`, 'x');
}, 60_000);
afterAll(() => fixture.close());

const FIFTY = Array.from({ length: 50 }, (_, n) => n + 100);
const callsOf = (revision: Revision): readonly (readonly [tool: string, args: object])[] => [
  ['health', {}],
  ['summary', {}],
  ['list_servers', {}],
  ['list_servers', { q: 'long' }],
  ['get_server', { server_id: 5 }],
  ['inventory', {}],
  ['inventory', { server_id: 5 }],
  ['services', {}],
  ['services', { server_id: 5 }],
  ['list_jobs', {}],
  ['list_servers', { needs: 'reboot', sort: 'updates' }],
  ['inventory', { package: 'lib' }],
  ['inventory', { section: 'disks' }],
  ['inventory', { server_id: 5, section: 'updates' }],
  ['inventory', { server_id: 1, section: 'changes' }],
  ['inventory', { section: 'changes' }],
  ['services', { state: 'failed' }],
  ['list_jobs', { server_id: 1, status_filter: 'failed', job_type: 'backup', origin: 'request' }],
  ['get_job', { job_id: 1 }],
  // Accepted, already active, and refused.
  ['trigger_job', { server_ids: FIFTY, job_type: 'os_update_check' }],
  ['trigger_job', { server_ids: FIFTY, job_type: 'os_update_check' }],
  ['trigger_job', { server_ids: FIFTY, job_type: 'backup' }],
  ['trigger_job', { server_id: 1, job_type: 'retention' }],
  ['trigger_job', { server_id: 1, job_type: 'retention' }],
  ['set_features', { server_id: 5, docker: true }],
  ['list_files', { server_id: 1, p: 'many' }],
  ['write_file', { server_id: 1, p: 'many', name: 'x', text: 'x' }],
  ['mkdir', { server_id: 1, p: 'many', name: revision }],
  ['rename_file', { server_id: 1, p: 'many', src: 'x', dest: 'y' }],
  ['delete_file', { server_id: 1, p: 'many/y' }],
];

describe.each(REVISIONS)('what tools cost an agent of %s', (revision) => {
  const list = async () => (await rpcOf(fixture, revision, token, 'tools/list')).json.result.tools;
  const call = async (by: string, name: string, args: object) =>
    (await rpcOf(fixture, revision, by, 'tools/call', { name, arguments: args })).json.result;

  it('is little for all definitions together', async () => {
    const tools = await list();
    expect(tools).toHaveLength(16);
    expect(JSON.stringify(tools).length).toBeLessThanOrEqual(MAX_DEFINITIONS);
  });

  it('is little for each description', async () => {
    const tools = await list();
    for (const { name, description } of tools as { name: string; description: string }[]) {
      expect(description.split(/\s+/).length, name).toBeLessThanOrEqual(MAX_WORDS);
      const others = tools.map((tool: { name: string }) => tool.name).filter((each: string) => each !== name);
      expect(
        others.some((other: string) => description.includes(other)),
        `${name} says what is next`,
      ).toBe(true);
      expect(description, `${name} says when to use it`).toMatch(/\b(use|before|after|for)\b/i);
    }
  });

  it('is bounded for every default result of a fleet of 1,000 servers', async () => {
    const called = new Set<string>();
    for (const [name, args] of callsOf(revision)) {
      const result = await call(token, name, args);
      expect(result.isError, `${name}: ${result.content[0].text}`).toBeUndefined();
      const said = result.content.map(({ text }: { text: string }) => text).join('');
      expect(said.length, `${name} ${JSON.stringify(args)}`).toBeLessThanOrEqual(MAX_RESULT);
      expect(JSON.parse(result.content[0].text), name).toEqual(result.structuredContent);
      called.add(name);
    }
    const changes = await call(token, 'inventory', { section: 'changes' });
    expect(changes.structuredContent.total).toBe(2 * UPDATES.length);
    const tools = await list();
    const left = tools.map(({ name }: { name: string }) => name).filter((name: string) => !called.has(name));
    expect(left).toEqual(['read_file']);
  });

  it('is bounded for a server with many requests for approval', async () => {
    const careful = await fixture.token(['read', 'edit', 'files'], {
      requireApproval: true,
      name: `careful ${revision}`,
    });
    const texts = Array.from({ length: 12 }, (_, n) => ({ name: `${'x'.repeat(200)}${n}`, text: LONG }));
    for (const file of texts) await call(careful, 'write_file', { server_id: 1, p: 'many', ...file });
    const { requests, changes } = (await call(careful, 'get_server', { server_id: 1 })).structuredContent;
    expect(requests.length).toBeGreaterThan(3);
    expect(JSON.stringify({ requests, changes }).length).toBeLessThanOrEqual(MAX_RESULT - 1_500);
  });
});
