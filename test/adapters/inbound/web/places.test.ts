import { afterEach, describe, expect, test } from 'vitest';
import type { CheckRepository } from '../../../../src/application/backups/check-repository.ts';
import { DomainError } from '../../../../src/domain/base/errors.ts';
import { openWebFixture, type Visitor, type WebFixture } from './web-fixture.ts';

let fixture: WebFixture;
afterEach(() => fixture.close());

const PATH = '/settings/repositories';
const NEW = '/settings/new-repository';

const administrator = async (options: Parameters<typeof openWebFixture>[0] = {}): Promise<Visitor> => {
  fixture = await openWebFixture(options);
  return fixture.signedIn('administrator');
};

const OFFSITE = {
  name: 'offsite',
  url: 'rest:https://backup.example.org/web',
  password: 'between the lines',
  login: 'web',
  login_secret: 'of the server',
};

/** The stored secrets of the repository. */
async function secrets(name = 'offsite'): Promise<unknown> {
  const stored = await fixture.scene.repositories.findByName(name);
  const place = { table: 'backup_repositories', column: 'secrets', row: stored?.id ?? 0 };
  return JSON.parse(fixture.scene.box.open(stored?.sealedSecrets ?? '', place));
}

describe('A repository', () => {
  test('is added and edited, and no password of it is ever shown', async () => {
    const browser = await administrator();
    expect((await browser.post(NEW, OFFSITE)).location).toBe(`${PATH}/offsite`);
    const both = { password: 'between the lines', login: { name: 'web', secret: 'of the server' } };
    expect(await secrets()).toEqual(both);
    const edit = { name: 'far', url: 'rest:https://other.example.org/web', password: '', login: '' };
    expect((await browser.post(`${PATH}/offsite/edit`, edit)).location).toBe(`${PATH}/far`);
    expect(await secrets('far')).toEqual(both);
    for (const path of [PATH, `${PATH}/far`, `${PATH}/far/edit`]) {
      const { text } = await browser.get(path);
      expect(text).toContain('other.example.org');
      expect(text).not.toMatch(/between the lines|of the server/);
    }
    await browser.post(`${PATH}/far/edit`, { ...edit, password: 'new', login: 'ann', login_secret: 'hers' });
    expect(await secrets('far')).toEqual({ password: 'new', login: { name: 'ann', secret: 'hers' } });
    await browser.post(`${PATH}/far/edit`, { ...edit, login: '-' });
    expect(await secrets('far')).toEqual({ password: 'new', login: null });
  });

  test.each([
    [{ name: 'Off Site' }, 'has 1 to 63 lower-case'],
    [{ url: 'ftp://x' }, 'A repository URL is an absolute path'],
    [{ url: 'rest:https://u:p@example.org/' }, 'Remove the'],
    [{ password: '' }, 'A repository needs a password'],
    [{ url: 's3:https://s3.example.org/b', login: '' }, 'S3 needs an access key'],
    [{ login_secret: '' }, 'One line of at most'],
    [{ name: 'taken' }, 'A backup repository named'],
  ])('that is invalid keeps what was typed except its passwords: %j', async (over, said) => {
    const browser = await administrator();
    await browser.post(NEW, { ...OFFSITE, name: 'taken' });
    const answer = await browser.post(NEW, { ...OFFSITE, ...over });
    expect(answer.status).toBe(422);
    expect(answer.text).toContain(said);
    expect(answer.text).toContain('aria-invalid="true"');
    expect(answer.text).toContain(`value="${{ ...OFFSITE, ...over }.url}"`);
    expect(answer.text).not.toMatch(/between the lines|of the server/);
  });

  test('of which the user changes needs their password, too', async () => {
    const browser = await administrator();
    await browser.post(NEW, OFFSITE);
    const { name, url } = OFFSITE;
    const answer = await browser.post(`${PATH}/offsite/edit`, { name, url, login: 'ann' });
    expect([answer.status, answer.text.includes('One line of at most')]).toEqual([422, true]);
  });

  test('is removed by its name, but not while something needs it', async () => {
    const browser = await administrator();
    await browser.post(NEW, OFFSITE);
    expect((await browser.post(`${PATH}/offsite/remove`, { confirm: 'on' })).status).toBe(422);
    expect((await browser.post(`${PATH}/offsite/remove`, { confirm: 'offsite' })).location).toBe(PATH);
    expect((await browser.get(`${PATH}/offsite`)).status).toBe(404);
    expect((await browser.post(`${PATH}/offsite/remove`, { confirm: 'offsite' })).status).toBe(404);
  });

  test('is checked in the background, and shows progress and result', async () => {
    let end = (_why: Error): void => {};
    const under = new Promise<never>((_, reject) => {
      end = reject;
    });
    const check: CheckRepository['execute'] = (_actor, order, watch) => {
      expect(order).toEqual({ name: 'offsite', serverId: null, readPercent: 5 });
      watch.log('reading packs');
      return under;
    };
    const browser = await administrator({ check });
    await browser.post(NEW, OFFSITE);
    expect((await browser.get(`${PATH}/offsite`)).text).toContain('Not checked yet.');
    const order = { server: '', read: '5' };
    expect((await browser.post(`${PATH}/offsite/check`, order)).location).toBe(`${PATH}/offsite`);
    const page = await browser.get(`${PATH}/offsite`);
    expect(page.text).toContain(`hx-get="/live${PATH}/offsite"`);
    expect(page.text).toContain('reading packs');
    const again = await browser.post(`${PATH}/offsite/check`, order);
    expect([again.status, again.text.includes('is already running')]).toEqual([422, true]);
    expect((await browser.post(`${PATH}/offsite/check`, { ...order, read: '7' })).status).toBe(422);
    end(new DomainError('repository_unusable', 'The password does not open it.'));
    await expect
      .poll(async () => (await browser.get(`/live${PATH}/offsite`)).text)
      .toContain('The password does not open it.');
    expect((await browser.get(`/live${PATH}/offsite`)).text).not.toContain('hx-get');
  });
});

