import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fakeInventory } from '../../../fakes/fake-host-facts.ts';
import { openWebFixture, type Visitor, type WebFixture } from './web-fixture.ts';

let fixture: WebFixture;
let ann: Visitor;
beforeEach(async () => {
  fixture = await openWebFixture();
  ann = await fixture.signedIn('operator');
});
afterEach(() => fixture.close());

const WEB = { name: 'web', hostname: 'web.test', ssh_port: '22', ssh_username: 'root', become: 'none' };
const SETUP = '/servers/1/setup';
const create = (over: Record<string, string> = {}) =>
  ann.post('/servers/new', { ...WEB, key: 'shared', ...over });
const declare = (name = 'web') =>
  fixture.fleet.hosts
    .host(name)
    .on(/cd -P/, () => '/srv/compose')
    .on(/du -skx/, () => '/etc\t5120\n/root\t48\n/srv\t2097152\n/opt/shop\t\n');
const fingerprintIn = (html: string): string => /name="fingerprint" value="([^"]+)"/.exec(html)?.[1] ?? '';
const trust = async () => {
  const { fingerprint } = fixture.fleet.hosts.host('web').hostKey;
  return ann.post(`${SETUP}/host-key`, { fingerprint });
};
const ticked = (html: string, name: string): readonly string[] =>
  [...html.matchAll(new RegExp(`name="${name}" value="([^"]+)" checked`, 'g'))].map(
    (found) => found[1] ?? '',
  );
const CHOICES = { features: ['backup', 'os_patch'], paths: ['/etc', '/srv'], source_name: 'system' };

