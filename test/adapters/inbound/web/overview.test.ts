import { afterEach, describe, expect, test } from 'vitest';
import { HOUR } from '../../../../src/domain/base/instant.ts';
import { requestJob } from '../../../../src/domain/jobs/job.ts';
import { openWebFixture, type WebFixture } from './web-fixture.ts';

let fixture: WebFixture;
afterEach(() => fixture.close());

const textOf = (html: string): string => html.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');

/** Known, seen just now, backed up just now. */
async function addWell(name: string): Promise<number> {
  const { scene } = fixture;
  const now = scene.clock.now();
  const server = await scene.addServer(name, { backup: true, os_patch: true });
  await scene.servers.learn(server.id, {
    inventoryAt: now,
    lastSeenAt: now,
    lastBackupAt: now,
    osUpdatesCount: 0,
    securityUpdatesCount: 0,
    rebootPending: false,
  });
  return server.id;
}

const failed = (serverId: number, jobId: number) => ({
  kind: 'job.failed',
  subject_id: serverId,
  variant: 'backup',
  state: 'open',
  severity: 'critical',
  muted: 0,
  title: 'backup failed on mail',
  message: 'The disk is full.',
  server_id: serverId,
  server_name: 'mail',
  job_id: jobId,
  began_at: fixture.scene.clock.now(),
});

/** What the first steps end with: from then on there is a verdict. */
async function backUpNightly(): Promise<void> {
  const fields = {
    type: 'backup',
    name: 'nightly',
    cron: '30 2 * * *',
    time_zone: 'UTC',
    selector: 'all',
    servers: '',
    tags: '',
    max_parallel: '10',
    canary: '0',
    stop_after_failures: '',
    jitter: '0',
  };
  const made = await (await fixture.signedIn('operator')).post('/schedules/new', fields);
  expect(made.status).toBe(303);
}

async function askForApproval(serverId: number) {
  const { scene } = fixture;
  const server = await scene.servers.find(serverId);
  if (!server) throw new Error('it is there');
  return scene.jobs.enqueue(
    requestJob({
      server,
      type: 'os_patch',
      params: { sourceFilter: null, service: null, osSteps: null, dryRun: false },
      requestedBy: 'token:agent',
      scheduled: false,
      approval: {
        requester: { kind: 'token', id: 5, name: 'agent', address: null, label: 'token:agent' },
        expiresAt: scene.clock.now() + 60_000,
      },
      at: scene.clock.now(),
    }),
    () => ({}),
  );
}

