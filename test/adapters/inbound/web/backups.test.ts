import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Snapshot } from '../../../../src/domain/backups/snapshot.ts';
import { DAY } from '../../../../src/domain/base/instant.ts';
import type { Server } from '../../../../src/domain/fleet/server.ts';
import { requestFor, Witness } from '../../../contracts/backup-engine.contract.ts';
import { FakeRemoteHosts } from '../../../fakes/fake-remote-hosts.ts';
import { openWebFixture, type Visitor, type WebFixture } from './web-fixture.ts';

let fixture: WebFixture;
let web: Server;
let operator: Visitor;
let viewer: Visitor;

beforeEach(async () => {
  fixture = await openWebFixture();
  web = await fixture.scene.addServer('web-1', { backup: true }, 'ssh');
  operator = await fixture.signedIn('operator');
  viewer = await fixture.signedIn('viewer');
});
afterEach(() => fixture.close());

/** A snapshot of /etc, of files that are set on the fake host before. */
async function backup(name = 'etc', daysAgo = 0): Promise<Snapshot> {
  const { scene, stock } = fixture;
  const source =
    (await scene.sources.ofServer(web.id)).find((each) => each.name === name) ??
    (await scene.addSource(web.id, name));
  const request = requestFor(new FakeRemoteHosts().host('web-1').session(), source);
  const made = await stock.engine.backup(
    { ...request, startedAt: scene.clock.now() - daysAgo * DAY },
    new Witness(),
  );
  await scene.servers.learn(web.id, { lastBackupAt: made.startedAt });
  return scene.snapshots.add(made);
}

const put = (files: Readonly<Record<string, string>>): void => {
  for (const [path, text] of Object.entries(files)) fixture.stock.engine.files.set(path, text);
};

/** A backup job that fails. */
async function failedBackup(): Promise<void> {
  const { scene } = fixture;
  const job = await operator.post(`/servers/${web.id}/backups`);
  expect(job.status).toBe(303);
  const [claim] = await scene.queue.claim({
    owner: 'w',
    leaseMs: 60_000,
    limit: 1,
    at: scene.clock.now(),
    record: () => ({}),
  });
  if (!claim) throw new Error('no job waits');
  const detail = 'Backup of "etc" failed: /etc is not there.';
  const ended = {
    status: 'failed',
    summary: detail,
    error: { code: 'backup_failed', detail },
    result: null,
  } as const;
  await scene.queue.finish(claim, ended, scene.clock.now(), () => ({}));
}

test('The timeline of snapshots has times on a day with several', async () => {
  put({ '/etc/hosts': 'x' });
  await backup('etc', 2);
  const { startedAt } = await backup('etc', 1 / 24);
  const { id } = await backup();
  const { text } = await operator.get(`/snapshots/${id}`);
  const [timeline = ''] = /<nav class="timeline".*?<\/nav>/s.exec(text) ?? [];
  expect([...timeline.matchAll(/data-local="(\w+)"/g)].map(([, shown]) => shown)).toEqual([
    'short',
    'clock',
    'clock',
  ]);
  expect(timeline).toContain(`, ${new Date(startedAt).toISOString().slice(11, 16)}</time>`);
  expect(text).toMatch(
    new RegExp(`<nav class="trail".*href="/servers/${web.id}/backups">web-1</a>.*</nav>`, 's'),
  );
});

