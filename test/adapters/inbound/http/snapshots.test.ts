import { afterAll, beforeAll, expect, test } from 'vitest';
import { newSnapshot } from '../../../support/stores-subject.ts';
import { type Doors, openDoors } from './doors.ts';

let doors: Doors;
let id: number;
beforeAll(async () => {
  doors = await openDoors();
  const [source] = await doors.stores.sources.ofServer(doors.alpha.id);
  if (!source) throw new Error('no source');
  id = (await doors.stores.snapshots.add(newSnapshot(source, 's1'))).id;
});
afterAll(() => doors.close());

test('A token with the scope edit pins a snapshot over REST; only people unpin and delete it', async () => {
  const token = await doors.token(['read', 'edit']);
  const reader = await doors.token(['read', 'jobs', 'files']);
  const pin = (by: string, pinned: unknown) =>
    doors.request(`/api/v1/snapshots/${id}`, { method: 'PATCH', token: by, json: { pinned } });
  expect((await pin(reader, true)).json).toMatchObject({ code: 'scope_missing' });
  expect((await pin(token, 'yes')).json).toMatchObject({
    code: 'invalid_input',
    errors: [{ path: '/pinned' }],
  });
  const pinned = await pin(token, true);
  expect([pinned.status, pinned.json]).toMatchObject([200, { id, pinned_at: expect.any(String) }]);
  expect((await pin(token, false)).json).toMatchObject({ status: 403, code: 'role_missing' });
  const removed = await doors.request(`/api/v1/snapshots/${id}`, { method: 'DELETE', token });
  expect(removed.json).toMatchObject({ code: 'method_not_allowed' });
});
