import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AdvanceBatches } from '../../../../src/application/automation/advance-batches.ts';
import { openWebFixture, type Visitor, type WebFixture } from './web-fixture.ts';

const DATA = '/var/lib/drover';
const PROGRAM = '/opt/drover';
const RETENTION = { keep_last: '1', keep_daily: '0', keep_weekly: '0', keep_monthly: '0', keep_yearly: '0' };

let fixture: WebFixture;
let operator: Visitor;
beforeEach(async () => {
  fixture = await openWebFixture();
  const { scene } = fixture;
  await scene.addServer('drover', { backup: true, docker: true }, 'local');
  const source = await scene.addSource(1, 'drover');
  scene.kept.change('backup_sources', source.id, {
    kind: 'service',
    paths: JSON.stringify([DATA]),
    created_at: 0,
  });
  operator = await fixture.signedIn('operator');
});
afterEach(() => fixture.close());

const snapshotOf = (sourceId: number, sourceName: string) =>
  fixture.scene.snapshots.add({
    serverId: 1,
    sourceId,
    sourceName,
    jobId: null,
    engine: 'rsync',
    name: sourceName,
    startedAt: 1,
    finishedAt: 2,
    fileCount: 1,
    totalBytes: 1,
    transferredBytes: 1,
    vanishedCount: 0,
    manifestSha256: '0'.repeat(64),
  });

async function refused(asked: ReturnType<Visitor['get']>): Promise<void> {
  const { status, text } = await asked;
  expect([status, text.includes('own_machine_restricted')]).toEqual([403, true]);
}