test('The timeline has bars only if the amounts differ, and each entry a menu with all its actions', async () => {
  put({ '/etc/hosts': 'x', '/etc/cron.d/one': 'y' });
  await backup('etc', 2);
  put({ '/etc/hosts': 'z', '/etc/cron.d/one': 'z' });
  const same = await backup('etc', 1);
  const timeline = async ({ id }: Snapshot) => {
    const { text } = await operator.get(`/snapshots/${id}?p=etc&exact=yes`);
    return { text, bars: /<nav class="timeline".*?<\/nav>/s.exec(text)?.[0].includes('<rect') };
  };
  const { text, bars } = await timeline(same);
  expect(bars).toBe(false);
  for (const name of ['hosts', 'cron.d'])
    expect(
      [...text.matchAll(new RegExp(`aria-label="([^":]+): ${name}"`, 'g'))].map(([, label]) => label),
    ).toEqual([
      'Restore…',
      'Restore…',
      ...(name === 'hosts' ? ['Preview', 'Download'] : []),
      'Compare with server',
    ]);
  expect(text).toMatch(/<nav class="crumbs.*>\/<\/a>.*>etc<\/a>/s);
  put({ '/etc/hosts': 'x'.repeat(9000) });
  expect((await timeline(await backup())).bars).toBe(true);
});

test('A day without a successful backup is red for the fleet, for its server and for its source', async () => {
  put({ '/etc/hosts': 'x' });
  await backup();
  await fixture.scene.clock.advance(DAY);
  [operator, viewer] = [await fixture.signedIn('operator'), await fixture.signedIn('viewer')];
  await failedBackup();
  for (const path of ['/backups', `/servers/${web.id}`, `/servers/${web.id}/backups`]) {
    const { text } = await viewer.get(path);
    const [, strip = ''] = /<svg class="heat"[^>]*aria-label="Backups[^"]*"[^>]*>(.*?)<\/svg>/s.exec(
      path === '/backups' ? text.slice(text.indexOf('<table')) : text,
    ) ?? [''];
    const tones = [...strip.matchAll(/<rect[^>]*class="(\w+)"/g)].map(([, tone]) => tone);
    expect([path, tones.slice(-2)]).toEqual([path, ['good', 'bad']]);
    const days = /href="\/jobs\?server=web-1&amp;type=backup&amp;since=(\d{4}-\d\d-\d\d)&amp;until=\1"/g;
    expect([path, strip.match(days)?.length]).toEqual([path, 2]);
  }
});

