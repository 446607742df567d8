import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { describeServer } from '../../../../src/domain/fleet/server-description.ts';
import { fakeInventory } from '../../../fakes/fake-host-facts.ts';
import { EventClient } from '../../../support/event-source.ts';
import { openWebFixture, type Visitor, type WebFixture } from './web-fixture.ts';

let fixture: WebFixture;
let ann: Visitor;
beforeEach(async () => {
  fixture = await openWebFixture();
  ann = await fixture.signedIn('operator');
  const { servers, clock } = fixture.scene;
  const web = describeServer({
    name: 'web',
    connection: 'ssh',
    hostname: 'web.test',
    features: { backup: true },
  });
  await servers.add(web, clock.now(), () => ({}));
  await fixture.fleet.keys.add(
    {
      name: 'drover',
      algorithm: 'ssh-ed25519',
      publicKey: 'ssh-ed25519 AAAA x',
      fingerprint: 'SHA256:x',
      createdAt: 1,
    },
    () => 'sealed',
    () => ({}),
  );
  await servers.change(
    1,
    { address: { sshKeyId: 1, hostKey: fixture.fleet.hosts.host('web').hostKey } },
    1,
    () => ({}),
  );
});
afterEach(() => fixture.close());

const web = async () => {
  const server = await fixture.scene.servers.find(1);
  if (!server) throw new Error('web is gone');
  return server;
};
const save = (part: string, fields: Record<string, string | readonly string[]>) =>
  ann.post(`/servers/1/settings/${part}`, fields);
const ADDRESS = {
  hostname: 'web.test',
  ssh_port: '22',
  ssh_username: 'root',
  become: 'none',
  jump: '',
  key: '1',
};

/** 100 bytes a second, of a host that boots on the fourth day. */
const activityOn = (day: number) => ({
  bootId: day < 4 ? 'first' : 'second',
  receivedBytes: 8_640_000 * day,
  sentBytes: null,
  readBytes: null,
  writtenBytes: null,
  swapTotalBytes: 1_000,
  swapUsedBytes: 100,
});

