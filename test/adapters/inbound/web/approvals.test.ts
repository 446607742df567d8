import { afterAll, beforeAll, expect, test } from 'vitest';
import { SECOND } from '../../../../src/domain/base/instant.ts';
import { ask, askToSwitchOff, finishAll, openWithAgent } from './approval-requests.ts';
import type { Visitor, WebFixture } from './web-fixture.ts';

let fixture: WebFixture;
let operator: Visitor;
beforeAll(async () => {
  fixture = await openWithAgent();
  operator = await fixture.signedIn('operator');
  await fixture.scene.addServer('web', { os_patch: true, backup: true });
  await fixture.scene.addSource(1);
});
afterAll(() => fixture.close());

test('A request is counted in the navigation, listed, and led to from its job', async () => {
  expect((await operator.get('/')).text).toContain('data-count="approvals"></span>');
  const { job, at } = await ask(fixture, 'backup', 'etc');
  await fixture.scene.clock.advance(5 * SECOND);
  const list = await operator.get('/approvals');
  expect(list.text).toContain('data-count="approvals">1</span>');
  expect(list.text).toContain(`href="${at}"`);
  expect(list.text).toMatch(/>Waiting <span class="n">1</);
  expect(list.text).toMatch(/href="\/approvals\?state=all"[^>]*>All <span class="n">1</);
  for (const chip of ['Approved', 'Declined', 'Expired'])
    expect(list.text).toContain(`>${chip} <span class="n">0<`);
  expect(list.text).not.toContain('>Withdrawn');
  const refused = (await operator.get('/approvals?state=refused')).text;
  expect(refused).toContain('No requests.');
  expect(refused).toMatch(/>Declined <span class="n">0</);
  expect((await operator.get(`/jobs/${job.id}`)).text).toContain(`<a href="${at}">Decide</a>`);
  const shown = await operator.get(at);
  expect(shown.text).toMatch(/<span class="hidden">Token<\/span> agent/);
  expect(shown.text).toContain('203.0.113.5');
  expect(shown.text).toContain('so it has no dry run');
});

test('A person approves it, and the job waits for a worker', async () => {
  const { job, at } = await ask(fixture, 'backup');
  const answer = await operator.post(`${at}/approve`, { note: 'go on' });
  // The request of the test before still waits: it is shown next, and the job is linked.
  expect([answer.status, answer.location]).toEqual([303, '/approvals/1?approved=2']);
  expect((await operator.get('/approvals')).text).toMatch(
    new RegExp(`class="toast">.*href="/jobs/${job.id}"`),
  );
  expect((await fixture.scene.jobs.find(job.id))?.status).toBe('pending');
  expect((await operator.get(at)).text).toContain('go on');
  const decided = (await operator.get('/approvals?state=approved')).text;
  expect(decided).toMatch(/<span class="hidden">User<\/span> operator1<\/span>, <time/);
  expect(decided).not.toContain('user:');
  expect((await operator.get(`/jobs/${job.id}`)).text).toContain('approved');
  const late = await operator.post(`${at}/refuse`, {});
  expect(late.status).toBe(409);
  expect(late.text).toContain('there is nothing left to decide');
  expect(late.text).not.toContain('by user:');
  await fixture.scene.jobs.requestCancel(job.id, 0, () => ({}));
});

test('What changes something asks for its dry run first, and keeps the note', async () => {
  const { job, at } = await ask(fixture, 'os_patch');
  const early = await operator.post(`${at}/approve`, { note: 'typed before' });
  expect(early.status).toBe(409);
  expect(early.text).toContain('This job has no dry run yet');
  expect(early.text).toContain('value="typed before"');
  expect((await operator.post(`${at}/plan`)).location).toBe(at);
  const shown = await operator.get(at);
  expect(shown.text).toContain('hx-get="/live/approvals/');
  expect(shown.text).toMatch(/name="plan_id" value="\d+"/);
  expect((await operator.get(`/live${at}`)).text).toMatch(/^<section id="plan"/);
  const busy = await operator.post(`${at}/approve`, { without_plan: 'yes' });
  expect([busy.status, busy.text.includes('is already pending on web')]).toEqual([409, true]);
  expect((await fixture.scene.jobs.find(job.id))?.status).toBe('awaiting_approval');
});

