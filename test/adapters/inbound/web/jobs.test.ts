import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Claim } from '../../../../src/application/ports/jobs/job-queue.ts';
import { type JobResult, requestJob } from '../../../../src/domain/jobs/job.ts';
import { FakeCronClock } from '../../../fakes/fake-cron-clock.ts';
import { EventClient } from '../../../support/event-source.ts';
import { openWebFixture, type Visitor, type WebFixture } from './web-fixture.ts';

let fixture: WebFixture;
/** Waits until it is so. */
const soon = (so: () => unknown) => vi.waitFor(so, { timeout: 10_000, interval: 20 });
afterEach(() => fixture.close());

async function open(features = { backup: true, os_patch: true, docker: true }) {
  fixture = await openWebFixture();
  const { scene } = fixture;
  const server = await scene.addServer('web', features, 'ssh');
  await scene.addSource(server.id);
  const operator = await fixture.signedIn('operator');
  return { scene, server, operator };
}

/** As a worker takes the waiting job, and writes and ends it. */
async function work(): Promise<{
  readonly claim: Claim;
  readonly log: (text: string) => Promise<void>;
  readonly end: (result: JobResult | null) => Promise<unknown>;
}> {
  const { queue, clock } = fixture.scene;
  const [claim] = await queue.claim({
    owner: 'w',
    leaseMs: 3_600_000,
    at: clock.now(),
    limit: 1,
    record: () => ({}),
  });
  if (!claim) throw new Error('no job waits');
  const outcome = { status: 'success', summary: 'Done.', error: null } as const;
  return {
    claim,
    log: (text) => queue.appendLog(claim, text, clock.now()),
    end: (result) => queue.finish(claim, { ...outcome, result, facts: {} }, clock.now(), () => ({})),
  };
}

const start = async (who: Visitor, fields: Record<string, string | readonly string[]>): Promise<string> => {
  const answer = await who.post('/servers/1/jobs/new', fields);
  expect(answer.status, answer.text).toBe(303);
  return answer.location ?? '';
};
const PLAN = { plan_id: 1, plan_expires_at: '2026-01-15T13:00:00.000Z', digest: 'd' };

