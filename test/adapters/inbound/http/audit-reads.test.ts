import { afterAll, beforeAll, expect, test } from 'vitest';
import { RecordReads } from '../../../../src/application/events/record-reads.ts';
import { Actor } from '../../../../src/domain/access/actor.ts';
import { type ApiFixture, openApiFixture } from './api-fixture.ts';

let fixture: ApiFixture;
let token: string;
beforeAll(async () => {
  fixture = await openApiFixture();
  token = await fixture.token(['read', 'files', 'edit'], { name: 'reader' });
});
afterAll(() => fixture.close());

/** The reads since the last time. */
async function recorded() {
  await fixture.useCases.get(RecordReads).flush();
  const entries = fixture.kept.audit.filter(({ action }) => action === 'read').slice(seen);
  seen += entries.length;
  return entries.map(({ actorName, object, detail }) => [actorName, object, detail]);
}
let seen = 0;

test('What tokens read of a server is recorded, over REST and MCP, if that is switched on', async () => {
  const { id } = fixture.alpha;
  const get = (path: string) => fixture.request(`/api/v1${path}`, { token });
  await get(`/servers/${id}`);
  expect(await recorded()).toEqual([]);
  await fixture.useCases.get(RecordReads).set(Actor.operator('root'), true);
  expect((await get(`/servers/${id}`)).status).toBe(200);
  // The second time from what is kept of the first.
  for (let call = 0; call < 2; call += 1)
    await fixture.rpc(token, 'tools/call', { name: 'get_server', arguments: { server_id: id } });
  expect(await recorded()).toEqual([
    ['reader', `server:${id}`, expect.objectContaining({ by: 'get_server', times: 3 })],
  ]);
});

test('Lists, refusals and changes are no reads', async () => {
  const { id } = fixture.alpha;
  expect((await fixture.request('/api/v1/servers', { token })).status).toBe(200);
  expect((await fixture.request('/api/v1/servers/999', { token })).status).toBe(404);
  expect((await fixture.request(`/api/v1/servers/${id}`, {})).status).toBe(401);
  const path = `/api/v1/servers/${id}/features`;
  expect((await fixture.request(path, { token, method: 'PATCH', json: { backup: true } })).status).toBe(200);
  expect(await recorded()).toEqual([]);
});