describe('A server', () => {
  test('names the current tab in the breadcrumb', async () => {
    const { text } = await ann.get('/servers/1/backups');
    expect(text).toMatch(/<a href="\/servers\/1">web<\/a>.*?<span aria-current="page">Backups<\/span>/s);
  });

  test('finds pending updates by name and kind, if there are many', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `lib-${String(index).padStart(2, '0')}`);
    const updates = names.map((name, index) => ({
      name,
      from: '1',
      to: '2',
      security: index < 3,
      origin: null,
      held: index === 11,
    }));
    await fixture.fleet.inventories.save(1, {
      ...fakeInventory({ updates }),
      at: fixture.scene.clock.now(),
    });
    const shown = async (query: string): Promise<readonly string[]> => {
      const { status, text } = await ann.get(`/servers/1/updates${query}`);
      expect(status).toBe(200);
      return names.filter((name) => text.includes(name));
    };
    expect(await shown('')).toEqual(names);
    expect(await shown('?show=security')).toEqual(names.slice(0, 3));
    expect(await shown('?show=held')).toEqual(['lib-11']);
    expect(await shown('?show=regular&q=LIB-0')).toEqual(names.slice(3, 10));
    expect(await shown('?show=__proto__')).toEqual(names);
    expect(await shown('?q=other')).toEqual([]);
  });

  test('is shown in parts, each with its own address', async () => {
    const inventory = fakeInventory({
      updates: [
        { name: 'zlib', from: '1', to: '2', security: false, origin: 'Debian', held: true },
        {
          name: 'openssl',
          from: '3.0.1',
          to: '3.0.2',
          security: true,
          origin: 'Debian-Security',
          held: false,
        },
      ],
      containers: [
        {
          id: 'a',
          name: 'shop-db-1',
          state: 'running',
          running: true,
          image: 'postgres:16',
          status: 'Up 3 days',
          project: 'shop',
          service: 'db',
          path: '/srv/shop',
          update: true,
        },
        {
          id: 'b',
          name: 'shop-web-1',
          state: 'running',
          running: true,
          image: 'nginx:1',
          status: 'Up 3 days (unhealthy)',
          project: 'shop',
          service: 'web',
          path: '/srv/shop',
          ports: [
            { address: null, hostPort: 8080, containerPort: 80, protocol: 'tcp', count: 1 },
            { address: '::1', hostPort: 9000, containerPort: 9000, protocol: 'udp', count: 11 },
          ],
          cpuPercent: 0,
          memoryBytes: 100_663_296,
          restarts: 7,
          update: false,
        },
      ],
      failedUnits: [{ name: 'cron.service', description: 'Cron' }],
    });
    await fixture.fleet.inventories.save(1, {
      ...inventory,
      containerEngine: 'docker',
      at: fixture.scene.clock.now(),
    });
    const overview = await ann.get('/servers/1');
    expect(overview.text).toContain('<h1><span>web</span>');
    expect(overview.text).toContain('cron.service');
    const updates = await ann.get('/servers/1/updates');
    expect(updates.text).toMatch(/2 updates<[^]*1 security/);
    expect(updates.text.indexOf('openssl')).toBeLessThan(updates.text.indexOf('zlib'));
    expect(updates.text).toMatch(/3\.0\.1.*3\.0\.2/s);
    const containers = await ann.get('/servers/1/containers');
    expect(containers.text).toContain('<h2>shop</h2>');
    expect(containers.text).toMatch(/<td [^>]*class="one-line whole">.*?outdated/s);
    expect(containers.text).toMatch(
      /class="status bad">.{0,200}<span>unhealthy<.{0,2000}title="Up 3 days \(unhealthy\)">3 days</,
    );
    expect(containers.text).toMatch(
      /<a class="unbroken" href="http:\/\/web\.test:8080\/"[^>]*>8080\u00a0→\u00a080<\/a>, <span class="unbroken" title="\[::1\]:9000-9010 → 9000-9010\/udp">\[::1\]:9000-9010\/udp</,
    );
    expect(containers.text).toMatch(/· 7 restarts<.*>0\.0\u00a0%<.*>96\.0\u00a0MiB</);
    expect(containers.text).toContain('<span class="quiet">unknown</span>');
    const restart = 'type=docker_stack_restart&amp;source_filter=%2Fsrv%2Fshop&amp;service=db';
    expect(containers.text).not.toContain(restart);
    await fixture.scene.servers.change(
      1,
      { features: { backup: false, os_patch: true, docker: true }, jail: '/srv' },
      0,
      () => ({}),
    );
    const operator = await fixture.signedIn('operator');
    const stack = (await operator.get('/servers/1/containers')).text;
    expect(stack).toMatch(/<a class="phone" href="\/servers\/1\/containers\/shop-db-1\/log">/);
    for (const link of [
      restart,
      'type=docker_stack_deploy&amp;source_filter=%2Fsrv%2Fshop"',
      'href="/servers/1/files/compose?directory=%2Fsrv%2Fshop"',
    ])
      expect(stack).toContain(link);
    expect(stack).toMatch(
      /<a class="button quiet small" href="[^"]*type=container_patch&amp;source_filter=%2Fsrv%2Fshop" aria-label="Update the stack shop, 1 outdated image"/,
    );
    const root = await fixture.signedIn('administrator');
    fixture.fleet.engine.logs = (_host, name, { lines }) =>
      Promise.resolve(`${name} ${lines}\n\u001b[31mred\u202e\u0007<b>\n`);
    const log = await root.get('/servers/1/containers/shop-db-1/log');
    expect(log.text).toMatch(/shop-db-1 500<\/span>.*<span class="ansi-red">red\ufffd\ufffd&lt;b><\/span>/);
    expect(log.text).toContain(
      'data-events="/servers/1/containers/shop-db-1/log/events" data-place data-page=',
    );
    fixture.fleet.engine.logs = (_host, _name, { lines }) =>
      Promise.resolve(`Start\nGET / 200\nlast ${lines}\n`);
    const searched = await root.get('/servers/1/containers/shop-db-1/log?q=get&lines=2000');
    expect(searched.text).toContain('<div class="line"><i></i><span>GET / 200</span>');
    expect(searched.text).toContain('<div class="line miss"><i></i><span>Start</span>');
    expect(searched.text).toContain('1 of 3 lines');
    const all = await root.get('/servers/1/containers/shop-db-1/log?lines=2000');
    expect(all.text).toContain('<span>last 2000</span>');
    expect(all.text).not.toContain('line miss');
    const at = new Date(fixture.scene.clock.now() - 1_500).toISOString();
    fixture.fleet.engine.logs = () => Promise.resolve(`${at} ready\n2020-02-29T23:00:01Z old\n`);
    const stamped = (await root.get('/servers/1/containers/shop-db-1/log')).text;
    expect(stamped).toMatch(/data-clock>\d\d:\d\d:\d\d<\/time><span>ready<\/span>/);
    expect(stamped).toContain('>29 Feb, 23:00:01</time><span>old</span>');
    expect(stamped).toContain('data-place="2020-02-29T23:00:01Z"');
    const other = await root.get('/servers/1/containers/shop-db-1/log?lines=9999999&q=%3Cb%3E');
    expect(other.text).toContain('0 of 2 lines');
    const text = await root.get('/servers/1/containers/shop-db-1/log/text');
    expect([text.status, text.text]).toEqual([200, `${at} ready\n2020-02-29T23:00:01Z old\n`]);
    expect((await root.get('/servers/1/containers/nothing/log')).status).toBe(404);
    let written = `${at} ready\n`;
    fixture.fleet.engine.logs = async () => written;
    const follow = `${fixture.base}/servers/1/containers/shop-db-1/log/events?after=${at}`;
    const client = new EventClient(follow, root.cookie);
    expect(await client.connect()).toBe(200);
    const later = new Date(fixture.scene.clock.now()).toISOString();
    written += `${later} error: full <disk>\n`;
    await vi.waitFor(async () => {
      await fixture.scene.clock.advance(2_000);
      expect(client.of('log')).toMatchObject([{ html: expect.stringContaining('class="line error"') }]);
    });
    expect(JSON.stringify(client.of('log'))).toContain('<span>error: full &lt;disk></span>');
    expect(client.lastEventId).toBe(later);
    client.cut();
    const viewer = await fixture.signedIn('viewer');
    expect((await viewer.get('/servers/1/containers/shop-db-1/log')).status).toBe(403);
    for (const tab of ['jobs', 'sources', 'schedules', 'notifications', 'settings']) {
      expect((await ann.get(`/servers/1/${tab}`)).text).toMatch(
        new RegExp(`href="/servers/1/${tab}" aria-current="page"`),
      );
    }
    expect((await ann.get('/servers/99')).status).toBe(404);
    expect((await ann.get('/servers/abc/updates')).status).toBe(404);
  });

  test('has the next step on each tab that is empty', async () => {
    const { id } = await fixture.scene.addServer('new');
    const features = { backup: true, os_patch: true, docker: true };
    await fixture.scene.servers.change(id, { features }, 0, () => ({}));
    const operator = await fixture.signedIn('operator');
    const viewer = await fixture.signedIn('viewer');
    const check = `action="/servers/${id}/check"`;
    for (const [tab, step] of [
      ['containers', check],
      ['metrics', check],
      ['updates', 'value="os_update_check"'],
      ['backups', `href="/servers/${id}/sources"`],
      ['notifications', 'href="/settings/alerts/policy"'],
    ] as const) {
      const empty = (text: string): string => /<div class="empty">.*?<\/div>/s.exec(text)?.[0] ?? '';
      const shown = empty((await operator.get(`/servers/${id}/${tab}`)).text);
      expect([tab, shown.includes(step), shown.match(/<button|class="button/g)?.length]).toEqual([
        tab,
        true,
        1,
      ]);
      expect(empty((await viewer.get(`/servers/${id}/${tab}`)).text)).not.toContain('<form');
    }
  });

  test('stays up to date on every tab, with its state and last contact', async () => {
    await fixture.scene.servers.learn(1, { lastSeenAt: fixture.scene.clock.now(), contactFailedSince: 1 });
    const head = async (path: string) => {
      const live = await ann.get(path, { 'HX-Request': 'true', 'HX-Source': 'div#live-page' });
      expect(live.text).toMatch(/^<div id="live-page"/);
      expect(live.text).toContain('Unreachable');
      return live.text;
    };
    for (const tab of [
      '',
      '/updates',
      '/containers',
      '/jobs',
      '/metrics',
      '/notifications',
      '/backups',
      '/schedules',
      '/sources',
    ]) {
      const { text } = await ann.get(`/servers/1${tab}?offset=0`);
      expect(text).toContain(`hx-get="/servers/1${tab}?offset=0"`);
      expect(text).toContain('Unreachable');
      expect(await head(`/servers/1${tab}`)).toContain(`href="/servers/1${tab}" aria-current="page"`);
    }
    // The forms of these are left as they are.
    for (const tab of ['/files', '/settings']) {
      const path = `/live/servers/1/head?tab=${encodeURIComponent(tab)}`;
      const { text } = await ann.get(`/servers/1${tab}`);
      expect(text).toContain(`hx-get="${path}"`);
      expect(text).toContain('Unreachable');
      expect(await head(path)).toContain(`href="/servers/1${tab}" aria-current="page"`);
      expect(await head(path)).not.toContain('<form method="post" class="column"');
    }
  });

  test('is to be reached first if it cannot be, and its numbers say how old they are', async () => {
    const { clock, servers } = fixture.scene;
    const seenAt = clock.now();
    await fixture.fleet.inventories.save(1, { ...fakeInventory(), containers: [], at: seenAt });
    const mainAction = /<button type="submit" class="small" aria-label="([^"]+)"/g;
    const mains = async () =>
      [...(await ann.get('/servers/1')).text.matchAll(mainAction)].map(([, name]) => name);
    expect(await mains()).toEqual(['Back up now: web']);
    await servers.learn(1, { contactFailedSince: seenAt });
    await clock.advance(3_600_000);
    expect(await mains()).toEqual(['Check now: web']);
    const { text } = await ann.get('/servers/1');
    expect(text.match(/class="card stat old"/g)?.length).toBeGreaterThan(1);
    expect(text).toMatch(/as of <time [^>]*>1 h ago</);
    // Jobs are in the menu.
    const menu = text.indexOf('More actions');
    expect(text.indexOf('Back up now: web')).toBeGreaterThan(menu);
    expect(text.indexOf('Check now: web')).toBeLessThan(menu);
  });

  test('shows its last days, what grows, and its metrics as a table', async () => {
    const { clock } = fixture.scene;
    const disk = (usedBytes: number) => [
      { mount: '/srv', filesystem: 'ext4', totalBytes: 100, usedBytes },
      { mount: '/', filesystem: 'ext4', totalBytes: 100, usedBytes: 10 },
    ];
    for (let day = 0; day <= 6; day += 1) {
      const disks = disk(70 + 2 * day);
      await fixture.fleet.inventories.save(
        1,
        { ...fakeInventory(), disks, at: clock.now(), activity: activityOn(day) },
        { osUpdatesCount: 3 },
      );
      if (day < 6) await clock.advance(86_400_000);
    }
    // A session would not have lasted.
    ann = await fixture.signedIn('administrator');
    const { text } = await ann.get('/servers/1');
    expect(text).toContain('full in ~9 d');
    expect(text.match(/<svg class="heat"[^>]*role="group"/g)).toHaveLength(1);
    // One stop for the Tab key on each strip, whose days lead somewhere if anything is known of them.
    expect(text.match(/<a href="[^"]*" tabindex="-1"><rect/g)).toHaveLength(6);
    expect(text.match(/<a href="[^"]*"><rect/g)).toHaveLength(1);
    expect(text.match(/No runs in 30 days/g)).toHaveLength(2);
    expect(text).toContain('aria-label="Reachable, 30 days: known for 7 days');
    expect(text).toContain('Backup overdue');
    expect(text).not.toContain('style=');
    const metrics = await ann.get('/servers/1/metrics?range=30d');
    expect(metrics.text).toContain('/srv 82 %');
    expect(metrics.text).toMatch(/<ul class="chart-keys">.*Limit.*Not recorded.*<\/ul>/s);
    expect(metrics.text).not.toContain('Failed job');
    expect(metrics.text).toMatch(/<script src="[^"]*metrics\.js"/);
    const drawn = async (range: string) => {
      const page = (await ann.get(`/servers/1/metrics?range=${range}`)).text;
      return JSON.parse((/data-charts="([^"]+)"/.exec(page)?.[1] ?? '').replaceAll('&quot;', '"'));
    };
    const loads = async (range: string): Promise<readonly unknown[]> =>
      (await drawn(range)).charts[0].series[0].values.map((value: number | null) => value === null);
    // One a day: with hourly samples in between, lines would not break.
    expect(await loads('30d')).toEqual(Array.from({ length: 13 }, (_, index) => index % 2 === 1));
    // Today is not over.
    expect(await loads('1y')).toEqual(Array.from({ length: 6 }, () => false));
    const lines = (await drawn('1y')).charts.find(
      ({ title }: { title: string }) => title === 'Network',
    ).series;
    expect(lines[0].values).toEqual([null, 100, 100, 100, null, 100]);
    expect(lines[1].values).toEqual(Array.from({ length: 6 }, () => null));
    expect((await ann.get('/servers/1/metrics?range=1y')).text).toContain('100 B/s · –');
    expect((await drawn('30d')).gaps).toHaveLength(6);
    await clock.advance(3 * 3_600_000);
    const { gaps, until } = await drawn('30d');
    expect(gaps.at(-1)).toEqual([until - 3 * 3_600, until]);
    expect((await drawn('1y')).gaps).toEqual([]);
    expect(text).not.toContain('metrics.js');
    expect((await ann.get('/servers/1/metrics?range=nonsense')).status).toBe(200);
  });

  test('warns on its page and in the list when its disk is 90 % full or more', async () => {
    const { id } = await fixture.scene.addServer('nas');
    const fill = (diskUsedBytes: number) =>
      fixture.fleet.inventories.save(
        id,
        { ...fakeInventory(), at: fixture.scene.clock.now() },
        { diskUsedBytes, diskTotalBytes: 1_000, inventoryAt: fixture.scene.clock.now() },
      );
    await fill(899);
    expect((await ann.get('/servers')).text).not.toContain('Disk 89 %');
    expect((await ann.get(`/servers/${id}`)).text).not.toContain('id="need-disk_full"');
    await fill(900);
    expect((await ann.get('/servers')).text).toContain('<span>Disk 90 %</span>');
    expect((await ann.get(`/servers/${id}`)).text).toMatch(/Disk 90 %[^]*id="need-disk_full"/);
  });

  test('counts updates on their tab in the tone of a warning only with security updates', async () => {
    const pending = (securityUpdatesCount: number) =>
      fixture.fleet.inventories.save(
        1,
        { ...fakeInventory(), at: fixture.scene.clock.now() },
        { osUpdatesCount: 4, securityUpdatesCount, inventoryAt: fixture.scene.clock.now() },
      );
    await pending(0);
    expect((await ann.get('/servers/1')).text).toContain('<span class="count">4</span>');
    await pending(1);
    const { text } = await ann.get('/servers/1');
    expect(text).toContain('<span class="count care">4</span>');
    expect(text).toMatch(/class="card needs">.*id="need-security_updates" class="banner care"/s);
  });

  test('gets another name and other tags', async () => {
    await fixture.scene.addServer('db');
    expect((await save('name', { name: 'web-1', tags: 'eu web' })).location).toBe('/servers/1/settings');
    expect(await web()).toMatchObject({ name: 'web-1', tags: ['eu', 'web'] });
    await save('name', { name: 'web-1', tags: 'eu web', notes: ' In the cellar.\r\n<b>Loud</b> ' });
    expect((await web()).notes).toBe('In the cellar.\n<b>Loud</b>');
    expect((await ann.get('/servers/1')).text).toContain('In the cellar.\n&lt;b>Loud');
    await save('name', { name: 'web-1', tags: 'eu web' });
    expect((await web()).notes).toContain('cellar');
    expect((await save('name', { name: 'web-1', tags: '', notes: 'x'.repeat(4_001) })).text).toMatch(
      /id="notes-fault"/,
    );
    const taken = await save('name', { name: 'db', tags: 'Not,OK!' });
    expect([taken.status, taken.text]).toEqual([422, expect.stringContaining('value="Not,OK!"')]);
    expect((await save('name', { name: 'db', tags: '' })).text).toMatch(/id="name-fault">A server named/);
  });

  test('keeps its host key as long as its address stays', async () => {
    expect((await save('address', { ...ADDRESS, ssh_username: 'deploy', become: 'sudo' })).status).toBe(303);
    expect((await web()).address).toMatchObject({ sshUsername: 'deploy', become: 'sudo' });
    expect((await web()).address.hostKey).not.toBeNull();
    expect((await save('address', { ...ADDRESS, ssh_username: 'deploy', become: 'sudo' })).status).toBe(303);
    await save('address', { ...ADDRESS, hostname: 'other.test' });
    expect((await web()).address).toMatchObject({ hostname: 'other.test', hostKey: null });
    expect((await save('address', { ...ADDRESS, jump: 'web' })).text).toContain(
      'cannot be its own jump server',
    );
    expect((await save('address', { ...ADDRESS, key: '9' })).text).toMatch(/id="key-fault"/);
  });

  test('has its features, jail, denied names and compose directories set', async () => {
    await save('features', { features: ['docker'] });
    expect((await web()).features).toEqual({ backup: false, os_patch: false, docker: true });
    await save('features', {});
    expect((await web()).features.docker).toBe(false);
    await save('files', { jail: '/srv/data', jail_deny: '*.env\r\nsecrets', compose_dirs: '/srv/stacks' });
    expect(await web()).toMatchObject({
      jail: '/srv/data',
      jailDeny: ['*.env', 'secrets'],
      composeDirs: ['/srv/stacks'],
    });
    const bad = await save('files', { jail: '/etc/x', jail_deny: 'a/b', compose_dirs: 'srv' });
    expect(bad.status).toBe(422);
    expect(bad.text.match(/aria-invalid="true"/g)).toHaveLength(3);
    await save('files', { jail: '', jail_deny: '', compose_dirs: '' });
    expect(await web()).toMatchObject({ jail: null, jailDeny: [], composeDirs: [] });
  });

  test('is removed only with its name typed, and not while a job of it runs', async () => {
    await fixture.scene.addSource(1);
    const wrong = await save('remove', { confirm: 'wbe' });
    expect(wrong.text).toContain('Type web to remove it.');
    expect(wrong.text).toContain('value="wbe"');
    await ann.post('/servers/1/start', { job_type: 'backup' });
    expect((await save('remove', { confirm: 'web' })).status).toBe(422);
    await ann.post('/jobs/1/cancel');
    expect((await save('remove', { confirm: 'web' })).location).toBe('/servers');
    expect((await ann.get('/servers/1')).status).toBe(404);
  });

  test('shows its settings to those who only look without a form', async () => {
    const viewer = await fixture.signedIn('viewer');
    const { text } = await viewer.get('/servers/1/settings');
    expect(text).not.toContain('action="/servers/1/');
  });
});