describe('Starting a job', () => {
  test('offers what can run on the server, and says why the rest cannot', async () => {
    const { operator } = await open({ backup: true, os_patch: false, docker: true });
    const { text } = await operator.get('/servers/1/jobs/new');
    expect(text).toContain('/servers/1/jobs/new?type=backup');
    expect(text).not.toContain('type=os_patch');
    expect(text).toContain('Off for this server.');
    expect(text).toContain('The server has no compose directory to deploy into.');
    const asked = await operator.get('/servers/1/jobs/new?type=os_patch');
    expect(asked.text).toContain('Turn on system updates');
    const forced = await operator.post('/servers/1/jobs/new', { type: 'os_patch', os_steps: 'update' });
    expect(forced.status).toBe(400);
    expect(forced.text).toContain('features of web');
  });

  test('turns on the feature that a job needs, and goes on to the job', async () => {
    const { operator, scene } = await open({ backup: true, os_patch: false, docker: false });
    await scene.servers.learn(1, {
      securityUpdatesCount: 2,
      osUpdatesCount: 2,
      inventoryAt: scene.clock.now(),
    });
    expect((await operator.get('/servers/1')).text).toContain('Turn on system updates…');
    const refused = await operator.post('/servers/1/start', { job_type: 'os_update_check' });
    expect(refused.location).toBe('/servers/1/jobs/new?type=os_update_check');
    const fields = { features: ['backup', 'os_patch'], job: 'os_patch' };
    const on = await operator.post('/servers/1/settings/features', fields);
    expect(on.location).toBe('/servers/1/jobs/new?type=os_patch');
    expect((await scene.servers.find(1))?.features).toEqual({ backup: true, os_patch: true, docker: false });
    expect((await operator.get('/servers/1/jobs/new?type=os_patch')).text).toContain('Preview (dry run)');
  });

  test('shows the dry run of whatever changes the host first, and then does exactly that', async () => {
    const { operator, scene } = await open();
    const place = await start(operator, { type: 'os_patch', os_steps: ['update', 'upgrade'] });
    expect((await scene.jobs.find(1))?.params).toMatchObject({
      dryRun: true,
      osSteps: ['update', 'upgrade'],
    });
    expect((await operator.get(place)).text).toContain('Update packages: web (dry run)');
    const change = { kind: 'upgrade', name: 'openssl', from: '3.0.1', to: '3.0.2', security: true };
    await (await work()).end({ ...PLAN, changes: [change], held: [{ name: 'linux' }], notes: ['a note'] });
    const { text } = await operator.get(place);
    for (const part of ['openssl', '3.0.1', '3.0.2', '>security<', 'a note', 'linux']) {
      expect(text).toContain(part);
    }
    expect(text).toContain('Apply this plan');
    expect((await operator.post('/jobs/1/apply')).location).toBe('/jobs/2');
    expect((await scene.jobs.find(2))?.params).toMatchObject({ dryRun: false, planId: 1 });
    const viewer = await fixture.signedIn('viewer');
    expect((await viewer.get(place)).text).not.toContain('Apply this plan');
  });

  test('starts what changes nothing at once', async () => {
    const { operator, scene } = await open();
    await start(operator, { type: 'os_update_check' });
    expect((await scene.jobs.find(1))?.params.dryRun).toBe(false);
  });

  test('names the job that is in the way, and keeps what was typed', async () => {
    const { operator } = await open();
    await start(operator, { type: 'host_reboot', grace_seconds: '60' });
    const again = await operator.post('/servers/1/jobs/new', { type: 'host_reboot', grace_seconds: '90' });
    expect(again.status).toBe(409);
    expect(again.text).toContain('<a href="/jobs/1">job 1</a>');
    expect(again.text).toContain('value="90"');
    const bad = await operator.post('/servers/1/jobs/new', { type: 'host_reboot', grace_seconds: 'soon' });
    expect(bad.status).toBe(422);
    expect(bad.text).toContain('value="soon"');
    expect(bad.text).toContain('Enter a whole number.');
  });

  test('asks for the name if it cannot be undone', async () => {
    const { operator } = await open();
    await start(operator, { type: 'host_reboot', grace_seconds: '' });
    await (await work()).end({
      ...PLAN,
      changes: [{ boot_id: 'b' }],
      grace_seconds: 0,
      uptime_seconds: 90_000,
    });
    expect((await operator.get('/jobs/1')).text).toContain('Everything on the host stops');
    const wrong = await operator.post('/jobs/1/apply', { host_name: 'wbe' });
    expect(wrong.status).toBe(422);
    expect(wrong.text).toContain('value="wbe"');
    expect(wrong.text).toContain('aria-invalid="true"');
    expect((await operator.post('/jobs/1/apply', { host_name: 'web' })).location).toBe('/jobs/2');
  });

  test('goes past a closed window only for those who say so, which is kept', async () => {
    const { operator, scene } = await open();
    const by = {
      createdBy: 'x',
      createdAt: scene.clock.now(),
      name: 'night',
      enabled: true,
      durationMs: 3_600_000,
    };
    const opens = { expression: '0 3 * * *', timeZone: 'UTC' };
    expect(scene.cron).toBeInstanceOf(FakeCronClock);
    await scene.windows.add({ ...by, opens, selector: { by: 'all' } }, () => ({}));
    await start(operator, { type: 'os_patch', os_steps: 'upgrade' });
    const change = { kind: 'upgrade', name: 'a', from: '1', to: '2', security: false };
    await (await work()).end({ ...PLAN, changes: [change] });
    const closed = await operator.post('/jobs/1/apply');
    expect(closed.status).toBe(409);
    expect(closed.text).toContain('only inside its maintenance windows');
    expect(closed.text).toMatch(
      /opens at <time datetime="[\d-]+T[\d:.]+Z" title="[^"]+ UTC" data-local(="true")?>[^<]+, [\d:]+ UTC<\/time>/,
    );
    expect(closed.text).toContain('Ignore maintenance window');
    const forced = await operator.post('/jobs/1/apply', { outside_window: 'yes' });
    expect(forced.location).toBe('/jobs/2');
    expect(JSON.stringify(scene.kept.audit)).toContain('"outsideWindow":true');
  });

  test('repeats no restore, which is asked for where its snapshot is shown', async () => {
    const { operator, scene, server } = await open();
    const params = { sourceFilter: null, service: null, osSteps: null, dryRun: false, snapshotId: 1 };
    const restore = { directory: '/', subpaths: [], overwrite: true };
    await scene.jobs.enqueue(
      requestJob({
        server,
        type: 'restore',
        params: { ...params, restore },
        requestedBy: 'user:ann',
        scheduled: false,
        approval: null,
        at: scene.clock.now(),
      }),
      () => ({}),
    );
    await (await work()).end(null);
    expect((await operator.get('/jobs/1')).text).not.toContain('/jobs/1/again');
    expect((await operator.post('/jobs/1/again')).status).toBe(422);
    expect(await scene.jobs.find(2)).toBeNull();
  });

  test('says when a plan is over, and when there is nothing to do', async () => {
    const { operator, scene } = await open();
    await start(operator, { type: 'retention' });
    await (await work()).end({ ...PLAN, changes: [], sources: [] });
    expect((await operator.get('/jobs/1')).text).toContain('Nothing to do.');
    expect((await operator.post('/jobs/1/again')).location).toBe('/jobs/2');
    const gone = { id: 7, name: 's7', reasons: [] };
    const kept = { id: 8, name: 's8', reasons: ['last of its week'] };
    const source = { source: 'etc', removed_count: 1, kept_count: 1, removed: [gone], kept: [kept] };
    await (await work()).end({
      ...PLAN,
      changes: [{ source: 'etc', id: 7, name: 's7' }],
      sources: [source],
    });
    const { text } = await operator.get('/jobs/2');
    expect(text).toContain('last of its week');
    expect(text).toContain('would be removed');
    await scene.clock.advance(3_600_000);
    expect((await operator.get('/jobs/2')).text).toContain('Start a new dry run');
  });
});

