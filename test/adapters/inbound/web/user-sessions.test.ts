import { afterEach, beforeEach, expect, test } from 'vitest';
import { openWebFixture, type Visitor, type WebFixture } from './web-fixture.ts';

let fixture: WebFixture;
let root: Visitor;
beforeEach(async () => {
  fixture = await openWebFixture();
  root = await fixture.signedIn('administrator');
});
afterEach(() => fixture.close());

test('An administrator signs a user out of all browsers, and only that user', async () => {
  const operator = await fixture.signedIn('operator');
  const viewer = await fixture.signedIn('viewer');
  expect((await root.get('/settings/users')).text).toContain('/settings/users/operator1/end-sessions');
  const ended = await root.post('/settings/users/operator1/end-sessions');
  expect(ended.location).toBe('/settings/users');
  expect((await operator.get('/servers')).location).toContain('/sign-in');
  expect((await viewer.get('/servers')).status).toBe(200);
  expect((await root.get('/servers')).status).toBe(200);
  const entry = fixture.scene.kept.audit.find(({ action }) => action === 'user.end_sessions');
  expect(entry).toMatchObject({ outcome: 'done', detail: { name: 'operator1' } });
});

test('Other users cannot end the sessions of a user', async () => {
  const operator = await fixture.signedIn('operator');
  expect((await operator.post('/settings/users/root/end-sessions')).status).toBe(403);
  expect((await root.get('/servers')).status).toBe(200);
});