describe('The backup sources of a server', () => {
  const KEEP = { keep_last: '3', keep_daily: '7', keep_weekly: '4', keep_monthly: '6', keep_yearly: '0' };
  const add = (fields: Record<string, string>) =>
    ann.post('/servers/1/sources', { repository: '', excludes: '', ...KEEP, ...fields });

  test('are added, changed and removed again', async () => {
    expect((await ann.get('/servers/1/sources')).text).toContain('Nothing on web is backed up yet');
    await add({ name: 'www', paths: '/srv/www\r\n/etc/nginx', excludes: '*.tmp' });
    expect((await ann.get('/servers/1/sources')).text).toContain('/srv/www /etc/nginx');
    const edit = await ann.get('/servers/1/sources/www/edit');
    expect(edit.text).toContain('>/srv/www\n/etc/nginx</textarea>');
    const changed = await ann.post('/servers/1/sources/www/edit', {
      ...KEEP,
      paths: '/srv',
      excludes: '',
      keep_daily: '30',
    });
    expect(changed.location).toBe('/servers/1/sources');
    expect(await fixture.scene.sources.ofServer(1)).toMatchObject([
      { paths: ['/srv'], excludes: [], retention: { keepDaily: 30 } },
    ]);
    const confirm = await ann.get('/servers/1/sources/www/remove');
    expect(confirm.text).toContain('Remove www from web');
    await ann.post('/servers/1/sources/www/remove');
    expect(await fixture.scene.sources.ofServer(1)).toEqual([]);
    expect((await ann.get('/servers/1/sources/www/edit')).status).toBe(404);
  });

  test('show what their patterns leave out before they are saved', async () => {
    const typed = { name: 'www', paths: '/srv/www', excludes: '*.tmp\r\nnothing' };
    const first = await add({ ...typed, preview: 'yes' });
    expect(first.status).toBe(200);
    expect(first.text).toContain('1 file (1.0 KiB) would be excluded, 3 files (4.9 KiB) kept');
    expect(first.text).toContain('no match');
    expect(first.text).toContain('/srv/www/*.tmp');
    expect(first.text).toContain('value="www"');
    expect(await fixture.scene.sources.ofServer(1)).toEqual([]);
    await add(typed);
    const edit = await ann.post('/servers/1/sources/www/edit', {
      ...KEEP,
      paths: '/srv',
      excludes: 'cache',
      preview: 'yes',
    });
    expect([edit.status, edit.text.includes('/srv/cache')]).toEqual([200, true]);
    expect(await fixture.scene.sources.ofServer(1)).toMatchObject([{ paths: ['/srv/www'] }]);
    const bad = await add({ name: '', paths: 'srv', preview: 'yes' });
    expect([bad.status, bad.text.includes('id="paths-fault"')]).toEqual([422, true]);
  });

  test('keep invalid input', async () => {
    const bad = await add({ name: 'W W', paths: 'srv', keep_last: 'x' });
    expect(bad.status).toBe(422);
    expect(bad.text.match(/aria-invalid="true"/g)).toHaveLength(3);
    expect(bad.text).toContain('value="W W"');
    await add({ name: 'www', paths: '/srv' });
    expect((await add({ name: 'www', paths: '/srv' })).text).toMatch(/id="name-fault"/);
    expect((await add({ name: 'off', paths: '/srv', repository: 'gone' })).text).toMatch(
      /id="repository-fault"/,
    );
  });
});

