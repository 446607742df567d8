import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { describeServer } from '../../../../src/domain/fleet/server-description.ts';
import { openWebFixture, type Visitor, type WebFixture } from './web-fixture.ts';

let fixture: WebFixture;
let viewer: Visitor;
beforeEach(async () => {
  fixture = await openWebFixture();
  viewer = await fixture.signedIn('viewer');
});
afterEach(() => fixture.close());

const add = async (name: string, tags: readonly string[] = []): Promise<number> => {
  const { servers, clock } = fixture.scene;
  return (await servers.add(describeServer({ name, connection: 'local', tags }), clock.now(), () => ({}))).id;
};

const rows = async (path: string): Promise<readonly string[]> => {
  const { text } = await viewer.get(path);
  return [...text.matchAll(/<a href="\/servers\/\d+">([^<]+)/g)].map(([, name]) => name ?? '');
};

describe('The list of servers', () => {
  test('is paged on the server, filter and order kept', async () => {
    for (let i = 0; i < 37; i += 1) await add(`host-${String(i).padStart(3, '0')}`, ['all']);
    const first = await viewer.get('/servers?tag=all&sort=-name');
    expect(first.text).toContain('1 to 36 of 37');
    expect(first.text).toContain('href="/servers?tag=all&amp;sort=-name&amp;offset=36"');
    expect(await rows('/servers?tag=all&sort=-name&offset=36')).toEqual(['host-000']);
    expect((await viewer.get('/servers?offset=-1')).status).toBe(200);
  });

  test('is searched, filtered by tag and by need', async () => {
    await add('web-1', ['web', 'eu']);
    await add('web-2', ['web-old']);
    const db = await add('db', ['eu']);
    await fixture.scene.servers.learn(db, { rebootPending: true });
    expect(await rows('/servers?q=WEB')).toEqual(['web-1', 'web-2']);
    expect(await rows('/servers?tag=web')).toEqual(['web-1']);
    expect(await rows('/servers?tag=eu&q=db')).toEqual(['db']);
    expect(await rows('/servers?needs=reboot')).toEqual(['db']);
    const page = await viewer.get('/servers?tag=eu');
    expect(page.text).toMatch(/<option (?:value="eu" selected|selected value="eu")>eu \(2\)</);
    expect(page.text).toContain('<a class="tag" href="/servers?tag=web">');
    expect((await viewer.get('/servers?q=nowhere')).text).toContain('No server matches');
    expect((await viewer.get('/servers?tag=%22%3E%3Cb%3E')).text).not.toContain('"><b>');
  });

  test('is exported as CSV, as it is filtered', async () => {
    await add('web-1', ['web']);
    await add('db');
    const { text: page } = await viewer.get('/servers?tag=web');
    expect(page).toContain('href="/servers/export?tag=web"');
    const { headers, text } = await viewer.get('/servers/export?tag=web');
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="drover-servers-.*\.csv"/);
    const [head, row, ...others] = text.split('\r\n');
    expect(head).toMatch(/^id,name,hostname,tags,needs,/);
    expect(row).toMatch(/^"1","web-1",/);
    expect(others).toEqual(['']);
  });

  test('shows the disk on phones where the backup is fresh', async () => {
    const { servers, clock } = fixture.scene;
    const [fresh, late] = [await add('fresh'), await add('late')];
    await servers.setFeatures(fresh, { backup: true }, 0, () => ({}));
    await servers.setFeatures(late, { backup: true }, 0, () => ({}));
    const disk = { diskUsedBytes: 1, diskTotalBytes: 2 };
    await servers.learn(fresh, { ...disk, lastBackupAt: clock.now() });
    await servers.learn(late, { ...disk, lastBackupAt: 0 });
    const { text } = await viewer.get('/servers?sort=name');
    const labels = text.split('<tr').map((row) => row.match(/data-label="(?:Backup|Disk)"/g) ?? []);
    expect(labels.filter((found) => found.length > 0)).toEqual([
      ['data-label="Disk"'],
      ['data-label="Backup"'],
    ]);
  });

  test('names filters that do not exist, with the way to all rows', async () => {
    await add('web');
    for (const [path, unknown] of [
      ['/servers?show=security', 'show=security'],
      ['/servers?needs=security', 'security'],
      ['/servers?support=soon', 'soon'],
      ['/jobs?status=broken', 'broken'],
      ['/notifications?state=new', 'new'],
      ['/audit?outcome=all', 'all'],
      ['/batches?status=open', 'open'],
    ] as const) {
      const { text } = await (await fixture.signedIn('administrator')).get(path);
      const all = `<a class="button quiet small" href="${path.split('?')[0]}">Show all</a>`;
      expect([path, text.includes(`Unknown filter: ${unknown}<`)]).toEqual([path, true]);
      if (!path.includes('support')) expect([path, text.includes(all)]).toEqual([path, true]);
    }
    for (const path of [
      '/servers?needs=lacks_backup&sort=-name',
      '/jobs?status=pending',
      '/servers?q=x&tag=y',
    ])
      expect([path, (await viewer.get(path)).text.includes('Unknown filter')]).toEqual([path, false]);
  });

  test('shows and finds systems that no longer get security updates, or soon', async () => {
    const { servers, clock } = fixture.scene;
    const day = 86_400_000;
    const facts = { osId: 'debian', osVersion: '10', osPretty: 'Debian GNU/Linux 10 (buster)' };
    await servers.learn(await add('old'), { ...facts, supportEndsAt: clock.now() - day });
    const soon = await add('soon');
    await servers.learn(soon, { ...facts, supportEndsAt: clock.now() + day });
    await servers.learn(await add('new'), { ...facts, supportEndsAt: clock.now() + 90 * day });
    expect(await rows('/servers?support=ended')).toEqual(['old']);
    expect(await rows('/servers?support=ending')).toEqual(['soon']);
    expect(await rows('/servers?support=nonsense')).toEqual(['new', 'old', 'soon']);
    expect((await viewer.get('/servers?support=ended')).text).toContain('out of support');
    expect((await viewer.get(`/servers/${soon}`)).text).toContain('ends soon');
  });

  test('is sorted by its columns, either way, as the address says', async () => {
    const a = await add('a');
    const b = await add('b');
    await fixture.scene.servers.learn(a, { securityUpdatesCount: 0, osUpdatesCount: 1, lastSeenAt: 2 });
    await fixture.scene.servers.learn(b, { securityUpdatesCount: 4, osUpdatesCount: 4, lastSeenAt: 1 });
    expect(await rows('/servers?sort=-updates')).toEqual(['b', 'a']);
    expect(await rows('/servers?sort=last_seen')).toEqual(['b', 'a']);
    // The worst status comes first.
    expect(await rows('/servers?sort=nonsense')).toEqual(['b', 'a']);
    const { text } = await viewer.get('/servers?sort=-updates&q=a');
    expect(text).toMatch(/aria-sort="descending"><a class="sort" href="\/servers\?sort=updates&amp;q=a"/);
    expect(text).toContain('name="sort" value="-updates"');
  });

  test('has a menu in each row, with what is to be done, for those who may do it', async () => {
    const stale = await fixture.scene.addServer('stale', { backup: true });
    await fixture.scene.servers.learn(stale.id, { inventoryAt: 1 });
    const begun = await add('begun');
    const operator = await fixture.signedIn('operator');
    const { text } = await operator.get('/servers');
    expect(text).toContain(`action="/servers/${stale.id}/start"`);
    expect(text).toContain(`href="/servers/${begun}/setup"`);
    expect((await viewer.get('/servers')).text).not.toContain('/start"');
    // What was known before a server was lost is not said to be so now.
    await fixture.scene.servers.learn(stale.id, {
      contactFailedSince: 1,
      osUpdatesCount: 0,
      securityUpdatesCount: 0,
    });
    const row = /<tr[^>]*>(?:(?!<\/tr>).)*>stale<.*?<\/tr>/s.exec((await viewer.get('/servers')).text)?.[0];
    expect(row).toContain('Unreachable');
    expect(row).not.toContain('status good');
    expect((await viewer.get('/servers?q=stale')).text).toContain('1 server · 1 unreachable');
  });

  test('starts what changes nothing on the host at once, and leads to what runs already', async () => {
    const { scene } = fixture;
    const server = await scene.addServer('web', { backup: true });
    const operator = await fixture.signedIn('operator');
    const start = (jobType: string) => operator.post(`/servers/${server.id}/start`, { job_type: jobType });
    expect((await start('backup')).location).toBe(`/servers/${server.id}/sources`);
    await scene.addSource(server.id);
    const { location } = await start('backup');
    expect(location).toMatch(/^\/jobs\/\d+$/);
    expect((await start('backup')).location).toBe(location);
    expect((await start('os_patch')).status).toBe(422);
    expect((await start('os_update_check')).location).toBe(
      `/servers/${server.id}/jobs/new?type=os_update_check`,
    );
  });
});
