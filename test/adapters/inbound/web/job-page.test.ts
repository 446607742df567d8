import { afterEach, expect, test } from 'vitest';
import type { JobOutcome } from '../../../../src/application/ports/jobs/job-queue.ts';
import { Actor } from '../../../../src/domain/access/actor.ts';
import { SECOND } from '../../../../src/domain/base/instant.ts';
import { openWebFixture, type Visitor, type WebFixture } from './web-fixture.ts';

let fixture: WebFixture;
let operator: Visitor;
afterEach(() => fixture.close());

async function open() {
  fixture = await openWebFixture();
  const server = await fixture.scene.addServer('web', { backup: true, os_patch: true }, 'ssh');
  await fixture.scene.addSource(server.id);
  operator = await fixture.signedIn('operator');
}

/** A job of this type, with its outcome and duration. */
async function run(
  type: string,
  outcome: Partial<JobOutcome> = {},
  { seconds = 1, log = '', progress = [] as readonly string[] } = {},
): Promise<string> {
  const { queue, clock } = fixture.scene;
  const { location } = await operator.post('/servers/1/jobs/new', { type, os_steps: 'upgrade' });
  const request = { owner: 'w', leaseMs: 3_600_000, at: clock.now(), limit: 1, record: () => ({}) };
  const [claim] = await queue.claim(request);
  if (!claim || !location) throw new Error('no job waits');
  if (log !== '') await queue.appendLog(claim, log, clock.now());
  for (const current of progress) await queue.progress(claim, { current, percent: null });
  await clock.advance(seconds * SECOND);
  const ended = { status: 'success', summary: 'Done.', error: null, result: null, facts: {} } as const;
  await queue.finish(claim, { ...ended, ...outcome }, clock.now(), () => ({}));
  return location;
}

const failedWith = (code: 'source_missing' | 'host_auth_failed' | 'patch_unhealthy', detail: string) =>
  ({ status: 'failed', summary: detail, error: { code, detail } }) as const;
const CHANGE = { kind: 'upgrade', name: 'openssl', from: '1', to: '2', security: true };
const PLAN = { plan_id: 1, plan_expires_at: '2026-01-15T13:00:00.000Z', changes: [CHANGE] };

test('A failed job leads to its cause, and to the line that reports it', async () => {
  await open();
  const at = await run(
    'os_update_check',
    failedWith('source_missing', 'Backup of "www" failed: /srv/www is not there. Mount it.'),
    { log: 'Reading the host\nrsync: /srv/www: No such file or directory\nDone: 0 errors\n' },
  );
  const { text } = await operator.get(at);
  expect(text).toContain('href="/servers/1/sources/www/edit"');
  expect(text).toContain('href="/docs/errors#source_missing"');
  expect(text).toContain('<a class="button quiet small" href="#L2">');
  expect(text).toMatch(/<div class="line error" id="L2">/);
  expect(text).toMatch(/<div class="line" id="L3">/);
  expect(text).toMatch(/<div class="acts">.*action="\/jobs\/1\/again"/s);
  expect(text).toContain('<p class="mono said">rsync: /srv/www: No such file or directory</p>');
  await run('os_update_check', failedWith('host_auth_failed', 'No.'));
  expect((await operator.get('/jobs/2')).text).toContain('href="/servers/1/setup/key"');
});

test('A failed update names the package, and a result that is cut shows all of it on hover', async () => {
  await open();
  const detail = 'The package manager left a package half-configured.';
  const at = await run('os_update_check', failedWith('host_auth_failed', detail), {
    log: '\u001b[31mdpkg: error processing package nginx (--configure)\u001b[0m\n',
  });
  fixture.scene.kept.change('jobs', 1, { job_type: 'os_patch' });
  const banner = (await operator.get(at)).text;
  expect(banner).toContain(`<strong>nginx: ${detail}</strong>`);
  expect(banner).toContain('<p class="mono said">dpkg: error processing package nginx (--configure)</p>');
  await run('os_update_check', { summary: 'The package lists were refreshed.' });
  expect((await operator.get('/jobs')).text).toContain('title="The package lists were refreshed."');
});

