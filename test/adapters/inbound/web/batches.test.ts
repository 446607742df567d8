import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  partlyFailed,
  progressText,
} from '../../../../src/adapters/inbound/web/pages/automation/batch-rows.tsx';
import { HOUR } from '../../../../src/domain/base/instant.ts';
import { newBatch, newMember } from '../../../support/schedules.ts';
import { openWebFixture, type WebFixture } from './web-fixture.ts';

let fixture: WebFixture;
afterEach(() => fixture?.close());

async function open() {
  fixture = await openWebFixture();
  for (const name of ['web', 'db', 'mail']) {
    const server = await fixture.scene.addServer(name, { backup: name !== 'mail', os_patch: true });
    await fixture.scene.addSource(server.id);
  }
  return { scene: fixture.scene, operator: await fixture.signedIn('operator') };
}

const OPENSSL = { kind: 'upgrade', name: 'openssl', from: '1', to: '2', security: true };

const ALL = {
  type: 'backup',
  selector: 'all',
  servers: '',
  tags: '',
  max_parallel: '2',
  canary: '1',
  stop_after_failures: '1',
};

test('the progress of a batch counts servers that are done, and names those that did not start', () => {
  const counts = { waiting: 0, active: 0, success: 5, failed: 1, cancelled: 0, skipped: 0, left_out: 8 };
  expect(progressText({ counts })).toBe('6 of 14 servers, 1 failed, 8 not started');
  expect(partlyFailed(counts)).toEqual(['care', '1 of 14 failed']);
  expect(partlyFailed({ ...counts, success: 0, failed: 6, left_out: 0 })).toEqual(['bad', 'failed']);
  expect(progressText({ counts: { ...counts, success: 0, failed: 0, left_out: 0, active: 2 } })).toBe(
    '0 of 2 servers',
  );
});