describe('An SSH key', () => {
  test('is made, and shown as the line for authorized_keys alone', async () => {
    fixture = await openWebFixture();
    const operator = await fixture.signedIn('operator');
    expect((await operator.get('/settings/keys')).text).toContain('No keys yet');
    expect((await operator.post('/settings/keys', { name: 'fleet' })).location).toBe('/settings/keys');
    const { text } = await operator.get('/settings/keys');
    expect(text).toMatch(/ssh-ed25519 AAAA\S+ drover-fleet/);
    expect(text).not.toContain('PRIVATE');
    const taken = await operator.post('/settings/keys', { name: 'fleet' });
    expect([taken.status, taken.text.includes('value="fleet"')]).toEqual([422, true]);
    expect((await operator.post('/settings/keys', { name: 'a b' })).status).toBe(422);
  });

  test('is deleted, unless a server is signed in to with it', async () => {
    const browser = await administrator();
    for (const name of ['old', 'used']) await browser.post('/settings/keys', { name });
    const { id } = await fixture.scene.addServer('web-1');
    await fixture.scene.servers.change(id, { address: { sshKeyId: 2 } }, 1, () => ({}));
    const used = await browser.post('/settings/keys/2/remove');
    expect([used.status, used.text.includes('signs in to web-1')]).toEqual([409, true]);
    expect((await browser.post('/settings/keys/1/remove')).location).toBe('/settings/keys');
    const { text } = await browser.get('/settings/keys');
    expect(text).not.toContain('drover-old');
    expect(text).toContain('drover-used');
    const operator = await fixture.signedIn('operator');
    expect((await operator.get('/settings/keys')).text).not.toContain('class="danger"');
  });

  test('that is no key is refused, and never sent back', async () => {
    fixture = await openWebFixture();
    const operator = await fixture.signedIn('operator');
    const pem = '-----BEGIN OPENSSH PRIVATE KEY-----\r\nbm9wZQ==\r\n-----END OPENSSH PRIVATE KEY-----';
    const answer = await operator.post('/settings/keys/import', { name: 'old', private_key: pem });
    expect(answer.status).toBe(422);
    expect(answer.text).toContain('value="old"');
    expect(answer.text).toContain('class="fault"');
    expect(answer.text).not.toContain('bm9wZQ');
  });
});