describe('The overview', () => {
  test('of no server shows the next step, as far as the user may take it', async () => {
    fixture = await openWebFixture();
    const root = await (await fixture.signedIn('administrator')).get('/');
    expect(textOf(root.text)).toContain('1 of 4');
    expect(root.text).toMatch(/<a class="button" href="\/servers\/new">Add a server/);
    const viewer = await (await fixture.signedIn('viewer')).get('/');
    expect(viewer.text).not.toContain('/servers/new');
    expect(viewer.text).toContain('An operator or administrator adds the first one');
  });

  test('says in words that all is well, and how old that is', async () => {
    fixture = await openWebFixture();
    await addWell('web');
    await fixture.scene.clock.advance(HOUR);
    await addWell('db');
    await backUpNightly();
    const { text } = await (await fixture.signedIn('viewer')).get('/');
    expect(textOf(text)).toContain('No problems on 2 servers.');
    expect(textOf(text)).toContain('2 servers · last contact 0 s ago');
    expect(text).not.toContain('<li id="attention-');
  });

  test('has a nearly full disk in its verdict, its cases and its grid', async () => {
    fixture = await openWebFixture();
    const full = await addWell('full');
    await fixture.scene.servers.learn(full, {
      diskUsedBytes: 95,
      diskTotalBytes: 100,
      securityUpdatesCount: 1,
    });
    await backUpNightly();
    const visitor = await fixture.signedIn('viewer');
    const { text } = await visitor.get('/');
    expect(textOf(text)).toContain('No outages. 1 server with a nearly full disk');
    expect(text).toMatch(/<li id="attention-disk_full">.*full.*95 %/s);
    expect(text).toMatch(/class="cell care"[^>]*title="Disk nearly full">full</);
    expect(textOf((await visitor.get('/servers?needs=disk_full')).text)).toContain('Disk 95 %');
    const alerts = textOf((await visitor.get('/notifications')).text);
    expect(alerts).toContain('1 server with a nearly full disk, 1 server with security updates. Overview');
    expect(alerts).not.toContain('Nothing needs attention');
  });

  test('has an open alert of a server in its cell, its row and its page', async () => {
    fixture = await openWebFixture();
    const mail = await addWell('mail');
    await addWell('web');
    fixture.scene.kept.add('notifications', failed(mail, 7));
    await backUpNightly();
    const visitor = await fixture.signedIn('viewer');
    expect((await visitor.get('/')).text).toMatch(/class="cell bad"[^>]*title="Job failed">mail</);
    const { text } = await visitor.get('/servers?needs=critical_alert');
    expect(text).toContain(`href="/servers/${mail}"`);
    expect(textOf(text)).toContain('1 with critical alerts');
    const own = await visitor.get(`/servers/${mail}`);
    expect(own.text).toMatch(/<span class="status bad">(?:(?!<\/span>).)*<span>Job failed</s);
    expect(own.text).toMatch(/id="need-critical_alert" class="banner bad".*href="\/jobs\/7"/s);
  });

  test('answers in one sentence, then lists problems, worst first, with their fixes', async () => {
    fixture = await openWebFixture();
    const { scene, fleet } = fixture;
    const now = scene.clock.now();
    const [down, mail, old, leaky, stuck, asked] = [
      await addWell('down'),
      await addWell('mail'),
      await addWell('old'),
      await addWell('leaky'),
      await addWell('stuck'),
      await addWell('asked'),
    ];
    await scene.addServer('begun');
    await scene.servers.learn(down, { contactFailedSince: now - HOUR, contactError: 'host_unreachable' });
    scene.kept.add('notifications', failed(mail, 7));
    await scene.servers.learn(old, { lastBackupAt: now - 72 * HOUR });
    await scene.servers.learn(leaky, { securityUpdatesCount: 3, osUpdatesCount: 5 });
    await scene.servers.learn(stuck, { rebootPending: true });
    const job = await askForApproval(asked);
    await backUpNightly();
    expect(await fleet.notifications.countOpen(null)).toBe(1);
    const operator = await fixture.signedIn('operator');
    const { text } = await operator.get('/');
    expect(textOf(text)).toContain(
      '3 servers need attention now 1 unreachable, 1 with an overdue backup and 1 unresolved job failure. 1 with security updates and 1 to reboot.',
    );
    const order = [...text.matchAll(/<li id="attention-([a-z_]+)"/g)].map(([, name]) => name);
    expect(order).toEqual([
      'unreachable',
      'failed',
      'stale_backup',
      'security_updates',
      'approvals',
      'reboot',
      'unchecked',
    ]);
    for (const id of [down, mail, old, leaky, stuck, asked]) expect(text).toContain(`href="/servers/${id}"`);
    expect(text).toContain(`action="/servers/${down}/check"`);
    expect(text).toContain('href="/jobs/7"');
    expect(text).toContain('href="/jobs?status=unresolved"');
    const jobs = (await operator.get('/jobs?status=unresolved')).text;
    expect(jobs).toMatch(/aria-current="true"[^>]*>Unresolved <span class="n">1</);
    expect(jobs).not.toContain(`href="/jobs/${job.id}"`);
    expect(text).toMatch(
      /popovertarget="places" title="1 open">.*<span>More<\/span><span class="count bad"/s,
    );
    expect(text).toMatch(new RegExp(`action="/servers/${old}/start"><input[^>]*value="backup"`));
    expect(text).toContain(`href="/jobs/${job.id}"`);
    expect((await (await fixture.signedIn('viewer')).get('/')).text).not.toContain(
      '<form method="post" action="/servers',
    );
  });

  test('says that nothing is broken where something has only to be seen to', async () => {
    fixture = await openWebFixture();
    await fixture.scene.servers.learn(await addWell('web'), { rebootPending: true });
    await backUpNightly();
    const { text } = await (await fixture.signedIn('viewer')).get('/');
    expect(textOf(text)).toContain('No outages. 1 server to reboot.');
  });

  test('never takes unknown updates for none', async () => {
    fixture = await openWebFixture();
    const id = await addWell('web');
    await fixture.scene.servers.learn(id, { osUpdatesCount: null, securityUpdatesCount: null });
    const operator = await fixture.signedIn('operator');
    const { text } = await operator.get('/');
    expect(text).toContain('id="attention-updates_unknown"');
    expect(textOf(text)).not.toContain('No problems on');
    expect(text).toMatch(new RegExp(`action="/servers/${id}/start"><input[^>]*value="os_update_check"`));
    const found = await operator.get('/servers?needs=updates_unknown');
    expect(found.text).toContain(`href="/servers/${id}"`);
    expect(found.text).not.toContain('>none<');
    expect((await operator.get('/servers?needs=security_updates')).text).not.toContain(
      `href="/servers/${id}"`,
    );
  });

  test('shows the worst of many, and the way to all of them', async () => {
    fixture = await openWebFixture();
    for (let i = 1; i <= 7; i += 1) {
      await fixture.scene.servers.learn(await addWell(`host-${i}`), { securityUpdatesCount: i });
    }
    const { text } = await (await fixture.signedIn('viewer')).get('/');
    const shown = [...text.matchAll(/<span id="attention-security_updates-(\d)"/g)].map(([, id]) => id);
    expect(shown).toEqual(['7', '6', '5', '4']);
    expect(text).toMatch(/<span class="desk">(?:(?!<\/span>).)*>3 more<\/a>/);
    // A phone names the first two.
    expect(text).toMatch(/<span class="phone">(?:(?!<\/span>).)*>5 more<\/a>/);
    expect(text).toContain('id="attention-security_updates-5" class="desk"');
    expect(text).not.toContain('id="attention-security_updates-6" class="desk"');
    expect(text).toContain('>7 updates<');
    expect(text).toContain('href="/servers?needs=security_updates"');
  });

  test('is brought up to date in place', async () => {
    fixture = await openWebFixture();
    const browser = await fixture.signedIn('viewer');
    const page = await browser.get('/');
    expect(page.text).toContain('hx-get="/live/overview"');
    expect(page.text).toContain('hx-swap="outerMorph"');
    expect(page.text).toContain('id="connection"');
    await addWell('web');
    await backUpNightly();
    const live = await browser.get('/live/overview');
    expect(live.text).toMatch(/^<div id="overview"/);
    expect(textOf(live.text)).toContain('No problems on 1 server');
  });

  test('shows the first steps on a service that was just set up, and nothing red', async () => {
    fixture = await openWebFixture();
    const operator = await fixture.signedIn('operator');
    await fixture.scene.addServer('begun', { backup: true });
    expect((await operator.get('/')).text).toContain('href="/servers/1/setup">Run the first backup');
    const { id: ready } = await fixture.scene.addServer('ready', { backup: true });
    await fixture.scene.servers.learn(ready, { inventoryAt: 1 });
    expect((await operator.get('/')).text).toContain(`href="/servers/${ready}/sources">Run the first backup`);
    await fixture.scene.addSource(ready);
    const { text } = await operator.get('/');
    expect(text).toContain('id="checklist"');
    expect(text).toContain(`<form method="post" action="/servers/${ready}/start">`);
    // The step to take is the main action.
    expect(text).toContain('<a class="button quiet" href="/servers/new">');
    const nightly = /id="name"[^>]*value="nightly-backup"|value="nightly-backup"[^>]*id="name"/;
    expect((await operator.get('/schedules/new?type=backup')).text).toMatch(nightly);
    expect(text).not.toMatch(/class="(?:banner|status|sign|cell) bad"/);
    await backUpNightly();
    await fixture.scene.servers.learn(1, { lastBackupAt: fixture.scene.clock.now() });
    const later = (await (await fixture.signedIn('operator')).get('/')).text;
    expect(later).not.toContain('id="checklist"');
    expect(later).toContain('<a class="button" href="/servers/new">');
  });

  test('says what is wrong also while the first steps are not done', async () => {
    fixture = await openWebFixture();
    const now = fixture.scene.clock.now();
    const id = await addWell('down');
    await fixture.scene.servers.learn(id, { contactFailedSince: now, contactError: 'host_timeout' });
    const { text } = await (await fixture.signedIn('operator')).get('/');
    expect(text).toContain('id="checklist"');
    expect(textOf(text)).toContain('1 server needs attention now 1 unreachable.');
  });

  test('offers one batch for a few servers, and the list for many', async () => {
    fixture = await openWebFixture();
    const now = fixture.scene.clock.now();
    for (const name of ['a', 'b']) {
      await fixture.scene.servers.learn(await addWell(name), { lastBackupAt: now - 72 * HOUR });
    }
    const operator = await fixture.signedIn('operator');
    expect((await operator.get('/')).text).toContain(
      'href="/batches/new?type=backup&amp;selector=ids&amp;servers=a%2C+b"',
    );
    for (const name of ['c', 'd', 'e', 'f']) {
      await fixture.scene.servers.learn(await addWell(name), { lastBackupAt: now - 72 * HOUR });
    }
    expect((await operator.get('/')).text).not.toContain('/batches/new?type=backup');
    for (let i = 0; i < 6; i += 1)
      await fixture.scene.servers.learn(await addWell(`leaky-${i}`), { securityUpdatesCount: 2 });
    const { text } = await operator.get('/');
    expect(text).toContain('href="/batches/new?type=os_patch&amp;all=yes&amp;needs=security_updates"');
    expect(text).toMatch(/12 <small>on 6 servers/);
  });

  test('checks all unreachable servers again, if they are few', async () => {
    fixture = await openWebFixture();
    const now = fixture.scene.clock.now();
    for (const name of ['a', 'b'])
      await fixture.scene.servers.learn(await addWell(name), {
        contactFailedSince: now,
        contactError: 'host_timeout',
      });
    for (const name of ['a', 'b']) fixture.fleet.hosts.host(name).on(/cd -P/, () => '/srv');
    const operator = await fixture.signedIn('operator');
    const { text } = await operator.get('/');
    expect(text).toMatch(/action="\/servers\/check"><input[^>]*value="1"[^>]*><input[^>]*value="2"/);
    const done = await operator.post('/servers/check', { ids: ['1', '2'] });
    expect([done.status, done.location]).toEqual([303, '/']);
    expect((await operator.get('/')).text).toContain('2 of 2 servers reached');
    expect((await (await fixture.signedIn('viewer')).post('/servers/check', { ids: '1' })).status).toBe(403);
  });

  test('draws how backups ended, day by day', async () => {
    fixture = await openWebFixture();
    await addWell('web');
    const { text } = await (await fixture.signedIn('viewer')).get('/');
    expect(text).toContain('No runs in 30 days');
    expect(text).not.toContain('class="heat"');
  });
});