test('A job is headed by what it does, and starts again as a dry run from its menu', async () => {
  await open();
  const at = await run('os_update_check', {});
  const { text } = await operator.get(at);
  expect(text).toMatch(/<h1><span>Check for package updates<\/span>/);
  expect(text).toMatch(/<p class="sub">#1 on <a href="\/servers\/1">/);
  expect(text).toContain('<input type="hidden" name="dry_run" value="yes"/>');
  const { location } = await operator.post(`${at}/again`, { dry_run: 'yes' });
  const repeated = (await operator.get(location ?? '')).text;
  expect(repeated).toContain('<span class="tag">dry run</span>');
  expect(repeated).not.toContain('name="dry_run" value="yes"');
});

test('The line that says why a job failed is marked, whatever its words', async () => {
  await open();
  const detail = 'web ended the connection after 24 s.';
  const at = await run('os_update_check', failedWith('host_auth_failed', detail), {
    log: `Connecting\n${detail}\n`,
  });
  expect((await operator.get(at)).text).toMatch(/<div class="line error" id="L2">/);
});

test('A job shows the earlier runs of its type with their durations, and the last success', async () => {
  await open();
  await run('os_update_check', {}, { seconds: 65 });
  await run('host_reboot', { result: PLAN });
  const at = await run('os_update_check', failedWith('host_auth_failed', 'No.'), { seconds: 2 });
  const { text } = await operator.get(at);
  const runs = /<section[^>]* id="tab-runs".*?<\/section>/s.exec(text)?.[0] ?? '';
  expect(runs).toContain('1 min 05 s');
  expect(runs).toContain('href="/jobs/1"');
  expect(runs).not.toContain('href="/jobs/2"');
  expect(text).toContain('aria-label="Last 2 runs: 1 failed"');
  expect(text).toMatch(/Last success<\/dt><dd>.*href="\/jobs\/1"/s);
});

test('A running job shows its steps with their durations, and how long the current one still takes', async () => {
  await open();
  const { queue, clock } = fixture.scene;
  await run('os_update_check', {}, { seconds: 100 });
  await operator.post('/servers/1/jobs/new', { type: 'os_update_check' });
  const request = { owner: 'w', leaseMs: 3_600_000, at: clock.now(), limit: 1, record: () => ({}) };
  const [claim] = await queue.claim(request);
  if (!claim) throw new Error('no job waits');
  const first = { name: 'Reading the host', startedAt: clock.now(), amount: null };
  await clock.advance(70 * SECOND);
  await queue.progress(claim, { current: 'Reading the host', percent: null, phases: [first] });
  expect((await operator.get('/jobs/2')).text).toContain('about 30 s left');
  const amount = { done: 10 * 1024 * 1024, total: 50 * 1024 * 1024, unit: 'bytes' } as const;
  const phases = [first, { name: 'Transferring', startedAt: clock.now(), amount }];
  await clock.advance(10 * SECOND);
  await queue.progress(claim, { current: 'Transferring', percent: 20, phases });
  const { text } = await operator.get('/jobs/2');
  expect(text).toMatch(
    /<ol class="steps".*Reading the host <span class="quiet">1 min 10 s<.*aria-current="step"/s,
  );
  expect(text).toContain('10.0 MiB of 50.0 MiB · 1.0 MiB/s · about 40 s left');
  const ended = { status: 'failed', summary: 'No.', result: null, facts: {} } as const;
  const error = { code: 'disk_full', detail: 'No.' } as const;
  await queue.finish(claim, { ...ended, error }, clock.now(), () => ({}));
  const after = (await operator.get('/jobs/2')).text;
  expect(after).toMatch(/Failed: <\/span><\/span>Transferring <span class="quiet">10 s</);
  expect(after).not.toContain(' left<');
});

test('A dry run opens on its changes, with the plan to apply in sight; another job on its log', async () => {
  await open();
  const dry = (await operator.get(await run('os_patch', { result: PLAN }))).text;
  expect(dry).toMatch(/href="#tab-changes" aria-current="true"/);
  expect(dry).toMatch(/id="job-apply" class="decide"/);
  expect(dry).toContain('Apply this plan');
  const other = (await operator.get(await run('os_update_check'))).text;
  expect(other).toMatch(/href="#tab-log" aria-current="true"/);
  expect(other).not.toContain('class="decide"');
});

test('A backup is retried at once; what changes the server starts with its dry run', async () => {
  await open();
  await run('backup', failedWith('host_auth_failed', 'No.'));
  const { jobs } = fixture.scene;
  const dry = await jobs.find(1);
  expect(dry?.params.dryRun).toBe(true);
  await operator.post('/servers/1/start', { job_type: 'backup' });
  await operator.post('/jobs/2/cancel');
  expect((await operator.get('/jobs/2')).text).toContain('Retry');
  expect((await operator.post('/jobs/2/again')).location).toBe('/jobs/3');
  expect((await jobs.find(3))?.params.dryRun).toBe(false);
});

test('An update that made its server worse says what, and leads to the downgrade of its packages', async () => {
  await open();
  const { queue, clock, jobs } = fixture.scene;
  const operatorActor = Actor.operator('cli:root');
  const request = { serverId: 1, jobType: 'os_patch', guard: true } as const;
  const update = await fixture.work.triggerJob.execute(operatorActor, request);
  const claiming = { owner: 'w', leaseMs: 3_600_000, at: clock.now(), limit: 1, record: () => ({}) };
  const [claim] = await queue.claim(claiming);
  if (!claim) throw new Error('no job waits');
  const worse = [{ kind: 'port', name: 'tcp 0.0.0.0:443', detail: '' }];
  const result = { changes: [CHANGE], changes_count: 1, guard: { worse } };
  const outcome = { ...failedWith('patch_unhealthy', 'It is worse.'), result, facts: {} };
  await queue.finish(claim, outcome, clock.now(), () => ({}));

  const { text } = await operator.get(`/jobs/${update.id}`);
  expect(text).toContain('tcp 0.0.0.0:443');
  expect(text).toContain('openssl');
  expect(text).toContain(`action="/jobs/${update.id}/downgrade"`);
  const viewer = await fixture.signedIn('viewer');
  expect((await viewer.get(`/jobs/${update.id}`)).text).not.toContain('/downgrade"');
  const { location } = await operator.post(`/jobs/${update.id}/downgrade`);
  const planned = await jobs.find(Number(location?.split('/').at(-1)));
  expect(planned).toMatchObject({
    jobType: 'os_downgrade',
    params: { dryRun: true, updateJobId: update.id },
  });
  expect((await operator.post(`/jobs/${planned?.id}/downgrade`)).status).toBe(422);
});

test('The list shows the last lines of failed jobs', async () => {
  await open();
  await run('os_update_check', failedWith('host_auth_failed', 'No.'), { log: 'one\nE: broken\n' });
  await run('os_update_check', {}, { log: 'fine here\n' });
  const { text } = await operator.get('/jobs');
  expect(text).toMatch(/<details class="peek">.*E: broken/s);
  expect(text).not.toContain('fine here');
});

test('A dry run shows the age of images with a link to their changes, unless that is no web address', async () => {
  await open();
  const image = { directory: '/srv/shop', service: 'db', from: { version: '1.0', created_at: null } };
  const to = { version: '1.1', created_at: '2026-01-10T12:00:00.000Z' };
  const images = ['https://shop.test/news', 'javascript:alert(1)'].map((url) => ({
    ...image,
    to,
    changelog_url: url,
  }));
  const guard = { directory: '/srv/shop', copy_bytes: 1024, free_bytes: 2048, observe_minutes: 2 };
  const restores = { images: [{ service: 'db', digest: `sha256:${'a'.repeat(64)}` }], paths: ['/srv/data'] };
  const guarded = [{ ...guard, backups: [], checks: [], rollback: 'images and data', restores }];
  const { text } = await operator.get(await run('os_patch', { result: { ...PLAN, images, guarded } }));
  expect(text).toContain('href="https://shop.test/news"');
  expect(text).not.toContain('href="javascript');
  expect(text).toContain('datetime="2026-01-10T12:00:00.000Z"');
  expect(text).toContain('1.0 KiB of 2.0 KiB free');
  expect(text).toContain('db aaaaaaaaaaaa, /srv/data');
});