describe('Facts about the service', () => {
  test('is all that an administrator needs, and to others their own address alone', async () => {
    const browser = await administrator();
    await fixture.scene.replicas.beat({
      owner: 'host:1',
      version: '1.2.3',
      startedAt: fixture.scene.clock.now(),
      keyIds: null,
    });
    const all = await browser.get('/settings/about');
    for (const told of ['1.2.3', 'SQLite 3.46.0', '/var/lib/drover', 'plainbox', 'host:1', '192.0.2.0/24'])
      expect(all.text).toContain(told);
    expect(all.text).toContain('koa 3.2.0: MIT');
    const viewer = await fixture.signedIn('viewer');
    const less = await viewer.get('/settings/about');
    expect(less.text).toContain('127.0.0.1');
    expect(less.text).not.toMatch(/\/var\/lib\/drover|plainbox|host:1|192\.0\.2/);
  });
});

describe('The appearance', () => {
  test('is what was chosen for this browser, or the system has', async () => {
    fixture = await openWebFixture();
    const browser = await fixture.signedIn('viewer');
    const settings = (await browser.get('/settings')).text;
    expect(settings).toContain('<html lang="en">');
    // Its script saves each choice, and hides the button.
    expect(settings).toMatch(/<form[^>]* data-look="true">.*Save appearance<\/button> <output/s);
    expect((await browser.post('/settings/appearance', { theme: 'dark' })).location).toBe('/settings');
    const dark = await browser.get('/jobs');
    expect(dark.text).toContain('<html lang="en" data-theme="dark">');
    expect(dark.text.match(/name="theme-color"/g)).toHaveLength(1);
    expect((await browser.get('/settings')).text).toMatch(/value="dark" checked/);
    await browser.post('/settings/appearance', { theme: 'automatic' });
    expect((await browser.get('/jobs')).text).toContain('<html lang="en">');
    expect((await browser.post('/settings/appearance', { theme: '"><i>' })).status).toBe(422);
  });
});

describe('The default time zone', () => {
  test('is set by administrators, and is in new schedules and windows', async () => {
    fixture = await openWebFixture();
    const root = await fixture.signedIn('administrator');
    const browser = /name="time_zone"[^>]*data-time-zone="value"/;
    expect((await root.get('/schedules/new?type=backup')).text).toMatch(browser);
    expect((await root.get('/settings')).text).toContain('SERVICE_PUBLIC_URL');
    const set = await root.post('/settings/time-zone', { time_zone: 'Europe/Vienna' });
    expect([set.status, set.location]).toEqual([303, '/settings']);
    for (const path of ['/settings', '/schedules/new?type=backup', '/windows/new']) {
      const { text } = await root.get(path);
      expect(text).toMatch(/name="time_zone"[^>]*value="Europe\/Vienna"/);
      expect(text).not.toMatch(browser);
    }
    const viewer = await fixture.signedIn('viewer');
    expect((await viewer.get('/settings')).text).toMatch(/Europe\/Vienna/);
    expect((await viewer.get('/settings')).text).not.toContain('name="time_zone"');
    expect((await viewer.post('/settings/time-zone', { time_zone: 'UTC' })).status).toBe(403);
    await root.post('/settings/time-zone', { time_zone: '' });
    expect((await root.get('/windows/new')).text).toMatch(browser);
  });
});