describe("A server's schedules", () => {
  test('are shown with the windows in which it may be changed, its own and those of its tags', async () => {
    const { text: before } = await ann.get('/servers/1/schedules');
    expect(before).toContain('No schedule includes web yet');
    expect(before).toContain('it can be changed at any time');
    const root = await fixture.signedIn('administrator');
    const at = { cron: '0 2 * * 0', time_zone: 'UTC', duration: '2' };
    const own = { ...at, name: 'sunday', selector: 'ids', servers: 'web', tags: '' };
    expect((await root.post('/windows/new', own)).location).toBe('/windows');
    await root.post('/windows/new', { ...at, name: 'of-db', selector: 'tags', servers: '', tags: 'db' });
    const { text } = await ann.get('/servers/1/schedules');
    expect(text).toContain('sunday');
    expect(text).not.toContain('of-db');
  });
});

describe('The head of a server', () => {
  test('is slim beside its overview, and its menu has the actions for phones', async () => {
    const [overview, jobs] = [(await ann.get('/servers/1')).text, (await ann.get('/servers/1/jobs')).text];
    expect([overview, jobs].map((text) => text.includes('class="head slim"'))).toEqual([false, true]);
    const starts = (text: string) => text.match(/aria-label="Back up now: web"/g)?.length;
    expect([starts(overview), starts(jobs)]).toEqual([1, 2]);
  });
});
