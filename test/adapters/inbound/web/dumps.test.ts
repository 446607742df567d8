import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DomainError } from '../../../../src/domain/base/errors.ts';
import { requestFor, Witness } from '../../../contracts/backup-engine.contract.ts';
import { FakeRemoteHosts } from '../../../fakes/fake-remote-hosts.ts';
import { dumpFile } from '../../../support/dumps.ts';
import { openWebFixture, type Visitor, type WebFixture } from './web-fixture.ts';

const PATH = '/servers/1/sources/www/dumps';
const SHOP = {
  name: 'shop',
  kind: 'postgres',
  client: 'docker',
  container: 'shop-db-1',
  database: 'shop',
  user: 'backup',
  password: 'hunter2hunter2',
};

let fixture: WebFixture;
let ann: Visitor;
let viewer: Visitor;
beforeEach(async () => {
  fixture = await openWebFixture();
  await fixture.scene.addServer('web', { backup: true }, 'ssh');
  await fixture.scene.addSource(1, 'www');
  ann = await fixture.signedIn('operator');
  viewer = await fixture.signedIn('viewer');
});
afterEach(() => fixture.close());

const stored = () => fixture.scene.dumps.ofServer(1);

describe('The dumps of a source', () => {
  test('are added, shown with their source, and their password is shown nowhere', async () => {
    expect((await ann.post(PATH, SHOP)).location).toBe(PATH);
    expect(await stored()).toMatchObject([
      {
        name: 'shop',
        client: 'docker',
        container: 'shop-db-1',
        user: 'backup',
        hasPassword: true,
        port: null,
      },
    ]);
    const pages = [
      await viewer.get('/servers/1/sources'),
      await viewer.get(PATH),
      await ann.get(`${PATH}/shop/edit`),
    ];
    for (const { status, text } of pages) {
      expect([status, text.includes('shop'), text.includes('hunter2')]).toEqual([200, true, false]);
    }
    expect(pages[0]?.text).toContain('shop (PostgreSQL)');
    expect(pages[1]?.text).not.toContain('Add a dump');
    expect(JSON.stringify(fixture.scene.kept.audit)).not.toContain('hunter2');
    const twice = await ann.post(PATH, SHOP);
    expect([twice.status, twice.text.includes('id="name-fault"')]).toEqual([422, true]);
  });

  test('are changed; an empty field keeps the password, but not for another place', async () => {
    await ann.post(PATH, SHOP);
    const [before] = await stored();
    const same = { client: 'docker', container: 'shop-db-1', database: 'cart', user: '', password: '' };
    expect((await ann.post(`${PATH}/shop/edit`, same)).location).toBe(PATH);
    const sealedPassword = before?.sealedPassword;
    expect(await stored()).toMatchObject([{ database: 'cart', user: null, sealedPassword }]);
    const moved = { ...same, container: 'thief' };
    const refused = await ann.post(`${PATH}/shop/edit`, moved);
    expect([refused.status, refused.text.includes('id="password-fault"')]).toEqual([422, true]);
    expect(await stored()).toMatchObject([{ container: 'shop-db-1', sealedPassword }]);
    await ann.post(`${PATH}/shop/edit`, { ...moved, password: 'another one' });
    expect(await stored()).toMatchObject([{ container: 'thief', hasPassword: true }]);
    expect((await stored())[0]?.sealedPassword).not.toBe(sealedPassword);
    await ann.post(`${PATH}/shop/edit`, { ...moved, no_password: 'yes' });
    expect(await stored()).toMatchObject([{ hasPassword: false, sealedPassword: null }]);
  });

  test('are tested when they are saved and on request, without a change', async () => {
    const { checks } = fixture.fleet;
    checks.faults.set('shop', new DomainError('dump_failed', 'There is no database shop.'));
    const added = await ann.post(PATH, SHOP);
    expect([added.status, added.text.includes('There is no database shop.')]).toEqual([200, true]);
    expect(await stored()).toHaveLength(1);
    for (const path of [`${PATH}/test`, '/servers/1/sources/www/test']) {
      const faulty = await ann.post(path);
      expect([faulty.status, faulty.text.includes('There is no database shop.')]).toEqual([200, true]);
    }
    checks.faults.clear();
    expect((await ann.post(`${PATH}/test`)).text).toContain('the database answers');
    expect((await viewer.post(`${PATH}/test`)).status).toBe(403);
    checks.faults.set('gone.service', new DomainError('hook_failed', 'gone.service is not on the host.'));
    const form = { paths: '/srv/www', hooks: 'unit:gone', keep_last: '1', keep_daily: '0', keep_weekly: '0' };
    const saved = await ann.post('/servers/1/sources/www/edit', {
      ...form,
      keep_monthly: '0',
      keep_yearly: '0',
    });
    expect([saved.status, saved.text.includes('gone.service is not on the host.')]).toEqual([200, true]);
    expect(await fixture.scene.sources.ofServer(1)).toMatchObject([{ hooks: [{ name: 'gone.service' }] }]);
  });

  test('are removed after a confirmation', async () => {
    await ann.post(PATH, SHOP);
    expect((await ann.get(`${PATH}/shop/remove`)).text).toContain('Remove dump shop');
    expect((await ann.post(`${PATH}/shop/remove`)).location).toBe(PATH);
    expect(await stored()).toEqual([]);
    expect((await ann.get(`${PATH}/shop/edit`)).status).toBe(404);
  });
});

