import { afterEach, describe, expect, test } from 'vitest';
import { HOUR, SECOND, toIso } from '../../../../src/domain/base/instant.ts';
import { ask, finishAll, openWithAgent } from './approval-requests.ts';
import type { Visitor, WebFixture } from './web-fixture.ts';

let fixture: WebFixture;
let operator: Visitor;
afterEach(() => fixture.close());

describe('The queue', () => {
  const SECURITY = { kind: 'upgrade', name: 'openssl', from: '1', to: '2', security: true };
  /** Requests that wait, each for a different server, with their dry runs. */
  async function waiting(...names: string[]) {
    fixture = await openWithAgent();
    operator = await fixture.signedIn('operator');
    for (const name of names) {
      const { id } = await fixture.scene.addServer(name, { os_patch: true, backup: true });
      const { at } = await ask(fixture, 'os_patch', null, { id, name });
      await fixture.scene.clock.advance(SECOND);
      await operator.post(`${at}/plan`);
      await finishAll(fixture, plan([SECURITY]));
    }
  }
  const plan = (changes: readonly unknown[]) => ({
    changes,
    plan_expires_at: toIso(fixture.scene.clock.now() + HOUR),
  });
  const planOf = async (id: number) => (await fixture.scene.approvals.find(id))?.planJobId ?? 0;
  const stateOf = async (id: number) => (await fixture.scene.approvals.find(id))?.state;

  test('shows the oldest request beside all that wait, with the risk of each', async () => {
    await waiting('app', 'db');
    const { text } = await operator.get('/approvals');
    expect(text).toMatch(/<section[^>]* id="request"[^>]*>.*Update packages: .*>app</s);
    expect(text).toContain('action="/approvals/1/approve"');
    // Enter in the note decides nothing until a key chose the button.
    expect(text).toMatch(
      /action="\/approvals\/1\/approve"[^>]*><button type="submit" (?:disabled hidden|hidden disabled)>/,
    );
    const queue = /<div id="list".*/s.exec(text)?.[0] ?? '';
    expect(queue.indexOf('/approvals/1"')).toBeLessThan(queue.indexOf('/approvals/2"'));
    expect(queue.match(/1 security/g)).toHaveLength(2);
    // A plan that removes nothing says so with a check; before a number, a dash would be a minus.
    expect(text).toMatch(/<span class="status good"><svg(?:(?!<\/span>).)*<span>0 removed/s);
    expect(text).toContain('<span class="status off"><span>1 package</span>');
    expect(queue).toMatch(/data-key="j" href="\/approvals\/2"|href="\/approvals\/2"[^>]* data-key="j"/);
    expect((await operator.get('/live/approvals?at=2')).text).toMatch(/^<div id="list".*data-key="k"/s);
    expect((await operator.get('/')).text).toContain('Approvals, jobs');
  });

  test('goes on to the next request after a decision, and to the job after the last', async () => {
    await waiting('app', 'db', 'web');
    expect((await operator.post('/approvals/2/refuse', {})).location).toBe('/approvals/3');
    expect((await operator.post('/approvals/3/approve', { plan_id: String(await planOf(3)) })).location).toBe(
      '/approvals/1?approved=3',
    );
    for (const path of ['/approvals/1?approved=3', '/live/approvals?at=1&approved=3'])
      expect((await operator.get(path)).text).toMatch(/Just approved: [^<]*web, <a href="\/jobs\/\d+"/);
    expect((await operator.get('/approvals/1?approved=2')).text).not.toContain('Just approved');
    const last = await operator.post('/approvals/1/approve', { plan_id: String(await planOf(1)) });
    expect(last.location).toBe('/jobs/1');
    expect((await operator.get('/approvals')).text).toContain('No requests');
  });

  test('approves the selected plans as shown, and says which it could not', async () => {
    await waiting('app', 'db', 'web');
    const shown = { plan_1: await planOf(1), plan_2: await planOf(2), plan_3: await planOf(3) };
    await fixture.scene.clock.advance(HOUR);
    await operator.post('/approvals/3/plan');
    await finishAll(fixture, plan([]));
    await operator.post('/approvals/2/refuse', {});
    const renewed = await planOf(3);
    const done = await operator.post('/approvals/bulk', {
      ids: ['1', '2', '3'],
      ...Object.fromEntries(Object.entries(shown).map(([name, id]) => [name, String(id)])),
      plan_3: String(renewed),
    });
    expect(done.status).toBe(200);
    expect(done.text).toContain('Approved 1 request');
    expect(done.text).toContain('2 requests refused');
    expect([await stateOf(1), await stateOf(2), await stateOf(3)]).toEqual([
      'waiting',
      'refused',
      'approved',
    ]);
    expect((await fixture.scene.jobs.find(5))?.params.planId).toBe(renewed);
  });

  test('declines all selected with a note, and says what they amount to before', async () => {
    await waiting('app', 'db');
    const sum = async (query: string) => (await operator.get(`/live/approvals/sum?${query}`)).text;
    expect(await sum('ids=1&ids=2')).toMatch(
      /^2 requests selected: 2 jobs, on 2 servers<.*2 security.*2 packages/s,
    );
    expect((await sum('')).trim()).toBe('');
    const form = { ids: ['1', '2'], decision: 'decline', note: 'not today' };
    expect((await operator.post('/approvals/bulk', form)).location).toBe('/approvals');
    expect([await stateOf(1), await stateOf(2)]).toEqual(['refused', 'refused']);
    expect((await operator.get('/approvals/1')).text).toContain('not today');
    expect((await (await fixture.signedIn('viewer')).get('/live/approvals/sum')).status).toBe(403);
  });

  test('approves all selected and leads back to the queue', async () => {
    await waiting('app', 'db');
    const form = { ids: ['1', '2'], plan_1: String(await planOf(1)), plan_2: String(await planOf(2)) };
    expect((await operator.post('/approvals/bulk', form)).location).toBe('/approvals');
    expect((await operator.get('/approvals')).text).toContain('Approved 2 requests');
    const viewer = await fixture.signedIn('viewer');
    expect((await viewer.post('/approvals/bulk', form)).status).toBe(403);
    expect((await viewer.get('/approvals')).text).not.toContain('name="ids"');
  });
});
