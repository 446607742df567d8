import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import { snapshotSchema } from '../../src/adapters/inbound/api/views/snapshot-view.ts';
import { installDemo, publish } from '../fleet/apt-repo.ts';
import type { FleetHost } from '../fleet/host.ts';
import { useHosts } from '../fleet/use-host.ts';
import { describeWith } from '../support/capabilities.ts';
import { RestClient } from '../support/rest-client.ts';
import { useService } from '../support/service.ts';
import { treeOf } from '../support/tree.ts';
import { enrol } from './enrol.ts';

const Snapshots = z.object({ snapshots: z.array(snapshotSchema) });

/** Files that only root, or only their owner, may read. */
const MAKE_FILES = `mkdir -p /srv/closed/mine && cd /srv/closed && chmod 700 . && echo root >only-root &&
chmod 600 only-root && echo mine >mine/file && chown -R drover:drover mine && chmod 400 mine/file`;
const ON = ['--features', 'backup=on,os_patch=on'];

describeWith(['fleet', 'rsync'], 'hosts that are not reached as root, or not directly', () => {
  const hosts = useHosts(2);
  const service = useService();
  let rest: RestClient;
  let restored: string;
  beforeAll(async () => {
    restored = await mkdtemp(join(tmpdir(), 'drover-restored-'));
    rest = new RestClient(service().url, await service().token());
  });
  afterAll(() => rm(restored, { recursive: true, force: true }));

  const host = (index: number): FleetHost => {
    const found = hosts()[index];
    if (!found) throw new Error('there are two hosts');
    return found;
  };
  const addSource = async (name: string) => {
    const added = await service().cli(['source', 'add', name, '--name', 'closed', '--path', '/srv/closed']);
    expect(added).toMatchObject({ code: 0 });
  };

  it('through sudo: all is backed up with its owners, and updates are found', async () => {
    await host(0).exec(MAKE_FILES);
    const id = await enrol(service(), host(0), 'sudo', { user: 'drover', options: ['--sudo', ...ON] });
    await addSource('sudo');
    expect(await rest.run(id, { job_type: 'backup' })).toMatchObject({ status: 'success', error: null });
    const { snapshots } = Snapshots.parse((await rest.get(`/api/v1/servers/${id}/snapshots`)).body);
    const restore = ['restore', String(snapshots[0]?.id), '--to', restored];
    expect(await service().cli(restore)).toMatchObject({ code: 0 });
    expect(await treeOf(join(restored, 'srv/closed'))).toEqual({
      'only-root': expect.stringMatching(/^file 600 0:0 /),
      mine: expect.stringMatching(/^directory 755 1000:1000 /),
      'mine/file': expect.stringMatching(/^file 400 1000:1000 /),
    });

    await installDemo(host(0));
    await publish(host(0), 'v2');
    const checked = await rest.run(id, { job_type: 'os_update_check' });
    expect(checked).toMatchObject({ status: 'success', result: { updates_count: 3, security_count: 2 } });
  });

  it('without sudo: what cannot be read fails the backup, and nothing half is shown', async () => {
    expect(await service().cli(['server', 'edit', 'sudo', '--no-sudo'])).toMatchObject({ code: 0 });
    const { body } = await rest.get('/api/v1/servers?q=sudo');
    const { servers } = z.object({ servers: z.array(z.object({ id: z.int() })) }).parse(body);
    const id = servers[0]?.id ?? 0;
    const refused = await rest.run(id, { job_type: 'backup' });
    expect(refused).toMatchObject({ status: 'failed', error_code: 'backup_failed' });
    expect(refused.error).toContain('sudo');
    expect(refused.log_lines?.join('\n')).toContain('/srv/closed');
    expect(await rest.get(`/api/v1/servers/${id}/snapshots`)).toMatchObject({ body: { total: 1 } });
    const root = await rest.run(id, { job_type: 'os_update_check' });
    expect(root).toMatchObject({ status: 'failed', error: expect.stringContaining('root') });
  });

  it('through a jump host: as if there were none', async () => {
    await host(1).exec(MAKE_FILES);
    const own = (await host(1).exec('ip -4 route show default')).match(/via (\S+)/)?.[1] ?? '';
    // packets from the service's own address get no answer: there is no direct route
    await host(1).exec('ip route add blackhole "$1/32"', [own]);
    const direct = service().cli(['server', 'add', 'direct', '--host', host(1).address, '--yes', '--json']);

    const id = await enrol(service(), host(1), 'inner', { options: ['--jump', 'sudo', ...ON] });
    await addSource('inner');
    expect(await rest.run(id, { job_type: 'backup' })).toMatchObject({ status: 'success', error: null });
    const store = join(service().dataDir, 'backups', String(id));
    const [source = ''] = await readdir(store);
    const [name = ''] = await readdir(join(store, source, 'snapshots'));
    expect(await treeOf(join(store, source, 'snapshots', name, 'files/srv/closed'))).toMatchObject({
      'only-root': expect.stringMatching(/^file 600 0:0 /),
    });
    expect(await service().cli(['server', 'check', 'inner', '--json'])).toMatchObject({
      json: { ok: true, inventory: { name: 'inner' } },
    });
    expect(await direct).toMatchObject({ code: 1, json: { code: 'host_unreachable' } });
  });
});
