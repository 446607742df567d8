import { afterEach, beforeEach, expect, test } from 'vitest';
import { Browser, PushService } from '../../../support/push-service.ts';
import { openWebFixture, type Visitor, type WebFixture } from './web-fixture.ts';

const PATH = '/settings/alerts/browser';

let fixture: WebFixture;
let pushes: PushService;
let base: string;
const device = new Browser();

beforeEach(async () => {
  fixture = await openWebFixture();
  pushes = new PushService();
  base = await pushes.listen();
});
afterEach(async () => {
  await pushes.close();
  await fixture.close();
});

const subscribe = (person: Visitor, over: object = {}) =>
  person.post(PATH, {
    ...device.keys(`${base}a`),
    which: 'all',
    min_severity: 'warning',
    ...over,
  });

test('A browser gets the chosen events and a test, until it is removed', async () => {
  const ann = await fixture.signedIn('viewer');
  const empty = await ann.get(PATH);
  expect(empty.text).toContain(`data-push-form="${await fixture.messaging.managePush.publicKey()}"`);
  expect(empty.text).toContain('requires JavaScript');
  expect((await subscribe(ann)).location).toBe(PATH);
  const page = await ann.get(PATH);
  expect(page.text).toContain('all events; warning or critical');
  expect(page.text).not.toContain(base);
  const tested = await ann.post(`${PATH}/1/test`);
  expect(tested.text).toContain('push service accepted it');
  const message = JSON.parse(device.decrypt(pushes.pushed[0]?.body ?? Buffer.alloc(0))) as object;
  expect(message).toMatchObject({ type: 'ping', title: 'A test' });
  expect((await ann.post(`${PATH}/1/remove`)).location).toBe(PATH);
  expect((await ann.get(PATH)).text).not.toContain('Your browsers');
});

test('No user sends to, or removes, the browser of another one', async () => {
  const [ann, bob] = [await fixture.signedIn('viewer'), await fixture.signedIn('administrator')];
  await subscribe(ann);
  expect((await bob.get(PATH)).text).not.toContain('Your browsers');
  for (const what of ['test', 'remove']) expect((await bob.post(`${PATH}/1/${what}`)).status).toBe(404);
  expect(pushes.pushed).toEqual([]);
});

test('No user exhausts the limit of browsers for all', async () => {
  const [ann, bob] = [await fixture.signedIn('viewer'), await fixture.signedIn('viewer')];
  for (let i = 0; i < 20; i += 1) await subscribe(ann, device.keys(`${base}${i}`));
  const more = await subscribe(ann, device.keys(`${base}20`));
  expect([more.status, more.text.includes('You already have 20 browsers')]).toEqual([422, true]);
  expect((await subscribe(ann, device.keys(`${base}7`))).location).toBe(PATH);
  expect((await subscribe(bob, device.keys(`${base}20`))).location).toBe(PATH);
});

test('A test that is not taken says why', async () => {
  const ann = await fixture.signedIn('viewer');
  await subscribe(ann);
  pushes.answers.push(500);
  expect((await ann.post(`${PATH}/1/test`)).text).toContain('Not accepted:');
});

test.each([[{ endpoint: 'nonsense' }], [{ p256dh: 'x' }], [{ min_severity: 'dire' }], [{ which: 'some' }]])(
  'What no browser sends is refused: %j',
  async (over) => {
    const ann = await fixture.signedIn('viewer');
    expect((await subscribe(ann, { ...over })).status).toBe(422);
  },
);

test('A disabled user gets no notifications', async () => {
  const [ann, root] = [await fixture.signedIn('viewer'), await fixture.signedIn('administrator')];
  await subscribe(ann);
  await root.post('/settings/users/viewer1/disable');
  expect(await fixture.scene.subscriptions.list()).toEqual([]);
});
