import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Visitor, WebFixture } from './web-fixture.ts';
import { openWebFixture } from './web-fixture.ts';

let fixture: WebFixture;
let root: Visitor;
let viewer: Visitor;
beforeAll(async () => {
  fixture = await openWebFixture();
  root = await fixture.signedIn('administrator');
  viewer = await fixture.signedIn('viewer');
  await fixture.scene.addServer('web', { os_patch: true });
});
afterAll(() => fixture.close());

const recorded = async () => {
  await fixture.recordReads.flush();
  const { items } = await fixture.scene.audit.list({ action: 'read' }, { limit: 20, offset: 0 });
  return items.map(({ actorName, object, detail }) => [actorName, object, detail['by']]);
};

test('Pages of a server are recorded once an administrator asks for it', async () => {
  await viewer.get('/servers/1');
  expect(await recorded()).toEqual([]);
  expect((await viewer.post('/audit/reads', { reads: 'on' })).status).toBe(403);
  expect((await root.get('/audit')).text).toContain('Record reads');
  expect((await root.post('/audit/reads', { reads: 'on' })).location).toBe('/audit');
  await viewer.get('/servers/1');
  await viewer.get('/servers/1/jobs');
  expect(await recorded()).toEqual([
    ['viewer1', 'server:1', '/servers/:id/jobs'],
    ['viewer1', 'server:1', '/servers/:id'],
  ]);
});

test('Lists, refused requests and what an open page refreshes are not', async () => {
  const before = await recorded();
  for (const path of ['/servers', '/', '/servers/99', '/settings/users', '/live/servers/1/head'])
    await viewer.get(path);
  await fixture.browser().get('/servers/1');
  expect(await recorded()).toEqual(before);
});

test('The changes of a server do not list them, the audit log does', async () => {
  expect((await root.get('/audit?action=read&server=web')).text).toContain('viewer1');
  expect((await viewer.get('/servers/1')).text).not.toContain('/servers/:id');
});
