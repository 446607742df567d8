import { afterEach, describe, expect, test } from 'vitest';
import { Actor } from '../../../../src/domain/access/actor.ts';
import { MINUTE } from '../../../../src/domain/base/instant.ts';
import { PASSWORD } from '../../../support/accounts-scene.ts';
import { openWebFixture, type Visitor, type WebFixture } from './web-fixture.ts';

let fixture: WebFixture;
afterEach(() => fixture.close());

async function open(): Promise<Visitor> {
  fixture = await openWebFixture();
  for (const [name, tags] of [
    ['web-1', ['web']],
    ['web-2', ['web', 'eu']],
    ['db', ['eu']],
  ] as const) {
    const { id } = await fixture.scene.addServer(name, { backup: true, os_patch: true });
    await fixture.scene.addSource(id);
    await fixture.scene.servers.change(id, { tags }, 1, () => ({}));
  }
  return fixture.signedIn('operator');
}

/** The boxes of this name that are ticked. */
const tickedOf = (text: string, name: string): readonly string[] =>
  [...text.matchAll(new RegExp(`<input[^>]* name="${name}"[^>]*>`, 'g'))].flatMap(([box]) =>
    box.includes(' checked') ? (/ value="([^"]*)"/.exec(box)?.[1] ?? []) : [],
  );

describe('The list of servers', () => {
  test('has a box for each server, and leads with the selected ones to a batch', async () => {
    const operator = await open();
    const { text } = await operator.get('/servers');
    expect(text.match(/type="checkbox" name="ids"/g)).toHaveLength(3);
    expect(text).toMatch(/<form id="bulk-servers" method="get" action="\/batches\/new"/);
    const batch = await operator.get('/batches/new?type=os_patch&ids=1&ids=3');
    expect(tickedOf(batch.text, 'servers')).toEqual(['db', 'web-1']);
    expect(batch.text).toContain('name="os_steps"');
  });

  test('leads with all that match to a batch, also if they are on other pages', async () => {
    const operator = await open();
    const found = await operator.get('/batches/new?type=backup&all=yes&q=web-');
    expect(tickedOf(found.text, 'servers')).toEqual(['web-1', 'web-2']);
    const tagged = await operator.get('/batches/new?type=backup&all=yes&tag=eu');
    expect(tickedOf(tagged.text, 'tags')).toEqual(['eu']);
    const all = await operator.get('/batches/new?type=backup&all=yes');
    expect(all.text).toMatch(/value="all" checked|checked[^>]* value="all"/);
  });

  test('offers nothing to select to viewers', async () => {
    await open();
    const { text } = await (await fixture.signedIn('viewer')).get('/servers');
    expect(text).not.toContain('name="ids"');
    expect(text).not.toContain('bulk-servers');
  });

  test('counts what each chip finds, and leaves out those that find nothing', async () => {
    const operator = await open();
    await fixture.scene.servers.learn(1, { rebootPending: true, lastBackupAt: fixture.scene.clock.now() });
    const away = { contactFailedSince: fixture.scene.clock.now(), contactError: 'host_unreachable' } as const;
    await fixture.scene.servers.learn(3, away);
    const { text } = await operator.get('/servers?q=web');
    expect(text).toMatch(/href="\/servers\?q=web"[^>]* aria-current="true"[^>]*>All <span class="n">2</);
    expect(text).toMatch(/href="\/servers\?q=web&amp;needs=reboot"[^>]*>Reboot <span class="n">1</);
    expect(text).toMatch(/>No backup yet <span class="n">1</);
    expect(text).not.toContain('needs=security_updates');
    // One that finds other servers stays while you search.
    expect(text).toMatch(/>Unreachable <span class="n">0</);
  });

  test('renews itself without keeping the session alive', async () => {
    const operator = await open();
    expect((await operator.get('/servers?q=web')).text).toContain('hx-get="/live/servers?q=web"');
    const live = await operator.get('/live/servers?q=web');
    expect(live.text).toMatch(/^<div id="list"/);
    expect(live.text).not.toContain('>db<');
  });

  test('changes the tags of the selected servers', async () => {
    const operator = await open();
    const { text } = await operator.get('/tags?all=yes&tag=web');
    expect(text).toContain('Tags of 2 servers');
    const form = { ids: ['1', '2'], add: 'blue, eu', remove: 'web' };
    expect((await operator.post('/tags', form)).location).toBe('/servers');
    expect((await fixture.scene.servers.find(1))?.tags).toEqual(['blue', 'eu']);
    expect((await fixture.scene.servers.find(2))?.tags).toEqual(['blue', 'eu']);
    expect((await operator.post('/tags', { ids: ['1'], add: '', remove: '' })).status).toBe(422);
  });
});