describe('The dumps in a snapshot', () => {
  async function backup(...names: string[]): Promise<number> {
    const { scene, stock } = fixture;
    stock.engine.files.set('/etc/hosts', 'x');
    const [source] = await scene.sources.ofServer(1);
    if (!source) throw new Error('no source');
    const request = requestFor(new FakeRemoteHosts().host('web').session(), source);
    const dumps = names.map(dumpFile);
    const made = await stock.engine.backup(
      { ...request, dumps, startedAt: scene.clock.now() },
      new Witness(),
    );
    return (await scene.snapshots.add(made)).id;
  }

  test('are listed with their size, and one is restored by its dry run and then applied', async () => {
    await ann.post(PATH, SHOP);
    const id = await backup('shop', 'gone');
    const { text } = await ann.get(`/snapshots/${id}`);
    for (const part of ['complete', '37 B', `/snapshots/${id}/dumps/shop`]) expect(text).toContain(part);
    expect((await ann.get(`/snapshots/${id}?p=etc`)).text).not.toContain('Database dumps');
    const form = await ann.get(`/snapshots/${id}/dumps/shop`);
    expect(form.text).toContain('name="database"');
    expect((await ann.get(`/snapshots/${id}/dumps/gone`)).text).not.toContain('Start dry run');
    expect((await ann.get(`/snapshots/${id}/dumps/nothing`)).status).toBe(404);
    const { location } = await ann.post(`/snapshots/${id}/dumps/shop`, { database: 'shop_copy' });
    const { jobs, queue, clock } = fixture.scene;
    const [claim] = await queue.claim({
      owner: 'w',
      leaseMs: 60_000,
      at: clock.now(),
      limit: 1,
      record: () => ({}),
    });
    if (!claim) throw new Error('no job waits');
    const params = { snapshotId: id, dump: { name: 'shop', database: 'shop_copy' } };
    expect(claim.job).toMatchObject({ jobType: 'dump_restore', params: { ...params, dryRun: true } });
    const planned = {
      ...SHOP,
      dump: 'shop',
      database: 'shop_copy',
      host: null,
      port: null,
      has_password: true,
    };
    const result = {
      plan_id: claim.job.id,
      plan_expires_at: new Date(clock.now() + 60_000).toISOString(),
      changes: [planned],
    };
    const outcome = { status: 'success', summary: 'Fine.', error: null, result, facts: {} } as const;
    await queue.finish(claim, outcome, clock.now(), () => ({}));
    expect((await ann.get(location ?? '')).text).toMatch(/\/apply"[\s\S]*Apply this plan<\/button>/);
    expect((await ann.post(`${location}/apply`, { host_name: 'wab' })).status).toBe(422);
    const elsewhere = {
      client: 'docker',
      container: 'other-db-1',
      user: 'backup',
      password: 'hunter2hunter2',
    };
    await ann.post(`${PATH}/shop/edit`, { ...elsewhere, database: 'shop' });
    const drifted = await ann.post(`${location}/apply`, { host_name: 'web' });
    expect([drifted.status, drifted.text.includes('docker other-db-1')]).toEqual([409, true]);
    await ann.post(`${PATH}/shop/edit`, { ...elsewhere, container: 'shop-db-1', database: 'shop' });
    const applied = await ann.post(`${location}/apply`, { host_name: 'web' });
    expect(await jobs.find(Number(applied.location?.split('/')[2]))).toMatchObject({
      jobType: 'dump_restore',
      params: { ...params, dryRun: false, planId: claim.job.id },
    });
  });
});
