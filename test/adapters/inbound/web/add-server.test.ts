import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fakeInventory } from '../../../fakes/fake-host-facts.ts';
import { type House, openHouse, type Visitor } from './house.ts';

let house: House;
let ann: Visitor;
beforeEach(async () => {
  house = await openHouse();
  ann = await house.signedIn('operator');
});
afterEach(() => house.close());

const WEB = {
  name: 'web',
  hostname: 'web.test',
  ssh_port: '22',
  ssh_username: 'root',
  become: 'none',
  key: 'shared',
};
const create = (over: Record<string, string> = {}) => ann.post('/servers/new', { ...WEB, ...over });
const declare = (name = 'web') => house.fleet.hosts.host(name).on(/cd -P/, () => '/srv/compose');
const fingerprintIn = (html: string): string => /name="fingerprint" value="([^"]+)"/.exec(html)?.[1] ?? '';

describe('Adding a server', () => {
  test('goes from its address to its first backup, without a line of script', async () => {
    declare();
    house.fleet.facts.inventory = fakeInventory({ containerEngine: 'docker', containers: [] });
    expect((await create({ tags: 'web, eu' })).location).toBe('/servers/1/setup');
    expect((await ann.get('/servers/1/setup')).location).toBe('/servers/1/setup/key');
    const key = await ann.get('/servers/1/setup/key');
    expect(key.text).toMatch(/<pre id="public-key"[^>]*>ssh-ed25519 AAAA\S+ drover<\/pre>/);

    const compare = await ann.get('/servers/1/setup/host-key');
    const fingerprint = house.fleet.hosts.host('web').hostKey.fingerprint;
    expect(fingerprintIn(compare.text)).toBe(fingerprint);
    expect(compare.text).toContain('ssh-keygen -lf');
    const trusted = await ann.post('/servers/1/setup/host-key', { fingerprint });
    expect(trusted.location).toBe('/servers/1/setup/check');

    const checked = await ann.post('/servers/1/check');
    expect(checked.location).toBe('/servers/1/setup/features?jail=%2Fsrv%2Fcompose');
    const features = await ann.get(checked.location ?? '');
    expect(features.text).toContain('Connected to web: Debian GNU/Linux 12 (bookworm)');
    expect(features.text.match(/name="features" value="\w+" checked/g)).toHaveLength(3);
    expect(features.text).toMatch(/name="jail"[^>]*value="\/srv\/compose"/);

    const settled = await ann.post('/servers/1/setup/features', {
      features: ['backup', 'os_patch'],
      paths: '/etc\r\n/srv\r\n',
      source_name: 'system',
      jail: '/srv/compose',
    });
    expect(settled.location).toBe('/servers/1/setup/done');
    expect((await ann.get('/servers/1/setup/done')).text).toContain('Start the first backup');
    expect((await house.scene.jobs.find(1))?.jobType).toBe('os_update_check');
    // Sent once more, the form asks for no second check.
    await ann.post('/servers/1/setup/features', { features: ['backup', 'os_patch'] });
    expect((await ann.post('/servers/1/start', { job_type: 'backup' })).location).toBe('/jobs/2');
    expect(await house.scene.servers.find(1)).toMatchObject({
      tags: ['eu', 'web'],
      jail: '/srv/compose',
      features: { backup: true, os_patch: true, docker: false },
      address: { hostKey: { fingerprint } },
    });
    expect(await house.scene.sources.ofServer(1)).toMatchObject([
      { name: 'system', paths: ['/etc', '/srv'] },
    ]);
    expect(house.scene.world.record.actions).toEqual(
      expect.arrayContaining(['server.add server:1', 'key.create key:1', 'server.confirm_host_key server:1']),
    );
  });

  test('can be left at any step: the list leads back to the next one', async () => {
    declare();
    await create();
    const next = async () => (await ann.get('/servers/1/setup')).location;
    expect((await ann.get('/servers')).text).toContain('Finish setting up');
    expect(await next()).toBe('/servers/1/setup/key');
    const { fingerprint } = house.fleet.hosts.host('web').hostKey;
    await ann.post('/servers/1/setup/host-key', { fingerprint });
    expect(await next()).toBe('/servers/1/setup/check');
    await ann.post('/servers/1/check');
    expect(await next()).toBe('/servers/1/setup/features');
    await ann.post('/servers/1/setup/features', { features: ['backup'], paths: '', jail: '' });
    expect(await next()).toBe('/servers/1/setup/done');
    expect((await ann.get('/servers/1/setup/done')).text).not.toContain('Start the first backup');
  });

  test('keeps what was typed, and marks invalid input', async () => {
    await create();
    const bad = await create({
      name: 'web',
      hostname: '-oProxyCommand=x',
      ssh_port: '99999',
      jump: 'nowhere',
    });
    expect(bad.status).toBe(422);
    expect(bad.text).toContain('value="-oProxyCommand=x"');
    expect(bad.text).toContain('There is no server named &quot;nowhere&quot;');
    const worse = await create({ hostname: '-oProxyCommand=x', ssh_port: '99999', ssh_username: 'a b' });
    expect(worse.text.match(/aria-invalid="true"/g)).toHaveLength(3);
    expect((await create()).text).toMatch(/id="name-fault">There is a server named/);
    expect((await create({ name: 'other', key: '77' })).text).toMatch(
      /id="key-fault">Choose one of the keys/,
    );
    expect((await house.scene.servers.list({}, { limit: 9, offset: 0 })).total).toBe(1);
  });

  test('makes a key for the server alone, or takes one that is there', async () => {
    await create({ key: 'own' });
    expect(await house.fleet.keys.findByName('web')).toMatchObject({ id: 1 });
    await create({ name: 'db', key: '1' });
    const taken = await create({ name: 'db2', key: 'agent' });
    expect(taken.text).toContain('Choose one of the keys');
    expect((await house.scene.servers.findByName('db'))?.address.sshKeyId).toBe(1);
  });

  test('goes through a jump host', async () => {
    await create();
    expect((await create({ name: 'inner', jump: 'web' })).status).toBe(303);
    expect((await house.scene.servers.findByName('inner'))?.address.jumpServerId).toBe(1);
  });

  test('takes the machine of the service without address or key, for an administrator', async () => {
    ann = await house.signedIn('administrator');
    house.fleet.hosts.host('here').on(/cd -P/, () => '/home/drover');
    expect((await ann.get('/servers/new?local=1')).text).toContain('name="connection" value="local"');
    const local = { connection: 'local', tags: '' };
    expect((await ann.post('/servers/new', { ...local, name: '-' })).text).toContain('Add this machine');
    expect((await ann.post('/servers/new', { ...local, name: 'here' })).location).toBe('/servers/1/setup');
    expect((await ann.get('/servers/1/setup')).location).toBe('/servers/1/setup/check');
    const { location } = await ann.post('/servers/1/check');
    // a home is never suggested
    expect(location).toBe('/servers/1/setup/features');
    const { text } = await ann.get(location ?? '');
    expect(text).not.toContain('/home/drover');
    expect(text).toMatch(/name="jail"[^>]*value(?:=""|\s|\/)/);
  });

  test('trusts no key but the one that was compared', async () => {
    const host = declare();
    await create();
    const { fingerprint } = host.hostKey;
    host.hostKey = { ...house.fleet.hosts.host('impostor').hostKey };
    const refused = await ann.post('/servers/1/setup/host-key', { fingerprint });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('different key than the one you compared');
    expect((await house.scene.servers.find(1))?.address.hostKey).toBeNull();
    await ann.post('/servers/1/setup/host-key', { fingerprint: fingerprintIn(refused.text) });
    host.hostKey = { ...house.fleet.hosts.host('third').hostKey };
    expect((await ann.get('/servers/1/setup/host-key')).text).toContain('not the key that was confirmed');
  });

  test('says in clear words why a host cannot be worked with, and what to do', async () => {
    await create();
    const unknown = await ann.get('/servers/1/setup/host-key');
    expect(unknown.status).toBe(422);
    expect(unknown.text).toContain('Cannot connect to web.test:22.');
    expect(unknown.text).toContain('Try again');
    expect((await ann.post('/servers/1/check')).text).toMatch(/Cannot connect|is not confirmed yet/);
    const host = declare().refuseLogin('root');
    expect((await ann.post('/servers/1/check')).text).toContain('is not confirmed yet');
    await ann.post('/servers/1/setup/host-key', { fingerprint: host.hostKey.fingerprint });
    const refused = await ann.post('/servers/1/check');
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('rejects the login of root');
    expect(refused.text).toContain('authorized_keys of root');
    expect((await ann.get('/')).text).toContain('login rejected');
  });

  test('changes nothing if a part of the input is invalid', async () => {
    declare();
    await create();
    const bad = await ann.post('/servers/1/setup/features', {
      features: ['backup'],
      paths: 'etc',
      source_name: 'Not A Name',
      jail: '/etc',
    });
    expect(bad.status).toBe(422);
    expect(bad.text.match(/aria-invalid="true"/g)).toHaveLength(3);
    expect(bad.text).toContain('>etc</textarea>');
    expect(await house.scene.sources.ofServer(1)).toEqual([]);
    expect((await house.scene.servers.find(1))?.features.backup).toBe(false);
  });

  test('is not for those who only look', async () => {
    const viewer = await house.signedIn('viewer');
    expect((await viewer.get('/servers/new')).status).toBe(403);
    expect((await viewer.get('/servers')).text).not.toContain('/servers/new');
  });
});
