import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UNKNOWN_FACTS } from '../../../../src/domain/fleet/server.ts';
import { containerOf, inventoryOf } from '../../../support/inventories.ts';
import { type Doors, openDoors } from '../http/doors.ts';

/** Characters are counted, four to a token: what agents' clients estimate by. */
const MAX_DEFINITIONS = 4_500 * 4;
const MAX_RESULT = 2_500 * 4;
const MAX_WORDS = 60;

const SERVERS = 1_000;
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

let doors: Doors;
let token: string;
beforeAll(async () => {
  doors = await openDoors();
  token = await doors.token(['read', 'jobs', 'edit', 'files']);
  const { servers, inventories } = doors.stores;
  const inventory = inventoryOf({ updates: UPDATES, containers: CONTAINERS, osPretty: `Debian ${LONG}` });
  const alpha = await servers.find(1);
  if (!alpha) throw new Error('alpha is missing');
  for (let n = 3; n <= SERVERS; n += 1) {
    await servers.add(
      { ...alpha, name: `server-with-a-long-name-${n}`, tags: ['production', 'frankfurt', 'customer-a'] },
      doors.clock.now(),
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
      lastSeenAt: doors.clock.now(),
      lastBackupAt: doors.clock.now(),
      inventoryAt: doors.clock.now(),
    });
    await inventories.save(id, inventory);
  }
  await doors.request('/api/v1/servers/1/jobs', {
    token,
    method: 'POST',
    json: { job_type: 'backup' },
  });
  const [job] = [...doors.world.jobs.values()];
  if (!job) throw new Error('the job is missing');
  for (let id = 1; id <= 200; id += 1) {
    doors.world.jobs.set(id, {
      ...job,
      id,
      status: 'failed',
      summary: LONG,
      error: { code: 'host_command_failed', detail: LONG },
      logTail: Array.from({ length: 8 }, () => LONG),
    });
  }
  for (let n = 0; n < 400; n += 1)
    doors.files.file(`/srv/compose/many/a-file-with-a-long-name-${n}.yaml`, 'x');
}, 60_000);
afterAll(() => doors.close());

const CALLS: readonly (readonly [tool: string, args: object])[] = [
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
  ['get_job', { job_id: 1 }],
  ['trigger_job', { server_id: 1, job_type: 'retention' }],
  ['trigger_job', { server_id: 1, job_type: 'retention' }],
  ['set_features', { server_id: 5, docker: true }],
  ['list_files', { server_id: 1, p: 'many' }],
  ['write_file', { server_id: 1, p: 'many', name: 'x', text: 'x' }],
  ['mkdir', { server_id: 1, p: 'many', name: 'd' }],
  ['rename_file', { server_id: 1, p: 'many', src: 'x', dest: 'y' }],
  ['delete_file', { server_id: 1, p: 'many/y' }],
];

describe('what tools cost an agent', () => {
  it('is little for all definitions together', async () => {
    const { tools } = (await doors.rpc(token, 'tools/list')).json.result;
    expect(tools).toHaveLength(16);
    expect(JSON.stringify(tools).length).toBeLessThanOrEqual(MAX_DEFINITIONS);
  });

  it('is little for each description', async () => {
    const { tools } = (await doors.rpc(token, 'tools/list')).json.result;
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
    for (const [name, args] of CALLS) {
      const { result } = (await doors.rpc(token, 'tools/call', { name, arguments: args })).json;
      expect(result.isError, `${name}: ${result.content[0].text}`).toBeUndefined();
      const said = result.content.map(({ text }: { text: string }) => text).join('');
      expect(said.length, `${name} ${JSON.stringify(args)}`).toBeLessThanOrEqual(MAX_RESULT);
      expect(JSON.parse(result.content[0].text), name).toEqual(result.structuredContent);
      called.add(name);
    }
    const { tools } = (await doors.rpc(token, 'tools/list')).json.result;
    const left = tools.map(({ name }: { name: string }) => name).filter((name: string) => !called.has(name));
    expect(left).toEqual(['read_file']);
  });
});