test('It shows the reason as the words of the requester, and the plan as a table with its risks', async () => {
  await finishAll(fixture, {});
  const { job, at } = await ask(fixture, 'os_patch', 'planned');
  await operator.post(`${at}/plan`);
  const changes = [
    { kind: 'upgrade', name: 'openssl', from: '3.0.14-1', to: '3.0.15-1', security: true },
    { kind: 'remove', name: 'libold', from: '1.0', to: null, security: false },
  ];
  await finishAll(fixture, { changes });
  const { text } = await operator.get(at);
  expect((await operator.get(`/jobs/${job.id}`)).text).toContain('Reason given by token:agent');
  expect(text).toContain('Reason given by the agent agent');
  expect(text).toContain('CVE-2026-1234 &lt;b>now&lt;/b>');
  for (const part of [
    '1 security',
    '2 packages',
    '1 removed',
    'no reboot',
    'server unchanged since',
    '3.0.15-1',
    'Approve this plan',
  ]) {
    expect([part, text.includes(part)]).toEqual([part, true]);
  }
  expect(text).toMatch(/<form[^>]* class="decide"/);
});

test('Invalid input is shown at its field, and a refusal gives the job the reason', async () => {
  const { job, at } = await ask(fixture, 'backup', 'etc2');
  const long = await operator.post(`${at}/refuse`, { note: 'x'.repeat(501) });
  expect(long.status).toBe(422);
  expect(long.text).toContain('aria-invalid');
  expect(long.text).toContain('x'.repeat(501));
  await operator.post(`${at}/refuse`, { note: '<b>no</b>' });
  expect((await fixture.scene.jobs.find(job.id))?.error?.detail).toMatch(/declined it: <b>no<\/b>$/);
  expect((await operator.get(at)).text).not.toContain('<b>');
  expect((await operator.get('/approvals/77')).status).toBe(404);
  expect((await operator.get('/approvals/x')).status).toBe(404);
});

test('A viewer sees it and has no button', async () => {
  const { at } = await ask(fixture, 'os_patch', 'other');
  const viewer = await fixture.signedIn('viewer');
  const { text } = await viewer.get(at);
  expect(text).toContain('Dry run');
  expect(text).not.toContain('/approve"');
  expect(text).not.toContain('/plan"');
});

test('A change shows before and after, is made once approved, and refuses another state', async () => {
  const { approval, at } = await askToSwitchOff(fixture, 'backup');
  const shown = await operator.get(at);
  for (const part of ['Switch features', 'on → off', 'Approve']) {
    expect([part, shown.text.includes(part)]).toEqual([part, true]);
  }
  expect((await operator.get('/approvals')).text).toContain('Switch features · web');
  const answer = await operator.post(`${at}/approve`, { note: 'fine' });
  expect(answer.status).toBe(303);
  expect((await fixture.scene.servers.find(1))?.features.backup).toBe(false);
  expect((await fixture.scene.approvals.find(approval.id))?.change?.outcome).toBe('done');
  const after = await operator.get(at);
  expect(after.text).toContain('deleted the contents');
  const later = await askToSwitchOff(fixture, 'os_patch');
  await fixture.scene.servers.setFeatures(1, { os_patch: false }, 0, () => ({}));
  const refused = await operator.post(`${later.at}/approve`, {});
  expect([refused.status, refused.text.includes('The state has changed')]).toEqual([409, true]);
  const queue = await operator.post('/approvals/bulk', { ids: String(later.approval.id) });
  expect(queue.text).toContain('The state has changed');
});