test('Batches are counted by state, and more than a few servers are counted, too', async () => {
  const { operator, scene } = await open();
  for (const ids of [
    [1, 2],
    [1, 2, 3, 4],
    [1, 2, 3, 4],
  ]) {
    const batch = newBatch({ selector: { by: 'ids', ids } });
    const made = await scene.batches.create(batch, [newMember(1, { serverName: 'web' })], () => ({}));
    if (ids.length === 2) await scene.batches.finish(made, 'failed', scene.clock.now(), () => ({}));
  }
  const { text } = await operator.get('/batches');
  expect(text).toMatch(/class="sub">3 batches · 2 running · 1 with failures</);
  expect(text).toMatch(/status=failed"[^>]*>Failed <span class="n">1</);
  expect(text).toMatch(/status=running"[^>]*>Running <span class="n">2</);
  expect(text.match(/title="servers web, db, mail, 4">4 servers</g)).toHaveLength(2);
  expect(text).toContain('>servers web, db<');
});

describe('A batch', () => {
  test('shows the ring of each server, and what the run waits for', async () => {
    const { operator, scene } = await open();
    const orders = [
      { policyId: 3, policy: 'careful', rings: [{ tag: 'canary', bakeMs: 5 }], order: [], groups: [] },
    ];
    const place = { policyId: 3, ring: 0, step: 0, groups: [] };
    const members = [
      newMember(1, { serverName: 'web', place, notBefore: scene.clock.now() + HOUR }),
      newMember(2, { serverName: 'db', place: { ...place, ring: 1 } }),
    ];
    const { id } = await scene.batches.create(newBatch({ orders, scheduled: true }), members, () => ({}));
    const { text } = await operator.get(`/batches/${id}`);
    expect(text).toContain('Policy careful: ring canary waits for the random delay');
    expect(text).toMatch(/title="web: [^"]*, ring canary"/);
    expect(text).toMatch(/title="db: [^"]*, the last ring"/);
    expect((await operator.get(`/batches/${id}?members=waiting`)).text).toContain('>Ring<');
  });

  test('is a dry run first, then the same for real, and shows each of its servers', async () => {
    const { operator, scene } = await open();
    expect((await operator.get('/batches')).text).toContain('No batches yet');
    expect((await operator.get('/batches/new')).text).not.toContain('value="template_deploy"');
    const fresh = (await operator.get('/batches/new')).text;
    expect(fresh).toMatch(/<input type="checkbox" name="servers" value="[^"]+"/);
    for (const name of ['type', 'selector', 'servers', 'canary', 'source_filter'])
      expect(fresh).toMatch(new RegExp(`<(?:input|select|textarea)[^>]*name="${name}"`));
    expect(fresh).toContain('<option value="backup" selected');
    const [source] = await scene.sources.ofServer(1);
    for (const path of ['/batches/new', '/schedules/new?type=backup'])
      expect((await operator.get(path)).text).toMatch(
        new RegExp(
          `list="sources"[^>]*name="source_filter".*<datalist id="sources"><option value="${source?.name}"`,
          's',
        ),
      );
    const changed = await operator.post('/batches/new', {
      ...ALL,
      type: 'host_reboot',
      fields_of: 'os_patch',
    });
    expect([changed.status, changed.text.includes('name="grace_seconds"')]).toEqual([200, true]);
    expect(changed.text).toMatch(/name="max_parallel"[^>]*value="2"/);
    expect((await scene.batches.list({}, { limit: 1, offset: 0 })).total).toBe(0);
    const kept = (await operator.get('/batches/new?type=host_reboot&selector=all&max_parallel=7')).text;
    expect(kept).toMatch(/name="max_parallel"[^>]*value="7"/);
    expect((await operator.post('/batches/new', ALL)).location).toBe('/batches/1');
    expect(await scene.batches.find(1)).toMatchObject({
      params: { dryRun: true },
      bounds: { maxParallel: 2, canary: 1, stopAfterFailures: 1 },
      requester: { kind: 'user', label: 'user:operator1' },
    });
    const { text } = await operator.get('/batches/1');
    expect(text).toContain('hx-get="/live/batches/1"');
    expect(text).toContain('The feature &quot;backup&quot; is off for mail');
    expect((await operator.get('/batches/1?members=skipped')).text).not.toContain('>web</a>');
    expect((await operator.get('/live/batches/1')).text).toMatch(/^<div id="batch"/);
    expect(text).not.toContain('Start batch');
    const batch = await scene.batches.find(1);
    if (batch === null) throw new Error('no batch');
    const counts = { ...batch.counts, waiting: 0, success: 2 };
    scene.batches.find = async () => ({ ...batch, counts, status: 'success' });
    expect((await operator.get('/batches/1')).text).toContain('Start batch');
    const planned = vi.spyOn(fixture.work.startBatch, 'execute');
    expect((await operator.post('/batches/1/apply')).location).toBe('/batches/2');
    expect(planned.mock.lastCall?.[1]).toMatchObject({ dryRun: false, planBatchId: 1 });
    await operator.post('/batches/1/apply', { what: 'beyond' });
    expect(planned.mock.lastCall?.[1]).not.toHaveProperty('planBatchId');
  });

  test('shows what the dry run of each server found, and what all amount to, once all have ended', async () => {
    const { operator, scene } = await open();
    await operator.post('/batches/new', ALL);
    const found = await scene.batches.find(1);
    if (found === null) throw new Error('no batch');
    const page = await scene.batches.members(1, {}, { limit: 10, offset: 0 });
    const summary = 'Dry run: 4 packages would be upgraded.';
    const ids: number[] = [];
    for (const [server, changes] of [
      [1, ['nginx', 'linux-image-amd64'].map((name) => ({ ...OPENSSL, name }))],
      [2, [OPENSSL, { ...OPENSSL, name: 'old', kind: 'remove', to: null, security: false }]],
      [3, []],
    ] as const) {
      await operator.post(`/servers/${server}/jobs/new`, { type: 'os_update_check' });
      const at = scene.clock.now();
      const [claim] = await scene.queue.claim({
        owner: 'w',
        leaseMs: HOUR,
        at,
        limit: 1,
        record: () => ({}),
      });
      if (!claim) throw new Error('no job waits');
      const outcome = { status: 'success', summary, error: null, result: { changes }, facts: {} } as const;
      await scene.queue.finish(claim, outcome, at, () => ({}));
      ids.push(claim.job.id);
    }
    scene.batches.members = async () => ({
      ...page,
      items: page.items.map((member, index) => ({ ...member, status: 'success', jobId: ids[index] ?? null })),
    });
    expect((await operator.get('/batches/1')).text).not.toContain(summary);
    const counts = { ...found.counts, waiting: 0, active: 0, skipped: 0, failed: 1, success: 3 };
    scene.batches.find = async () => ({ ...found, counts, status: 'success' });
    const { text } = await operator.get('/batches/1');
    expect(text).toContain(summary);
    const sum = /<form[^>]*action="\/batches\/1\/apply".*?<fieldset/s.exec(text)?.[0] ?? '';
    const chips = [...sum.matchAll(/<span class="status (\w+)">.*?<span>([^<]+)<\/span><\/span>/gs)];
    expect(chips.map(([, tone, words]) => [tone, words])).toEqual([
      ['care', '3 security'],
      ['off', '4 packages'],
      ['bad', '1 removed'],
      ['care', '1 service restart'],
      ['care', '1 reboot needed'],
      ['good', '1 server unchanged'],
      ['care', '1 server without a plan: skipped'],
    ]);
  });

  test('goes on with its jobs as the person who asked for it', async () => {
    const { operator, scene } = await open();
    await operator.post('/batches/new', { ...ALL, canary: '0' });
    await fixture.work.advanceBatches.execute(new AbortController().signal);
    expect((await operator.get('/batches/1')).text).toContain('/jobs/1');
    expect((await scene.jobs.find(1))?.requestedBy).toBe('user:operator1');
    expect((await operator.get('/jobs/1')).text).toContain('· <a href="/batches/1">batch 1</a>');
    await operator.post('/batches/1/cancel');
    await fixture.work.advanceBatches.execute(new AbortController().signal);
    expect((await operator.post('/batches/1/cancel')).status).toBe(409);
  });

  test('that is invalid is asked for again', async () => {
    const { operator } = await open();
    const answer = await operator.post('/batches/new', { ...ALL, max_parallel: '0' });
    expect(answer.status).toBe(422);
    expect(answer.text).toContain('Enter a whole number from 1 to 100.');
    const none = await operator.post('/batches/new', { ...ALL, selector: 'tags', tags: 'nowhere' });
    expect(none.status).toBe(404);
    expect(none.text).toContain('value="nowhere"');
  });

  test('that cannot be undone asks for the number of servers', async () => {
    const { operator, scene } = await open();
    await operator.post('/batches/new', { ...ALL, type: 'retention' });
    const batch = await scene.batches.find(1);
    if (batch === null) throw new Error('no batch');
    const counts = { ...batch.counts, waiting: 0, success: 2 };
    scene.batches.find = async () => ({ ...batch, counts, status: 'success' });
    const refused = await operator.post('/batches/1/apply', { count: '5' });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('value="5"');
    expect((await operator.post('/batches/1/apply', { count: '3' })).location).toBe('/batches/2');
  });
});