describe('The history', () => {
  test('is filtered by what the address says', async () => {
    const { operator: former, scene } = await open();
    await start(former, { type: 'os_update_check' });
    await scene.clock.advance(86_400_000);
    const operator = await fixture.signedIn('operator');
    await start(operator, { type: 'backup' });
    const shown = async (query: string) =>
      [...(await operator.get(`/jobs?${query}`)).text.matchAll(/"unbroken"><a href="\/jobs\/(\d+)[?"]/g)].map(
        (found) => Number(found[1]),
      );
    expect(await shown('')).toEqual([2, 1]);
    expect(await shown('server=web')).toEqual([2, 1]);
    expect(await shown('server=1&type=backup')).toEqual([2]);
    expect(await shown('q=2')).toEqual([2]);
    expect(await shown('q=%231')).toEqual([1]);
    expect(await shown('q=web')).toEqual([2, 1]);
    expect(await shown('q=back+UP')).toEqual([2]);
    expect(await shown('by=user:operator1')).toEqual([1]);
    expect(await shown('by=token:x')).toEqual([]);
    expect(await shown('origin=scheduled')).toEqual([]);
    expect(await shown('since=2026-01-16')).toEqual([2]);
    expect(await shown('until=2026-01-15')).toEqual([1]);
    expect(await shown('status=active&since=nonsense')).toEqual([2, 1]);
    const chips = (await operator.get('/jobs')).text;
    expect(chips).toMatch(/>All <span class="n">2</);
    expect(chips).toMatch(/href="\/jobs\?status=active"[^>]*>Running <span class="n">2</);
    expect(chips).not.toContain('>Failed');
    expect(chips).toContain('2 running · 0 failed today');
    expect(chips).toMatch(/class="button" href="\/batches\/new"/);
    // Chips that other filters narrow are not counted.
    expect((await operator.get('/jobs?type=backup')).text).toMatch(/status=active"[^>]*>Running <\/a>/);
    expect((await operator.get('/jobs?server=nobody')).text).toContain(
      'No job, server or kind of job matches',
    );
    const none = (await operator.get('/jobs?status=failed&type=backup')).text;
    expect(none).toContain('No job matches');
    expect(none.match(/Show all/g)).toHaveLength(1);
  });
});

describe('A log', () => {
  test('has numbered lines, colours and no markup from hosts, and is shown in parts', async () => {
    const { operator } = await open();
    await start(operator, { type: 'os_update_check' });
    const { log, end } = await work();
    await log('\u001b[1;31mred\u001b[0m <b>plain</b> \u202egnp\n');
    const many = Array.from({ length: 700 }, (_, index) => `line ${index + 2}\n`);
    await log(many.join(''));
    await end(null);
    const last = await operator.get('/jobs/1');
    expect(last.text).toContain('id="L701"');
    expect(last.text).not.toContain('id="L201"');
    expect(last.text).toContain('/jobs/1?from=1');
    const first = await operator.get('/jobs/1?from=1');
    expect(first.text).toContain('<span class="ansi-red ansi-bold">red</span> &lt;b>plain&lt;/b> gnp');
    expect(first.text).toContain('/jobs/1?from=501');
    const whole = await operator.get('/jobs/1/log');
    expect(whole.headers.get('content-disposition')).toContain('attachment');
    expect(whole.text.split('\n')).toHaveLength(702);
  });
});