describe('An operator does not take the service over through the server that it runs on', () => {
  test('by backing its data up and downloading them', async () => {
    const source = { name: 'all', paths: DATA, excludes: '', ...RETENTION };
    await refused(operator.post('/servers/1/sources', source));
    await refused(operator.post('/servers/1/sources/drover/edit', { excludes: '', ...RETENTION }));
    await refused(operator.post('/servers/1/sources', { ...source, preview: 'yes' }));
    await refused(
      operator.post('/servers/1/sources/drover/edit', { excludes: '', ...RETENTION, preview: 'yes' }),
    );
    await fixture.scene.addSource(1, 'before');
    for (const each of await fixture.scene.sources.ofServer(1)) {
      const { id } = await snapshotOf(each.id, each.name);
      await refused(operator.get(`/snapshots/${id}`));
      await refused(operator.get(`/snapshots/${id}/download?p=${DATA.slice(1)}/drover.sqlite`));
    }
    expect(await fixture.scene.sources.ofServer(1)).toHaveLength(2);
  });

  test('by restoring over the live database', async () => {
    const { id } = await snapshotOf(1, 'drover');
    const over = { path: '', where: 'original', confirmation: 'drover' };
    const beside = {
      path: '',
      where: 'directory',
      directory: DATA,
      overwrite: 'yes',
      confirmation: 'drover',
    };
    await refused(operator.post(`/snapshots/${id}/restore`, over));
    await refused(operator.post(`/snapshots/${id}/restore`, beside));
    expect(fixture.scene.kept.count('jobs')).toBe(0);
  });

  test('by a jail on the program', async () => {
    fixture.stock.files.file(`${PROGRAM}/bin/drover.mjs`, 'ours');
    await refused(operator.post('/servers/1/files/jail', { jail: PROGRAM, jail_deny: '' }));
    await refused(operator.post('/servers/1/settings/files', { jail: PROGRAM, compose_dirs: PROGRAM }));
    const features = { jail: PROGRAM, backup: 'on' };
    await refused(operator.post('/servers/1/setup/features', features));
    expect(await fixture.scene.servers.find(1)).toMatchObject({ jail: null, composeDirs: [] });
    // one that is there from before
    await fixture.scene.servers.change(1, { jail: PROGRAM }, 0, () => ({}));
    const sent = new File(['theirs'], 'drover.mjs');
    await refused(operator.upload('/servers/1/files/upload', { p: 'bin', overwrite: 'yes' }, sent));
    expect(fixture.stock.files.at(`${PROGRAM}/bin/drover.mjs`)).toMatchObject({ bytes: Buffer.from('ours') });
  });

  test('by adding the machine once more, or leading another server there', async () => {
    const address = { ssh_port: '22', ssh_username: 'root', key: 'shared', tags: '' };
    for (const hostname of ['127.0.0.1', 'localhost', '::1', '127.1']) {
      await refused(operator.post('/servers/new', { name: 'again', hostname, ...address }));
    }
    await refused(operator.post('/servers/new', { name: 'again', connection: 'local', tags: '' }));
    const other = await fixture.scene.addServer('web', {}, 'ssh');
    await fixture.scene.servers.change(other.id, { jail: PROGRAM }, 0, () => ({}));
    const there = { ...address, key: 'agent', hostname: 'localhost' };
    await refused(operator.post(`/servers/${other.id}/settings/address`, there));
    expect((await fixture.scene.servers.find(other.id))?.address.hostname).toBe('web.example.org');
  });

  test('by a batch or a schedule: the machine is left out, whatever other servers are in it', async () => {
    await fixture.scene.addServer('web', { docker: true }, 'ssh');
    const stack = { type: 'docker_stack_deploy', source_filter: '/srv/stacks/app', selector: 'all' };
    expect((await operator.post('/batches/new', stack)).status).toBe(303);
    const { items } = await fixture.scene.batches.members(1, {}, { limit: 10, offset: 0 });
    expect(items.map(({ serverName }) => serverName)).toContain('drover');
    const { scene, work } = fixture;
    const advance = new AdvanceBatches({ ...scene, triggerJob: work.triggerJob, cancelJob: work.cancelJob });
    await advance.execute(new AbortController().signal);
    const after = await fixture.scene.batches.members(1, {}, { limit: 10, offset: 0 });
    expect(after.items.find(({ serverName }) => serverName === 'drover')).toMatchObject({
      jobId: null,
      code: 'own_machine_restricted',
    });
  });

  test('by a template that is deployed there', async () => {
    const { scene } = fixture;
    const root = await fixture.signedIn('administrator');
    const fields = {
      name: 'demo',
      'path.0': 'compose.yaml',
      'content.0': 'services: {app: {image: app:1}}\n',
    };
    expect((await operator.post('/templates/new', fields)).status).toBe(303);
    await scene.deployments.record(
      {
        serverId: 1,
        directory: '/srv/stacks/demo',
        project: 'demo',
        templateName: 'demo',
        templateVersion: 1,
        files: ['compose.yaml'],
        values: {},
        secretNames: [],
        jobId: 1,
        deployedAt: 0,
      },
      () => 'sealed',
      () => ({}),
    );
    const theirs = { ...fields, 'content.0': 'services: {app: {image: app:1, privileged: true}}\n' };
    await refused(operator.post('/templates/demo/edit', theirs));
    await refused(operator.post('/templates/new', theirs));
    await refused(operator.post('/templates/demo/remove', { confirm: 'demo' }));
    expect(await scene.templates.findByName('demo')).toMatchObject({ version: 1 });
    expect((await root.post('/templates/demo/edit', theirs)).status).toBe(303);
  });

  test("by what an administrator's schedule does", async () => {
    const { scene, work } = fixture;
    const root = await fixture.signedIn('administrator');
    const nightly = {
      type: 'docker_stack_deploy',
      source_filter: '/srv/stacks/app',
      selector: 'all',
      name: 'nightly',
      cron: '0 3 * * *',
      time_zone: 'UTC',
    };
    expect((await root.post('/schedules/new', nightly)).status).toBe(303);
    expect((await scene.schedules.list())[0]?.owner).toMatchObject({ kind: 'user', id: 1 });
    const theirs = { ...nightly, source_filter: '/srv/stacks/theirs', enabled: 'on' };
    expect((await operator.post('/schedules/1/edit', theirs)).status).toBe(303);
    const [changed] = await scene.schedules.list();
    expect(changed?.owner).toMatchObject({ kind: 'user', name: expect.stringContaining('operator') });
    expect((await operator.post('/schedules/1/run')).status).toBe(303);
    const advance = new AdvanceBatches({ ...scene, triggerJob: work.triggerJob, cancelJob: work.cancelJob });
    await advance.execute(new AbortController().signal);
    const { items } = await scene.batches.members(1, {}, { limit: 10, offset: 0 });
    expect(items).toMatchObject([{ jobId: null, code: 'own_machine_restricted' }]);
  });
});

test('An administrator who has to confirm the password sees if the form could not be kept', async () => {
  const late = await fixture.signedIn('administrator');
  await fixture.scene.clock.advance(600_000);
  expect((await late.get('/confirm?next=%2Fservers&form=1')).text).toContain('name="form"');
  const { location: seen } = await late.get('/settings/tokens/new');
  expect(seen).toMatch(/^\/confirm\?/);
  expect((await late.get(seen ?? '')).text).not.toContain('name="form"');
});
