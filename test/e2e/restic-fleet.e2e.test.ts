import { beforeAll, expect, it } from 'vitest';
import { useHosts } from '../fleet/use-host.ts';
import { describeWith } from '../support/capabilities.ts';
import { RestClient } from '../support/rest-client.ts';
import { useService } from '../support/service.ts';
import { enrol } from './enrol.ts';
import { listed } from './snapshots.ts';

const PASSWORD = 'correct horse battery';
/** The host's own key, let into the account of the other host. */
const LET_IN = `install -d -m 700 /root/.ssh && ssh-keygen -q -t ed25519 -N '' -f /root/.ssh/id_ed25519 && cat /root/.ssh/id_ed25519.pub`;

describeWith(['fleet', 'restic'], 'restic on hosts of the fleet', () => {
  const hosts = useHosts(2);
  const service = useService();
  let rest: RestClient;
  let id: number;
  beforeAll(async () => {
    rest = new RestClient(service().url, await service().token());
    const [web, store] = hosts();
    if (!web || !store) throw new Error('there are two');
    id = await enrol(service(), web, 'web', { options: ['--features', 'backup=on'] });
    const key = await web.exec(LET_IN);
    await store.exec('install -d -m 700 /root/.ssh && printf "%s\\n" "$1" >>/root/.ssh/authorized_keys', [
      key,
    ]);
    const known = `${store.address} ${store.hostKey.algorithm} ${store.hostKey.blob}`;
    await web.exec('printf "%s\\n" "$1" >/root/.ssh/known_hosts', [known]);
    await web.writeFile('/srv/data/file', 'content');
    const add = ['repository', 'add', 'nas', '--url', `sftp:root@${store.address}:/srv/restic`];
    const added = await service().cli([...add, '--password-file', '-'], { input: PASSWORD });
    expect(added).toMatchObject({ code: 0 });
    const source = ['source', 'add', 'web', '--name', 'data', '--path', '/srv/data', '--repository', 'nas'];
    expect(await service().cli(source)).toMatchObject({ code: 0 });
  });

  it('backs up over sftp, and restores to the host and to this machine', async () => {
    const [web] = hosts();
    expect(await rest.run(id, { job_type: 'backup' })).toMatchObject({ status: 'success' });
    const [snapshot] = await listed(rest, id);
    expect(snapshot).toMatchObject({ engine: 'restic', file_count: 1, total_bytes: 7 });
    await web?.writeFile('/srv/data/file', 'changed');
    const restore = ['restore', String(snapshot?.id), '--in-place', '--yes'];
    expect(await service().cli(restore)).toMatchObject({ code: 0 });
    expect(await web?.readFile('/srv/data/file')).toBe('content');
    const verified = await service().cli(['snapshot', 'verify', String(snapshot?.id), '--all', '--wait']);
    expect(verified).toMatchObject({ code: 0 });
    expect(await web?.exec('ls -A /root/.drover/scratch')).toBe('');
  });

  it('publishes nothing where a file cannot be read, and names it', async () => {
    const [web] = hosts();
    await web?.exec('install -o root -m 600 /dev/null /srv/data/secret');
    const plain = await enrol(service(), web as never, 'plain', {
      user: 'drover',
      options: ['--features', 'backup=on'],
    });
    await web?.exec('install -d -o drover /srv/repository');
    const add = ['repository', 'add', 'disk', '--url', '/srv/repository', '--password-file', '-'];
    expect(await service().cli(add, { input: PASSWORD })).toMatchObject({ code: 0 });
    const source = [
      'source',
      'add',
      'plain',
      '--name',
      'data',
      '--path',
      '/srv/data',
      '--repository',
      'disk',
    ];
    expect(await service().cli(source)).toMatchObject({ code: 0 });
    const job = await rest.run(plain, { job_type: 'backup' });
    expect(job).toMatchObject({ status: 'failed', error_code: 'backup_failed' });
    expect(job.error).toContain('/srv/data/secret');
    expect(await listed(rest, plain)).toEqual([]);
    await web?.exec('rm /srv/data/secret');
    expect(await rest.run(plain, { job_type: 'backup' })).toMatchObject({ status: 'success' });
    expect(await listed(rest, plain)).toHaveLength(1);
    expect((await web?.exec('ls /srv/repository/snapshots | wc -l'))?.trim()).toBe('1');
  });
});