describe('Following a job', () => {
  /** Lets the service look again, as time would. */
  const tick = () => fixture.scene.clock.advance(400);
  const linesOf = (client: EventClient): string[] =>
    (client.of('log') as { html: string }[])
      .flatMap(({ html }) => [...html.matchAll(/id="L(\d+)".*?<span>(.*?)<\/span>/g)])
      .map(([, number, text]) => `${number} ${text}`);
  const follow = (who: Visitor, after = ''): EventClient =>
    new EventClient(`${fixture.base}/jobs/1/events${after}`, who.cookie);

  test('loses and doubles no line, wherever the connection is cut', async () => {
    const { operator } = await open();
    await start(operator, { type: 'os_update_check' });
    const { log, end } = await work();
    const client = follow(operator);
    expect(await client.connect()).toBe(200);
    expect(client.response?.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    });
    const written: string[] = [];
    for (let round = 0; round < 6; round += 1) {
      for (let i = 0; i < 3; i += 1) {
        const text = `round ${round} ü line ${i}`;
        written.push(`${written.length + 1} ${text}`);
        await log(`${text}\n`);
      }
      if (round % 2 === 0) {
        await tick();
        await soon(() => expect(linesOf(client)).toEqual(written));
      }
      client.cut();
      await soon(() => expect(client.ended).toBe(true));
      if (round === 3) {
        written.push(`${written.length + 1} meanwhile`);
        await log('meanwhile\n');
      }
      await client.connect();
    }
    await end({ updates: [] });
    await tick();
    await soon(() => expect(client.of('over')).toEqual([{ why: 'ended' }]));
    expect(linesOf(client)).toEqual(written);
    const states = client.of('state') as { parts: Record<string, string> }[];
    expect(states.at(-1)?.parts['job-state']).toContain('succeeded');
    expect(states.at(-1)?.parts['job-outcome']).toContain('<h2>Result</h2>');
    await soon(() => expect(client.ended).toBe(true));
  });

  test('goes on from the place that the page was made with', async () => {
    const { operator } = await open();
    await start(operator, { type: 'os_update_check' });
    const { log } = await work();
    await log('one\ntwo\n');
    const place = /data-place="([^"]*)"/.exec((await operator.get('/jobs/1')).text)?.[1] ?? '';
    expect(place).toBe('8-2');
    await log('three\n');
    const client = follow(operator, `?after=${place}`);
    await client.connect();
    await soon(() => expect(linesOf(client)).toEqual(['3 three']));
  });

  test('beats, and ends with the session', async () => {
    const { operator, scene } = await open();
    await start(operator, { type: 'os_update_check' });
    const client = follow(operator);
    await client.connect();
    await scene.clock.advance(5_000);
    await soon(() => expect(client.beats).toBe(1));
    await operator.post('/sign-out');
    await scene.clock.advance(5_000);
    await soon(() => expect(client.of('over')).toEqual([{ why: 'signed_out' }]));
    await soon(() => expect(client.ended).toBe(true));
    expect(await client.connect()).toBe(303);
  });

  test('is limited per user: the oldest ends', async () => {
    const { operator } = await open();
    await start(operator, { type: 'os_update_check' });
    const clients = Array.from({ length: 6 }, () => follow(operator));
    for (const client of clients) expect(await client.connect()).toBe(200);
    await soon(() => expect(clients[0]?.of('over')).toEqual([{ why: 'another_page' }]));
    expect(clients.slice(1).every(({ ended }) => !ended)).toBe(true);
  });

  test('ends when the service stops, so that it can', async () => {
    const { operator } = await open();
    await start(operator, { type: 'os_update_check' });
    const client = follow(operator);
    await client.connect();
    await fixture.close();
    await soon(() => expect(client.ended).toBe(true));
    expect(client.of('over')).toEqual([]);
  });

  test('of a job that is not there is not found', async () => {
    const { operator } = await open();
    expect(await follow(operator).connect()).toBe(404);
  });
});

describe('The jobs before and after one', () => {
  /** By the key that leads there. */
  const neighbours = (html: string) =>
    Object.fromEntries(
      [...html.matchAll(/<a href="([^"]+)" data-key="(\w)"/g)].map(([, href, key]) => [key, href] as const),
    );
  const run = async (who: Visitor, type: string) => {
    await start(who, { type });
    await (await work()).end(null);
  };

  test('are a key away, within the list that led there', async () => {
    const { operator } = await open();
    for (const type of ['backup', 'os_update_check', 'backup']) await run(operator, type);
    const at = async (path: string) => neighbours((await operator.get(path)).text);
    expect(await at('/jobs/3')).toEqual({ j: '/jobs/2' });
    expect(await at('/jobs/2')).toEqual({ k: '/jobs/3', j: '/jobs/1' });
    const [, row] = /href="(\/jobs\/3[^"]*)"/.exec((await operator.get('/jobs?type=backup')).text) ?? [];
    expect(await at(row ?? '')).toEqual({ j: '/jobs/1?type=backup' });
    expect(await at('/jobs/1?type=backup')).toEqual({ k: '/jobs/3?type=backup' });
    expect((await operator.get('/jobs/1?type=backup')).text).toContain('href="/jobs?type=backup"');
    expect(await at('/jobs/1?server=nowhere')).toEqual({});
  });
});
