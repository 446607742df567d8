import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, openWithAgent } from './approval-requests.ts';
import type { Visitor, WebFixture } from './web-fixture.ts';

let fixture: WebFixture;
let root: Visitor;
let one: Visitor;
let other: Visitor;
beforeAll(async () => {
  fixture = await openWithAgent();
  root = await fixture.signedIn('administrator');
  one = await fixture.signedIn('operator');
  other = await fixture.signedIn('operator');
  await fixture.scene.addServer('web', { os_patch: true, backup: true });
  await fixture.scene.addSource(1, 'a');
  await fixture.scene.addSource(1, 'b');
});
afterAll(() => fixture.close());

const RULE = '/settings/users/approvals';
const stateOf = async (at: string) =>
  (await fixture.scene.approvals.find(Number(at.slice('/approvals/'.length))))?.state;

test('The rule is set in the settings of users, by administrators', async () => {
  const rule = { four_eyes: 'yes', approver_role: 'operator', approvers: '2' };
  expect((await one.post(RULE, rule)).status).toBe(403);
  expect((await root.post(RULE, { ...rule, approvers: '1e0' })).status).toBe(422);
  expect((await root.post(RULE, { four_eyes: 'yes' })).status).toBe(422);
  expect((await root.post(RULE, rule)).location).toBe('/settings/users');
  const shown = (await root.get('/settings/users')).text;
  expect(shown).toMatch(/name="approvers"[^>]* value="2"|value="2"[^>]* name="approvers"/);
});

test('The page shows who approved and how many are missing, and no button to who cannot', async () => {
  const { at } = await ask(fixture, 'backup', 'a');
  const creator = (await root.get(at)).text;
  expect(creator).toContain('Someone else has to approve this');
  expect(creator).not.toContain('data-key="A"');
  expect(creator).toContain(`formaction="${at}/refuse"`);
  expect((await root.post(`${at}/approve`, {})).status).toBe(409);
  const fresh = (await one.get(at)).text;
  expect(fresh).toContain('2 approvals missing');
  expect(fresh).toContain('data-key="A"');
  await one.post(`${at}/approve`, { note: 'first' });
  expect(await stateOf(at)).toBe('waiting');
  const half = (await one.get(at)).text;
  expect(half).toContain('1 approval missing');
  expect(half).toContain('You have approved this');
  expect(half).not.toContain('data-key="A"');
  expect((await one.post(`${at}/approve`, {})).status).toBe(409);
  await other.post(`${at}/approve`, {});
  expect(await stateOf(at)).toBe('approved');
  const done = (await root.get(at)).text;
  expect(done).toMatch(/User<\/span> operator1<\/span>, .*User<\/span> operator2<\/span>, /);
});

test('Several at once count like single ones, and say which still wait', async () => {
  const { at } = await ask(fixture, 'backup', 'b');
  const id = at.slice('/approvals/'.length);
  const refused = await root.post('/approvals/bulk', { ids: [id] });
  expect(refused.text).toContain('1 request refused');
  expect((await one.post('/approvals/bulk', { ids: [id] })).location).toBe('/approvals');
  expect(await stateOf(at)).toBe('waiting');
  const again = await one.post('/approvals/bulk', { ids: [id] });
  expect(again.text).toContain('1 request refused');
  expect(await stateOf(at)).toBe('waiting');
});

test('A token can have a separate rule, beside the one for all', async () => {
  const form = {
    name: 'strict',
    scopes: 'read',
    expires_at: 'never',
    servers: 'all',
    approval: 'reviewer',
    approver_role: 'administrator',
    approvers: '3',
  };
  for (const approval of ['none', 'client'])
    expect((await root.post('/settings/tokens/new', { ...form, approval })).status).toBe(422);
  expect((await root.post('/settings/tokens/new', form)).status).toBe(303);
  const { items } = await fixture.scene.tokens.list({ limit: 1, offset: 0 });
  expect(items[0]).toMatchObject({
    name: 'strict',
    approvalRule: { fourEyes: false, role: 'administrator', approvers: 3 },
  });
  expect((await root.get(`/settings/tokens/${items[0]?.id}`)).text).toContain('3 administrators');
});
