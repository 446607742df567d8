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

test('A token with the scope edit pins, unpins and deletes a snapshot over REST', async () => {
  const token = await doors.token(['read', 'edit']);
  const reader = await doors.token(['read', 'jobs', 'files']);
  const pin = (by: string, pinned: unknown) =>
    doors.request(`/api/v1/snapshots/${id}`, { method: 'PATCH', token: by, json: { pinned } });
  const remove = (query = '') =>
    doors.request(`/api/v1/snapshots/${id}${query}`, { method: 'DELETE', token });
  expect((await pin(reader, true)).json).toMatchObject({ code: 'scope_missing' });
  expect((await pin(token, 'yes')).json).toMatchObject({
    code: 'invalid_input',
    errors: [{ path: '/pinned' }],
  });
  const pinned = await pin(token, true);
  expect([pinned.status, pinned.json]).toMatchObject([200, { id, pinned_at: expect.any(String) }]);
  expect((await remove('?confirm_last=true')).json).toMatchObject({ code: 'snapshot_protected' });
  expect((await pin(token, false)).json).toMatchObject({ pinned_at: null });
  expect([(await remove()).status, (await remove()).json.code]).toEqual([409, 'snapshot_protected']);
  expect((await remove('?confirm_last=true')).json).toMatchObject({ ok: true, snapshot: { id } });
  expect((await remove()).json).toMatchObject({ status: 404, code: 'snapshot_not_found' });
});
