import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { CATALOGUE } from '../../../../src/adapters/inbound/api/catalogue.ts';
import { EditToken } from '../../../../src/application/access/edit-token.ts';
import { Actor } from '../../../../src/domain/access/actor.ts';
import { SECOND } from '../../../../src/domain/base/instant.ts';
import { type ApiFixture, openApiFixture } from '../http/api-fixture.ts';

let fixture: ApiFixture;
let token: string;
const queries: string[] = [];
beforeAll(async () => {
  fixture = await openApiFixture();
  fixture.database.knex.on('query', ({ sql }: { sql: string }) => queries.push(sql));
});
afterAll(() => fixture.close());
beforeEach(async () => {
  token = await fixture.token(['read']);
  await call('health', {});
});

const call = async (name: string, args: object, by = token) =>
  (await fixture.rpc(by, 'tools/call', { name, arguments: args })).json.result;

/** The statements of a call. */
async function statements(name: string, args: object, by = token): Promise<readonly string[]> {
  queries.length = 0;
  expect((await call(name, args, by)).isError).toBeUndefined();
  return [...queries];
}

const repeating = CATALOGUE.flatMap((entry) => (entry.tool?.repeats === undefined ? [] : [entry.name]));

it('repeats the tools that read nothing but the database and the rights of the caller', () => {
  expect(repeating.toSorted()).toEqual([
    'get_server',
    'health',
    'inventory',
    'list_jobs',
    'list_servers',
    'services',
    'summary',
  ]);
});

it.each(repeating.filter((name) => name !== 'health'))(
  'needs no statement to answer %s again',
  async (name) => {
    const args = name === 'get_server' ? { server_id: 1 } : {};
    expect(await statements(name, args)).not.toEqual([]);
    expect(await statements(name, args)).toEqual([]);
  },
);

it('sees each commit of another connection at once', async () => {
  for (const cores of [3, 5]) {
    fixture.kept.change('servers', 1, { cpu_cores: cores });
    expect((await call('get_server', { server_id: 1 })).structuredContent.cpu_cores).toBe(cores);
    expect((await call('get_server', { server_id: 'alpha' })).structuredContent.cpu_cores).toBe(cores);
  }
});

it('reads again after its seconds, since needs depend on the time', async () => {
  const needs = async () => (await call('get_server', { server_id: 1 })).structuredContent.needs ?? [];
  fixture.kept.change('servers', 1, { last_backup_at: fixture.clock.now() - 36 * 3_600 * SECOND });
  expect(await needs()).not.toContain('backup');
  await fixture.clock.advance(10 * SECOND);
  expect(await needs()).toContain('backup');
});

it('gives no caller the answer of another', async () => {
  const narrow = await fixture.token(['read'], { allowedServerIds: [2] });
  await call('list_servers', {});
  await call('get_server', { server_id: 1 });
  expect((await call('list_servers', {}, narrow)).structuredContent.total).toBe(1);
  expect((await call('get_server', { server_id: 1 }, narrow)).isError).toBe(true);
});

it('answers a token by its new rights once it was edited', async () => {
  await call('get_server', { server_id: 1 });
  expect((await call('health', {})).structuredContent.missing_scopes).toContain('jobs');
  const [{ id } = { id: 0 }] = fixture.kept.rows<{ id: number }>('SELECT max(id) id FROM api_tokens');
  await fixture.useCases
    .get(EditToken)
    .execute(Actor.operator('op'), id, { allowedServerIds: [2], scopes: ['read', 'jobs'] });
  expect((await call('health', {})).structuredContent.missing_scopes).not.toContain('jobs');
  expect((await call('get_server', { server_id: 1 })).isError).toBe(true);
});
