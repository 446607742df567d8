import { afterAll, beforeAll, expect, test } from 'vitest';
import { RestEventBodies } from '../../../../src/adapters/inbound/api/event-bodies.ts';
import { ask, askToSwitchOff, openWithAgent } from './approval-requests.ts';
import type { Visitor, WebFixture } from './web-fixture.ts';

const ORIGIN = 'https://drover.example.org';
const SAME = { 'Sec-Fetch-Site': 'same-origin' };
const bodies = new RestEventBodies({ publicUrl: ORIGIN });

let fixture: WebFixture;
let stranger: Visitor;
let viewer: Visitor;
let operator: Visitor;
beforeAll(async () => {
  fixture = await openWithAgent();
  stranger = fixture.browser();
  viewer = await fixture.signedIn('viewer');
  operator = await fixture.signedIn('operator');
  await fixture.scene.addServer('web', { os_patch: true, backup: true });
  for (const source of ['a', 'b', 'c']) await fixture.scene.addSource(1, source);
});
afterAll(() => fixture.close());

/** Where a message about the request leads, and the request. */
async function linked(source: string) {
  const { job, at } = await ask(fixture, 'backup', source);
  const event = { type: 'approval.requested', serverId: 1, jobId: job.id } as const;
  return { link: bodies.link(event)?.slice(ORIGIN.length) ?? '', at, job };
}
const stateOf = async (at: string) =>
  (await fixture.scene.approvals.find(Number(at.slice('/approvals/'.length))))?.state;

test('The link of a message has no secret, and leads users who are not signed in to the sign-in page', async () => {
  const { link, at } = await linked('a');
  expect(link).toMatch(/^\/jobs\/\d+\/request$/);
  for (const path of [link, at, '/approvals']) {
    const { status, location } = await stranger.get(path);
    expect([status, location]).toEqual([303, `/sign-in?next=${encodeURIComponent(path)}`]);
  }
  for (const action of ['approve', 'refuse', 'plan'])
    expect((await stranger.post(`${at}/${action}`)).location).toMatch(/^\/sign-in/);
  await stranger.post('/approvals/bulk', { ids: at.slice('/approvals/'.length) });
  expect(await stateOf(at)).toBe('waiting');
  // After signing in, the user is where the message led.
  const { location } = await fixture
    .browser()
    .post('/sign-in', { name: 'operator2', password: 'quilt-harbor-ninety-violin', next: link });
  expect(location).toBe(link);
  expect((await operator.get(link)).location).toBe(at);
});

test('A request is one click away from its message', async () => {
  const { link, at } = await linked('e');
  const { text } = await operator.get((await operator.get(link)).location ?? '');
  expect(text).toMatch(
    new RegExp(`<form[^>]* action="${at}/approve".*<button type="submit"[^>]* data-key="A"`, 's'),
  );
  expect((await operator.get('/jobs/999/request')).status).toBe(404);
});

test('Opening a link decides nothing, also for users who may approve', async () => {
  const { link, at } = await linked('b');
  for (const visitor of [viewer, operator])
    for (const path of [link, at, `/live${at}`, `${at}?approve=1`]) {
      const { status } = await visitor.get(path);
      expect([path, status]).toEqual([path, path === link ? 303 : 200]);
    }
  // Decisions have no address for GET.
  for (const action of ['approve', 'refuse', 'plan'])
    expect([404, 405]).toContain((await operator.get(`${at}/${action}`)).status);
  expect(await stateOf(at)).toBe('waiting');
});

test('A signed-in user who may not approve is refused, and so is a form of a different site', async () => {
  const { at } = await linked('c');
  for (const action of ['approve', 'refuse'])
    expect((await viewer.post(`${at}/${action}`, {}, SAME)).status).toBe(403);
  const foreign = { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://mail.example.net' };
  expect((await operator.post(`${at}/approve`, {}, foreign)).status).toBe(403);
  expect(await stateOf(at)).toBe('waiting');
});

test('A request is decided once: the same link later only shows what was decided', async () => {
  const { link, at, job } = await linked('d');
  await fixture.scene.addSource(1, 'd');
  expect((await operator.post(`${at}/approve`, { note: 'first' })).status).toBe(303);
  for (const action of ['approve', 'refuse']) {
    const again = await operator.post(`${at}/${action}`, { note: 'again' });
    expect([again.status, again.text.includes('there is nothing left to decide')]).toEqual([409, true]);
  }
  expect(await stateOf(at)).toBe('approved');
  expect((await fixture.scene.jobs.find(job.id))?.status).toBe('pending');
  expect((await operator.get((await operator.get(link)).location ?? '')).text).toContain('first');
});

test('A message about a change without a job leads to the requests', async () => {
  const { at, approval } = await askToSwitchOff(fixture, 'backup');
  const { serverId } = approval;
  const link = bodies.link({ type: 'approval.requested', serverId, jobId: null });
  expect(link).toBe(`${ORIGIN}/approvals`);
  expect((await operator.get('/approvals')).text).toContain(`href="${at}"`);
});