describe('Adding a server', () => {
  test('goes from its address to its first backup on one page, without a line of script', async () => {
    declare();
    fixture.fleet.facts.inventory = fakeInventory({
      containerEngine: 'docker',
      containers: [
        {
          id: null,
          name: 'shop-web-1',
          state: 'running',
          running: true,
          image: 'nginx',
          status: 'Up',
          project: 'shop',
          service: 'web',
          path: '/opt/shop',
          update: null,
        },
      ],
    });
    expect((await create({ tags: 'web, eu' })).location).toBe(SETUP);
    const key = await ann.get(SETUP);
    expect(key.text).toMatch(/<pre id="public-key"[^>]*>ssh-ed25519 AAAA\S+ drover<\/pre>/);
    expect(key.text).toMatch(/<pre id="authorise"[^>]*>[^<]*authorized_keys[^<]*ssh-keygen -lf/);
    expect(key.text).toContain('hx-get="/live/servers/1/setup"');

    const compare = await ann.get(`${SETUP}/key?look=1`);
    const fingerprint = fixture.fleet.hosts.host('web').hostKey.fingerprint;
    expect(fingerprintIn(compare.text)).toBe(fingerprint);
    expect((await trust()).location).toBe(SETUP);
    expect((await ann.get(SETUP)).text).toContain('hx-post="/live/servers/1/setup"');

    const checked = await ann.post('/servers/1/check');
    expect(checked.location).toBe(`${SETUP}?jail=%2Fsrv%2Fcompose`);
    const protect = await ann.get(checked.location ?? '');
    expect(ticked(protect.text, 'features')).toEqual(['backup', 'os_patch', 'docker']);
    expect(ticked(protect.text, 'paths')).toEqual(['/etc', '/srv', '/opt/shop']);
    expect(protect.text).toMatch(/name="paths" value="\/root"(?! checked)/);
    expect(protect.text).toContain('2.0 GiB');
    expect(ticked(protect.text, 'nightly')).toEqual(['yes']);
    expect(ticked(protect.text, 'alerts')).toEqual(['yes']);
    expect(protect.text).toMatch(/name="jail"[^>]*value="\/srv\/compose"/);

    const over = { jail: '/srv/compose', nightly: 'yes', alerts: 'yes', time_zone: 'Europe/Berlin' };
    const finished = await ann.post(`${SETUP}/features`, { ...CHOICES, ...over });
    expect(finished.location).toBe(SETUP);
    const jobs = await fixture.scene.jobs.list(
      { serverIds: null, activeOnly: false },
      { limit: 9, offset: 0 },
    );
    expect(jobs.items.map(({ jobType }) => jobType).toSorted()).toEqual(['backup', 'os_update_check']);
    const done = await ann.get(SETUP);
    expect(done.text).toContain('hx-get="/live/servers/1/setup"');
    expect(done.text).toMatch(/href="\/jobs\/\d"/);
    expect(await fixture.scene.servers.find(1)).toMatchObject({
      tags: ['eu', 'web'],
      jail: '/srv/compose',
      features: { backup: true, os_patch: true, docker: false },
      address: { hostKey: { fingerprint } },
    });
    expect(await fixture.scene.sources.ofServer(1)).toMatchObject([
      { name: 'system', paths: ['/etc', '/srv'] },
    ]);
    expect(await fixture.scene.schedules.list()).toMatchObject([
      {
        name: 'nightly-backup',
        jobType: 'backup',
        cron: { expression: '30 2 * * *', timeZone: 'Europe/Berlin' },
        selector: { by: 'ids', ids: [1] },
        enabled: true,
      },
    ]);
    expect(fixture.scene.kept.actions).toEqual(
      expect.arrayContaining(['server.add server:1', 'key.create key:1', 'server.confirm_host_key server:1']),
    );
  });

  test('continues on its own: the live parts bring the fingerprint, the check and the first backup', async () => {
    await create();
    const waiting = await ann.get('/live/servers/1/setup');
    expect(waiting.text).toContain('Cannot connect to web.test:22.');
    expect(waiting.text).toContain('hx-trigger="every 5s"');
    declare().refuseLogin('root');
    const compare = await ann.get('/live/servers/1/setup');
    expect(fingerprintIn(compare.text)).toBe(fixture.fleet.hosts.host('web').hostKey.fingerprint);
    expect(compare.text).not.toContain('hx-trigger');
    await trust();
    // The key is not installed yet.
    const refused = await ann.post('/live/servers/1/setup');
    expect(refused.status).toBe(200);
    expect(refused.text).toContain('rejects the login of root');
    expect(refused.text).toContain('hx-trigger="every 10s"');
    fixture.fleet.hosts.host('web').allowLogin('root');
    const found = await ann.post('/live/servers/1/setup');
    expect(ticked(found.text, 'paths')).toEqual(['/etc', '/srv']);
    expect(found.text).toMatch(/name="jail"[^>]*value="\/srv\/compose"/);
    await ann.post(`${SETUP}/features`, { ...CHOICES, alerts: 'yes' });
    expect((await ann.get('/live/servers/1/setup')).text).toContain('hx-trigger="every 2s"');
  });

  test('takes the name from the address, or from the host behind an IP address', async () => {
    await create({ name: '', hostname: 'mail.example.org' });
    await create({ name: '', hostname: 'mail.example.com' });
    const named = async (id: number) => (await fixture.scene.servers.find(id))?.name;
    expect(await named(1)).toBe('mail');
    expect(await named(2)).toBe('mail-2');
    await create({ name: '', hostname: '192.0.2.7' });
    expect(await named(3)).toBe('192.0.2.7');
    declare('192.0.2.7');
    fixture.fleet.facts.inventory = fakeInventory({ hostname: 'db-7.internal' });
    const { fingerprint } = fixture.fleet.hosts.host('192.0.2.7').hostKey;
    await ann.post('/servers/3/setup/host-key', { fingerprint });
    await ann.post('/servers/3/check');
    expect(await named(3)).toBe('db-7');
  });

  test('joins the nightly schedule that is there, and mutes the server if alerts are not wanted', async () => {
    const add = async (name: string, over: Record<string, string> = {}) => {
      declare(name);
      const { location } = await create({ name });
      const { fingerprint } = fixture.fleet.hosts.host(name).hostKey;
      await ann.post(`${location}/host-key`, { fingerprint });
      await ann.post(`${location?.replace('/setup', '')}/check`);
      await ann.post(`${location}/features`, { ...CHOICES, nightly: 'yes', time_zone: 'UTC', ...over });
    };
    await add('web', { alerts: 'yes' });
    await add('db');
    expect(await fixture.scene.schedules.list()).toMatchObject([
      { name: 'nightly-backup', selector: { by: 'ids', ids: [1, 2] } },
    ]);
    const mutes = await fixture.fleet.notifications.mutes(fixture.scene.clock.now());
    expect(mutes.map(({ kind, serverId }) => ({ kind, serverId }))).toEqual([{ kind: null, serverId: 2 }]);
  });

  test('has its first step again, which asks for the key of another address', async () => {
    declare();
    await create();
    await trust();
    const again = await ann.get(`${SETUP}/address`);
    expect(again.text).toMatch(/<header aria-current="step">(?:(?!<\/header>).)*Address/s);
    expect(again.text).toMatch(/name="hostname"[^>]*value="web.test"/);
    expect((await ann.post(`${SETUP}/address`, WEB)).location).toBe(SETUP);
    expect((await fixture.scene.servers.find(1))?.address.hostKey).not.toBeNull();
    expect((await ann.post(`${SETUP}/address`, { ...WEB, hostname: 'other.test' })).location).toBe(SETUP);
    expect((await fixture.scene.servers.find(1))?.address).toMatchObject({
      hostname: 'other.test',
      hostKey: null,
    });
    expect((await ann.get(SETUP)).text).toContain(`href="${SETUP}/address"`);
  });

  test('can be left at any step: the list leads back to the next one', async () => {
    declare();
    await create();
    expect((await ann.get('/servers')).text).toContain('Finish setup');
    for (const old of ['host-key', 'check', 'done'])
      expect((await ann.get(`${SETUP}/${old}`)).location).toMatch(/^\/servers\/1\/setup(\/key)?$/);
    expect((await ann.get(SETUP)).text).toContain('id="authorise"');
    await trust();
    expect((await ann.get(SETUP)).text).toContain('action="/servers/1/check"');
    await ann.post('/servers/1/check');
    expect((await ann.get(SETUP)).text).toContain('action="/servers/1/setup/features"');
    await ann.post(`${SETUP}/features`, { features: ['backup'], jail: '' });
    const done = await ann.get(SETUP);
    expect(done.text).not.toContain('action="/servers/1/setup/features"');
    expect((await ann.get(`${SETUP}/features`)).text).toContain('action="/servers/1/setup/features"');
    expect(await fixture.scene.schedules.list()).toEqual([]);
  });

  test('keeps what was typed, and marks invalid input', async () => {
    await create();
    const bad = await create({ hostname: '-oProxyCommand=x', ssh_port: '99999', jump: 'nowhere' });
    expect(bad.status).toBe(422);
    expect(bad.text).toContain('value="-oProxyCommand=x"');
    expect(bad.text).toContain('There is no server named &quot;nowhere&quot;');
    const worse = await create({ hostname: '-oProxyCommand=x', ssh_port: '99999', ssh_username: 'a b' });
    expect(worse.text.match(/aria-invalid="true"/g)).toHaveLength(3);
    expect(worse.text).toMatch(/<details[^>]* open/);
    expect((await create()).text).toMatch(/id="name-fault">A server named/);
    expect((await create({ name: 'other', key: '77' })).text).toMatch(
      /id="key-fault">Choose one of the keys/,
    );
    expect((await fixture.scene.servers.list({}, { limit: 9, offset: 0 })).total).toBe(1);
  });

  test('makes a key for the server alone, or takes one that is there', async () => {
    await create({ key: 'own' });
    expect(await fixture.fleet.keys.findByName('web')).toMatchObject({ id: 1 });
    await create({ name: 'db', key: '1' });
    const taken = await create({ name: 'db2', key: 'agent' });
    expect(taken.text).toContain('Choose one of the keys');
    expect((await fixture.scene.servers.findByName('db'))?.address.sshKeyId).toBe(1);
  });

  test('goes through a jump host', async () => {
    await create();
    expect((await create({ name: 'inner', jump: 'web' })).status).toBe(303);
    expect((await fixture.scene.servers.findByName('inner'))?.address.jumpServerId).toBe(1);
  });

  test('takes the machine of the service without address or key, for an administrator', async () => {
    ann = await fixture.signedIn('administrator');
    declare('here').on(/cd -P/, () => '/home/drover');
    expect((await ann.get('/servers/new?local=1')).text).toContain('name="connection" value="local"');
    const local = { connection: 'local', tags: '' };
    expect((await ann.post('/servers/new', { ...local, name: '-' })).text).toContain('Add this machine');
    expect((await ann.post('/servers/new', { ...local, name: 'here' })).location).toBe(SETUP);
    expect((await ann.get(SETUP)).text).toContain('hx-post="/live/servers/1/setup"');
    const { location } = await ann.post('/servers/1/check');
    // a home is never suggested
    expect(location).toBe(SETUP);
    const { text } = await ann.get(location ?? '');
    expect(text).not.toContain('/home/drover');
    expect(text).toMatch(/name="jail"[^>]*value(?:=""|\s|\/)/);
  });

  test('trusts no key but the one that was compared', async () => {
    const host = declare();
    await create();
    const { fingerprint } = host.hostKey;
    host.hostKey = { ...fixture.fleet.hosts.host('impostor').hostKey };
    const refused = await ann.post(`${SETUP}/host-key`, { fingerprint });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('different key than the one you compared');
    expect((await fixture.scene.servers.find(1))?.address.hostKey).toBeNull();
    await ann.post(`${SETUP}/host-key`, { fingerprint: fingerprintIn(refused.text) });
    host.hostKey = { ...fixture.fleet.hosts.host('third').hostKey };
    expect((await ann.get(`${SETUP}/key?look=1`)).text).toContain('not the key that was confirmed');
  });

  test('says in clear words why a host cannot be worked with, and what to do', async () => {
    await create();
    const unknown = await ann.get(`${SETUP}/key?look=1`);
    expect(unknown.text).toContain('Cannot connect to web.test:22.');
    expect((await ann.post('/servers/1/check')).text).toMatch(/Cannot connect|is not confirmed yet/);
    const host = declare().refuseLogin('root');
    expect((await ann.post('/servers/1/check')).text).toContain('is not confirmed yet');
    await ann.post(`${SETUP}/host-key`, { fingerprint: host.hostKey.fingerprint });
    const refused = await ann.post('/servers/1/check');
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('rejects the login of root');
    expect(refused.text).toContain('authorized_keys of root');
    expect((await ann.get('/')).text).toContain('login rejected');
  });

  test('changes nothing if a part of the input is invalid', async () => {
    declare();
    await create();
    await trust();
    await ann.post('/servers/1/check');
    const bad = await ann.post(`${SETUP}/features`, {
      features: ['backup'],
      more_paths: 'etc',
      source_name: 'Not A Name',
      jail: '/etc',
      nightly: 'yes',
      time_zone: 'Mars/Base',
    });
    expect(bad.status).toBe(422);
    expect(bad.text.match(/aria-invalid="true"/g)).toHaveLength(4);
    expect(bad.text).toContain('>etc</textarea>');
    expect(bad.text).toMatch(/name="features" value="os_patch"(?! checked)/);
    expect(await fixture.scene.sources.ofServer(1)).toEqual([]);
    expect(await fixture.scene.schedules.list()).toEqual([]);
    expect((await fixture.scene.servers.find(1))?.features.backup).toBe(false);
  });

  test('is not for those who only look', async () => {
    const viewer = await fixture.signedIn('viewer');
    expect((await viewer.get('/servers/new')).status).toBe(403);
    expect((await viewer.get('/servers')).text).not.toContain('/servers/new');
  });
});