describe('The backups of the fleet', () => {
  test('are listed worst first, stale ones marked', async () => {
    put({ '/etc/hosts': 'x' });
    await fixture.scene.addServer('never-1', { backup: true });
    await fixture.scene.addServer('off-1');
    await backup();
    const { text } = await viewer.get('/backups');
    expect(text.indexOf('never-1')).toBeLessThan(text.indexOf('web-1'));
    expect(text).toContain('not backed up yet');
    expect(text).toContain('fresh');
    expect(text).not.toContain('off-1');
    await fixture.scene.clock.advance(2 * DAY);
    viewer = await fixture.signedIn('viewer');
    const later = (await viewer.get('/backups')).text;
    for (const state of ['overdue</span>', 'never backed up']) expect(later).toContain(state);
    const only = (await viewer.get('/backups?only=unverified')).text;
    expect([only.includes('never-1'), only.includes('name="ids"')]).toEqual([true, false]);
    operator = await fixture.signedIn('operator');
    expect((await operator.get('/backups')).text).toContain('value="retention"');
  });

  test('are searched by server and source, and show the free space', async () => {
    put({ '/etc/hosts': 'x' });
    await backup('orders');
    await fixture.scene.addServer('db-1', { backup: true });
    const rows = async (query: string) => {
      const { text } = await viewer.get(`/backups?${query}`);
      return ['web-1', 'db-1'].filter((name) => text.includes(`>${name}</a>`));
    };
    expect(await rows('q=ORDERS')).toEqual(['web-1']);
    expect(await rows('q=db')).toEqual(['db-1']);
    expect(await rows('q=db&only=unverified')).toEqual(['db-1']);
    expect(await rows('q=nothing')).toEqual([]);
    const { text } = await viewer.get('/backups');
    expect(text).toContain('250 GiB');
    expect(text).toMatch(/<meter[^>]*aria-label="Backup directory, 750 GiB of 1000 GiB used"/);
    fixture.stock.storeSpace.space = null;
    expect((await viewer.get('/backups')).text).not.toContain('<meter');
  });

  test('start with their state, and a number that needs attention stands out', async () => {
    put({ '/etc/hosts': 'x' });
    await backup();
    const number = /href="\/backups\?only=overdue">.*?class="value( bad)?">1 </s;
    expect((await viewer.get('/backups')).text).not.toMatch(number);
    await fixture.scene.clock.advance(2 * DAY);
    [operator, viewer] = [await fixture.signedIn('operator'), await fixture.signedIn('viewer')];
    const { text } = await viewer.get('/backups');
    expect(text).toMatch(/class="sub">1 server · 1 backup overdue/);
    expect(number.exec(text)?.[1]).toBe(' bad');
    expect(text).toContain('href="/backups?only=unverified"');
    const ask = 'href="/batches/new?type=backup"';
    expect([text.includes(ask), (await operator.get('/backups')).text.includes(ask)]).toEqual([false, true]);
  });

  test('show the growth of a server, and none where the size stays', async () => {
    put({ '/etc/hosts': 'x'.repeat(1000) });
    await backup();
    await fixture.scene.clock.advance(DAY);
    await backup();
    viewer = await fixture.signedIn('viewer');
    expect((await viewer.get('/backups')).text).toContain('unchanged');
    put({ '/etc/hosts': 'x'.repeat(1500) });
    await backup();
    expect((await viewer.get('/backups')).text).toMatch(/aria-label="14 days, from .*\+50\u00a0%/s);
  });

  test('name no engine that needs no program on the server', async () => {
    put({ '/etc/hosts': 'x' });
    await backup();
    const { text } = await viewer.get(`/servers/${web.id}/backups`);
    expect([text.includes('etc'), text.includes('rsync')]).toEqual([true, false]);
  });

  test('explain how to start', async () => {
    await fixture.scene.servers.setFeatures(web.id, { backup: false }, 0, () => ({}));
    expect((await viewer.get('/backups')).text).toContain('Backups are off for all servers');
  });
});

describe("A server's backups", () => {
  test('show sources and snapshots, and start a backup and a verification', async () => {
    put({ '/etc/hosts': 'x' });
    const snapshot = await backup();
    const { text } = await operator.get(`/servers/${web.id}/backups`);
    expect(text).toContain('3 latest, 7 days, 4 weeks, 6 months');
    expect(text).toContain(`/snapshots/${snapshot.id}`);
    expect(text).toContain('not yet');
    // As on its overview, where the source is the name: the time is beside it.
    const overview = (await operator.get(`/servers/${web.id}`)).text;
    expect(overview).toMatch(new RegExp(`<a href="/snapshots/${snapshot.id}">etc</a>`));
    expect(overview).toContain(`href="/snapshots/${snapshot.id}/restore"`);
    expect((await viewer.get(`/servers/${web.id}`)).text).not.toContain(`/snapshots/${snapshot.id}`);
    await fixture.scene.snapshots.recordCheck(snapshot.id, {
      at: fixture.scene.clock.now(),
      outcome: 'damaged',
      files: 0,
      bytes: 0,
      detail: 'hosts differs',
    });
    expect((await operator.get(`/servers/${web.id}/backups`)).text).toContain('hosts differs');
    const started = await operator.post(`/servers/${web.id}/backups`, { source: 'etc' });
    expect(started.location).toMatch(/^\/jobs\/\d+$/);
    expect((await operator.post(`/servers/${web.id}/backups`, { source: 'etc' })).location).toBe(
      started.location,
    );
    expect((await operator.post(`/snapshots/${snapshot.id}/verify`)).location).toMatch(/^\/jobs\/\d+$/);
  });

  test('offer a viewer nothing that changes or opens something', async () => {
    put({ '/etc/hosts': 'x' });
    await backup();
    const { text } = await viewer.get(`/servers/${web.id}/backups`);
    expect(text).not.toMatch(/Back up now|Browse|<form method="post" action="\/(snapshots|servers)/);
    expect(text).toContain('Preview retention');
  });

  test('say what retention would remove, why the rest stays, and do so for the name of the server', async () => {
    put({ '/etc/hosts': 'x' });
    for (let days = 30; days >= 0; days -= 1) await backup('etc', days);
    const path = `/servers/${web.id}/backups/retention`;
    const first = (await operator.get(path)).text;
    expect(first).toMatch(/Retention would remove \d\d snapshots now\./);
    expect(first.match(/<tr\b/g)).toHaveLength(1 + 10);
    expect(first).toContain(`href="${path}?all=1"`);
    const { text } = await operator.get(`${path}?all=1`);
    expect(text.match(/<tr\b/g)).toHaveLength(1 + 31);
    expect(text).toContain('no rule keeps it');
    expect(text).toContain('the latest');
    expect(text).toMatch(/last of the month 20\d\d-\d\d/);
    expect((await viewer.get(path)).text).not.toContain('<form method="post" action="/servers');
    const wrong = await operator.post(path, { confirmation: 'web-2' });
    expect([wrong.status, wrong.text.includes('value="web-2"')]).toEqual([422, true]);
    expect(wrong.text).toContain('aria-invalid="true"');
    expect((await operator.post(path, { confirmation: 'web-1' })).location).toMatch(/^\/jobs\/\d+$/);
  });
});

describe('A snapshot', () => {
  test('is looked into, directory by directory and page by page', async () => {
    put({ '/etc/nginx/a.conf': 'a', '/etc/hosts': '<hosts>', '/etc/id_rsa': 'k' });
    for (let i = 100; i < 205; i += 1) put({ [`/etc/many/f${i}`]: '' });
    const { id } = await backup();
    expect((await operator.get(`/snapshots/${id}`)).text).toContain(`/snapshots/${id}?p=etc`);
    const { text } = await operator.get(`/snapshots/${id}?p=etc`);
    expect(text).toContain(`/snapshots/${id}/download?p=etc%2Fhosts`);
    expect(text).toContain('may hold secrets');
    expect(text).not.toContain('download?p=etc%2Fid_rsa');
    const many = await operator.get(`/snapshots/${id}?p=etc/many`);
    expect(many.text).toContain('1 to 100 of 105');
    expect(many.text).toContain(`/snapshots/${id}?p=etc%2Fmany&amp;offset=100`);
    expect((await operator.get(`/snapshots/${id}?p=etc/many&offset=100`)).text).toContain('f204');
    expect((await operator.get(`/snapshots/${id}?p=../etc`)).status).toBe(422);
    expect((await operator.get(`/snapshots/${id}?p=nothing`)).status).toBe(404);
    expect((await operator.get('/snapshots/99')).status).toBe(404);
    expect((await operator.get('/snapshots/x')).status).toBe(404);
    expect((await viewer.get(`/snapshots/${id}`)).status).toBe(403);
  });

  test('is browsed without steps through folders that hold one folder, and searched', async () => {
    put({ '/etc/nginx/sites/a.conf': 'a', '/etc/nginx/sites/b.conf': 'b' });
    const { id } = await backup();
    const folded = await operator.get(`/snapshots/${id}`);
    expect(folded.text).toContain(`/snapshots/${id}/view?p=etc%2Fnginx%2Fsites%2Fa.conf`);
    const exact = await operator.get(`/snapshots/${id}?p=etc&exact=yes`);
    expect(exact.text).toContain(`href="/snapshots/${id}?p=etc%2Fnginx"`);
    put({ '/etc/other/B.conf': 'b', '/etc/id_rsa': 'k' });
    const { id: later } = await backup('all', 1);
    const found = (await operator.get(`/snapshots/${later}?p=etc/nginx/sites&q=b.C`)).text;
    for (const place of ['etc/nginx/sites/b.conf', 'etc/other/B.conf'])
      expect(found).toContain(`/snapshots/${later}/view?p=${encodeURIComponent(place)}">${place}</a>`);
    expect(found).not.toContain('a.conf');
    const secret = (await operator.get(`/snapshots/${later}?q=id_rsa`)).text;
    expect([secret.includes('etc/id_rsa'), secret.includes('view?p=etc%2Fid_rsa')]).toEqual([true, false]);
    expect((await operator.get(`/snapshots/${later}?q=nothing-like-it`)).text).toContain('No name in the');
    for (let i = 100; i < 205; i += 1) put({ [`/etc/many/f${i}`]: '' });
    const { id: full } = await backup('full', 1);
    expect((await operator.get(`/snapshots/${full}?q=f1`)).text).toContain('The first 100 matches');
  });

  test('keeps the place on the way to another time, and says if it has no such place', async () => {
    put({ '/etc/old/x': '1', '/etc/hosts': 'x' });
    const first = await backup('etc', 2);
    fixture.stock.engine.files.delete('/etc/old/x');
    const second = await backup('etc', 1);
    const { text } = await operator.get(`/snapshots/${first.id}?p=etc/old`);
    expect(text).toContain(`href="/snapshots/${second.id}?p=etc%2Fold"`);
    const missing = await operator.get(`/snapshots/${second.id}?p=etc/old`);
    expect([missing.status, missing.text.includes(`href="/snapshots/${first.id}?p=etc%2Fold"`)]).toEqual([
      404,
      true,
    ]);
  });

  test('shows text without what acts on a reader, and no more than a part of it', async () => {
    put({
      '/etc/motd': 'a\u001b]0;title\u0007\u202eb\u0001<b>\n',
      '/etc/big': 'x'.repeat(70_000),
      '/etc/bin': 'a\0b',
    });
    put({ '/etc/shadow': 'root:x' });
    const { id } = await backup();
    const view = (name: string) => operator.get(`/snapshots/${id}/view?p=etc/${name}`);
    expect((await view('motd')).text).toContain('>ab&lt;b>\n</pre>');
    expect((await view('big')).text).toMatch(/>x{65536}<\/pre>/);
    expect((await view('bin')).text).not.toContain('<pre');
    expect((await view('shadow')).status).toBe(403);
  });

  test('is compared with another one, folder by folder', async () => {
    put({ '/etc/hosts': 'x', '/etc/gone': 'g', '/etc/same.d/a': 'a' });
    const first = await backup('etc', 2);
    fixture.stock.engine.files.delete('/etc/gone');
    put({ '/etc/hosts': 'longer', '/etc/new': 'n' });
    const second = await backup('etc', 1);
    const { text } = await operator.get(`/snapshots/${second.id}/compare?p=etc`);
    expect(text).toContain(`<option value="${first.id}" selected`);
    for (const [name, change] of [
      ['gone', 'removed'],
      ['hosts', 'changed'],
      ['new', 'added'],
    ])
      expect(text).toMatch(new RegExp(`>${name}</a></span>.*?<span>${change}<`));
    expect(text).toContain(`/compare?with=${first.id}&amp;p=etc%2Fsame.d`);
    const root = (await operator.get(`/snapshots/${second.id}/compare`)).text;
    expect(root).toMatch(/p=etc">etc\/<\/a> <span class="count">\d changes</);
    expect(root).toContain(`/compare?with=${first.id}&amp;file=etc%2Fhosts`);
    expect(root.match(/Show diff/g)).toHaveLength(2);
  });

  test('shows the lines of a file that changed between two, and none of what may hold secrets', async () => {
    put({ '/etc/app.conf': 'port = 80\nname = a\n', '/etc/gone': 'last\n', '/etc/shadow': 'root:x' });
    const first = await backup('etc', 2);
    fixture.stock.engine.files.delete('/etc/gone');
    put({ '/etc/app.conf': 'port = 81\nname = a\n', '/etc/shadow': 'root:y', '/etc/bin': 'a\0b' });
    const second = await backup('etc', 1);
    const file = async (name: string) =>
      (await operator.get(`/snapshots/${second.id}/compare?file=etc/${name}`)).text;
    const changed = await file('app.conf');
    expect(changed).toContain('-port = 80');
    expect(changed).toContain('+port = 81');
    expect(changed).toContain(`/compare?p=etc&amp;with=${first.id}"`);
    expect(await file('gone')).toContain('-last');
    for (const name of ['shadow', 'bin']) {
      expect(await file(name)).toContain('No lines are shown');
      expect(await file(name)).not.toContain('root:');
    }
    expect((await viewer.get(`/snapshots/${second.id}/compare?file=etc/app.conf`)).status).toBe(403);
  });

  test('gives out selected files as an archive, and restores them together', async () => {
    put({ '/etc/a': 'aaa', '/etc/b': 'bbb', '/etc/d/c': 'c', '/etc/shadow': 's' });
    const { id } = await backup();
    const pack = (...ids: string[]) => operator.post(`/snapshots/${id}/pack`, { p: 'etc', ids });
    const packed = await pack('a', 'b');
    expect(packed.headers.get('content-disposition')).toContain(`etc-${id}.zip`);
    expect([packed.text.slice(0, 2), packed.text.includes('aaa') || packed.text.length > 100]).toEqual([
      'PK',
      true,
    ]);
    for (const wrong of [[], ['d'], ['shadow'], ['../a'], ['nothing']])
      expect((await pack(...wrong)).status).toBe(422);
    const form = await operator.post(`/snapshots/${id}/restore/choose`, { p: 'etc', ids: ['a', 'd'] });
    expect(form.text).toContain('name="path" value="etc/a"');
    expect(form.text).toContain('name="path" value="etc/d"');
    const fields = { path: ['etc/a', 'etc/d'], where: 'original', confirmation: 'web-1' };
    const job = await operator.post(`/snapshots/${id}/restore`, fields);
    expect(await fixture.scene.jobs.find(Number(job.location?.split('/')[2]))).toMatchObject({
      params: { restore: { subpaths: ['etc/a', 'etc/d'] } },
    });
    const many = { ...fields, path: Array.from({ length: 101 }, (_, at) => `etc/${at}`) };
    expect((await operator.post(`/snapshots/${id}/restore`, many)).status).toBe(422);
  });

  test('is pinned, unpinned and deleted; the last one only after another confirmation', async () => {
    put({ '/etc/hosts': 'x' });
    const { id } = await backup();
    expect((await viewer.post(`/snapshots/${id}/pin`)).status).toBe(403);
    expect((await operator.post(`/snapshots/${id}/pin`)).location).toBe(`/snapshots/${id}`);
    expect((await fixture.scene.snapshots.find(id))?.pinnedAt).not.toBeNull();
    const path = `/snapshots/${id}/delete`;
    expect((await operator.post(path, { confirm_last: 'yes' })).status).toBe(422);
    await operator.post(`/snapshots/${id}/unpin`);
    expect((await operator.get(path)).text).toContain('name="confirm_last"');
    expect((await operator.post(path)).status).toBe(422);
    expect((await operator.post(path, { confirm_last: 'yes' })).location).toBe(`/servers/${web.id}/backups`);
    expect(await fixture.scene.snapshots.find(id)).toBeNull();
  });

  test('gives out single files, to be kept and never shown', async () => {
    put({ '/etc/pa"ge\u00e4.html': '<script>alert(1)</script>', '/etc/shadow': 'root:x', '/etc/.ssh/k': '' });
    const { id } = await backup();
    const file = await operator.get(
      `/snapshots/${id}/download?p=${encodeURIComponent('etc/pa"ge\u00e4.html')}`,
    );
    expect(file.status).toBe(200);
    expect(file.text).toBe('<script>alert(1)</script>');
    expect(file.headers.get('content-type')).toBe('application/octet-stream');
    expect(file.headers.get('content-disposition')).toMatch(/^attachment; filename="pa\\"ge[^"]*"/);
    expect(file.headers.get('content-length')).toBe('25');
    expect(file.headers.get('x-content-type-options')).toBe('nosniff');
    expect(file.headers.get('repr-digest')).toMatch(/^sha-256=:/);
    expect((await operator.get(`/snapshots/${id}/download?p=etc/shadow`)).status).toBe(403);
    expect((await operator.get(`/snapshots/${id}/download?p=etc/.ssh/k`)).status).toBe(403);
    expect((await operator.get(`/snapshots/${id}/download?p=etc`)).status).toBe(409);
    const { items } = await fixture.scene.audit.list({}, { limit: 100, offset: 0 });
    const actions = items.map(({ action, outcome }) => `${action} ${outcome}`);
    expect(actions).toContain('snapshot.download done');
    expect(actions).toContain('snapshot.download path_refused');
  });

  test("of the service's own data is for administrators", async () => {
    put({ '/etc/fleet.json': 'sealed' });
    const source = await fixture.scene.addSource(web.id, 'drover');
    fixture.scene.kept.change('backup_sources', source.id, { kind: 'service' });
    const { id } = await backup('drover');
    expect((await operator.get(`/snapshots/${id}`)).status).toBe(403);
    expect((await operator.post(`/snapshots/${id}/restore`, { where: 'original' })).status).toBe(403);
    const root = await fixture.signedIn('administrator');
    expect((await root.get(`/snapshots/${id}/download?p=etc/fleet.json`)).text).toBe('sealed');
  });

  test('is restored to a directory, and in place only with the name of the server', async () => {
    put({ '/etc/hosts': 'x' });
    const { id } = await backup();
    const path = `/snapshots/${id}/restore`;
    const form = await operator.get(`${path}?p=etc/hosts`);
    expect(form.text).toContain('/etc/hosts');
    expect(form.text).toContain('web-1');
    const bad = await operator.post(path, { path: 'etc/hosts', where: 'directory', directory: 'tmp/../x' });
    expect(bad.status).toBe(422);
    expect(bad.text).toContain('value="tmp/../x"');
    expect(bad.text).toContain('aria-invalid="true"');
    const unnamed = await operator.post(path, { path: 'etc/hosts', where: 'original', confirmation: 'web' });
    expect([unnamed.status, unnamed.text.includes('value="web"')]).toEqual([422, true]);
    expect(unnamed.text).toMatch(/value="original"[^>]*checked/);
    const job = await operator.post(path, { path: 'etc/hosts', where: 'original', confirmation: 'web-1' });
    expect(job.location).toMatch(/^\/jobs\/\d+$/);
    const found = await fixture.scene.jobs.find(Number(job.location?.split('/')[2]));
    expect(found).toMatchObject({
      jobType: 'restore',
      params: { snapshotId: id, restore: { directory: '/', subpaths: ['etc/hosts'], overwrite: true } },
    });
    expect((await operator.post(path, { where: 'directory', directory: '/var/tmp/x' })).location).toBe(
      job.location,
    );
  });
});