describe('The tags of the fleet', () => {
  test('are renamed, merged and removed on all servers', async () => {
    const operator = await open();
    expect((await operator.get('/settings/tags')).text).toContain('href="/settings/tags/web/edit"');
    expect((await operator.post('/settings/tags/web/edit', { to: 'eu' })).location).toBe('/settings/tags');
    const tagsOfAll = async () =>
      (await fixture.scene.servers.list({}, { limit: 9, offset: 0 })).items.map(({ tags }) => tags);
    expect(await tagsOfAll()).toEqual([['eu'], ['eu'], ['eu']]);
    expect((await operator.post('/settings/tags/eu/remove')).location).toBe('/settings/tags');
    expect(await tagsOfAll()).toEqual([[], [], []]);
    expect((await operator.post('/settings/tags/eu/remove')).status).toBe(422);
  });
});

describe('The list of jobs', () => {
  const start = async (operator: Visitor, id: number): Promise<void> => {
    await operator.post(`/servers/${id}/start`, { job_type: 'backup' });
  };

  test('names jobs and who started them for people', async () => {
    const operator = await open();
    await start(operator, 1);
    const { text } = await operator.get('/jobs');
    expect(text).toMatch(/Back up <span class="[^"]*">#1<\/span>/);
    expect(text).toMatch(/<span class="hidden">User<\/span> operator1/);
    expect(text).not.toContain('>user:operator1');
  });

  test('cancels the selected ones, and says which it could not', async () => {
    const operator = await open();
    await start(operator, 1);
    await start(operator, 2);
    expect((await operator.get('/jobs')).text).toMatch(/action="\/jobs\/bulk"/);
    const done = await operator.post('/jobs/bulk', { action: 'cancel', ids: ['1', '2'] });
    expect(done.text).toContain('Cancelled 2 jobs');
    const again = await operator.post('/jobs/bulk', { action: 'cancel', ids: ['1'] });
    expect(again.text).toContain('1 job refused');
  });

  test('asks for the password before it changes the machine of the service again', async () => {
    await open();
    const { scene } = fixture;
    const { id } = await scene.addServer('own', { docker: true }, 'local');
    await scene.servers.change(id, { jail: '/srv/compose', composeDirs: ['/srv/compose'] }, 1, () => ({}));
    const administrator = await fixture.signedIn('administrator');
    const deploy = {
      serverId: id,
      jobType: 'docker_stack_deploy',
      sourceFilter: '/srv/compose/app',
    } as const;
    const job = String((await fixture.work.triggerJob.execute(Actor.operator('root'), deploy)).id);
    await administrator.post('/jobs/bulk', { action: 'cancel', ids: [job] });
    await scene.clock.advance(11 * MINUTE);
    const retry = { action: 'retry', ids: [job] };
    const held = await administrator.post('/jobs/bulk', retry);
    expect([held.status, held.text.includes(`name="ids" value="${job}"`)]).toEqual([403, true]);
    const done = await administrator.post('/jobs/bulk', { ...retry, drover_password: PASSWORD });
    expect(done.text).toContain('Started 1 job');
  });

  test('starts all that match again', async () => {
    const operator = await open();
    await start(operator, 1);
    await start(operator, 2);
    await operator.post('/jobs/bulk', { action: 'cancel', all: 'yes', status: 'active' });
    expect((await operator.get('/jobs?status=active')).text).toContain('No job matches');
    const done = await operator.post('/jobs/bulk', {
      action: 'retry',
      all: 'yes',
      status: 'cancelled',
      server: 'web-1',
    });
    expect(done.text).toContain('Started 1 job');
    expect(done.text).toContain('href="/jobs/3"');
    expect((await operator.post('/jobs/bulk', { action: 'other', ids: ['1'] })).status).toBe(422);
    expect(
      (await (await fixture.signedIn('viewer')).post('/jobs/bulk', { action: 'retry', ids: ['1'] })).status,
    ).toBe(403);
  });
});
