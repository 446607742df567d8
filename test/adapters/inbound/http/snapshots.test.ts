import { afterAll, beforeAll, expect, test } from 'vitest';
import { newSnapshot } from '../../../support/stores-subject.ts';
import { type ApiFixture, openApiFixture } from './api-fixture.ts';

let fixture: ApiFixture;
let id: number;
beforeAll(async () => {
  fixture = await openApiFixture();
  const [source] = await fixture.stores.sources.ofServer(fixture.alpha.id);
  if (!source) throw new Error('no source');
  id = (await fixture.stores.snapshots.add(newSnapshot(source, 's1'))).id;
});
afterAll(() => fixture.close());

test('A token with the scope edit pins a snapshot over REST; only people unpin and delete it', async () => {
  const token = await fixture.token(['read', 'edit']);
  const reader = await fixture.token(['read', 'jobs', 'files']);
  const pin = (by: string, pinned: unknown) =>
    fixture.request(`/api/v1/snapshots/${id}`, { method: 'PATCH', token: by, json: { pinned } });
  expect((await pin(reader, true)).json).toMatchObject({ code: 'scope_missing' });
  expect((await pin(token, 'yes')).json).toMatchObject({
    code: 'invalid_input',
    errors: [{ path: '/pinned' }],
  });
  const pinned = await pin(token, true);
  expect([pinned.status, pinned.json]).toMatchObject([200, { id, pinned_at: expect.any(String) }]);
  expect((await pin(token, false)).json).toMatchObject({ status: 403, code: 'role_missing' });
  const removed = await fixture.request(`/api/v1/snapshots/${id}`, { method: 'DELETE', token });
  expect(removed.json).toMatchObject({ code: 'method_not_allowed' });
});
