import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { useHosts } from '../fleet/use-host.ts';
import { describeWith } from '../support/capabilities.ts';
import { freePort } from '../support/free-port.ts';
import { RestClient } from '../support/rest-client.ts';
import { S3Server } from '../support/s3-server.ts';
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

  it('backs up over sftp, and gives back to the host and to this machine', async () => {
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

const LOGIN = { name: 'AKIDROVERTEST', secret: 's3cret/key+of=web' };
/** What anybody on the host sees of commands, until the file is gone. */
const SPY = `touch /tmp/spy; setsid sh -c 'while [ -e /tmp/spy ]; do cat /proc/[0-9]*/cmdline >>/tmp/spied; sleep 0.01; done' </dev/null >/dev/null 2>&1 &`;

describeWith(['fleet', 'restic'], 'restic in a bucket of S3', () => {
  const hosts = useHosts(1);
  const service = useService();
  let rest: RestClient;
  let id: number;
  let s3: S3Server;
  let url: string;
  beforeAll(async () => {
    const [host] = hosts();
    const address = { host: host?.record.gateway ?? '', port: await freePort() };
    s3 = await S3Server.start(address, { id: LOGIN.name, secret: LOGIN.secret });
    url = `s3:http://${address.host}:${address.port}/backups/web`;
    rest = new RestClient(service().url, await service().token());
    id = await enrol(service(), host as never, 'web', { options: ['--features', 'backup=on'] });
    await host?.writeFile('/srv/data/file', 'content');
  });
  afterAll(() => s3.stop());

  async function addRepository(name: string, secret: string): Promise<string> {
    const secretFile = join(service().dataDir, 'key');
    await writeFile(secretFile, secret, { mode: 0o600 });
    const add = ['repository', 'add', name, '--url', url, '--password-file', '-'];
    const login = ['--login', LOGIN.name, '--login-file', secretFile];
    const { code, stdout, stderr } = await service().cli([...add, ...login], { input: PASSWORD });
    await rm(secretFile);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    return stdout + stderr;
  }

  it('backs up, lists, verifies and restores, and its key is seen nowhere', async () => {
    const [host] = hosts();
    if (!host) throw new Error('there is one');
    await host.exec(SPY);
    const added = await addRepository('offsite', LOGIN.secret);
    const source = [
      'source',
      'add',
      'web',
      '--name',
      'data',
      '--path',
      '/srv/data',
      '--repository',
      'offsite',
    ];
    expect(await service().cli(source)).toMatchObject({ code: 0 });
    const job = await rest.run(id, { job_type: 'backup' });
    expect(job).toMatchObject({ status: 'success' });
    expect([...s3.objects.keys()].filter((path) => path.startsWith('backups/web/snapshots/'))).toHaveLength(
      1,
    );
    const [snapshot] = await listed(rest, id);
    expect(snapshot).toMatchObject({ engine: 'restic', file_count: 1, total_bytes: 7 });
    const verified = await service().cli(['snapshot', 'verify', String(snapshot?.id), '--all', '--wait']);
    expect(verified).toMatchObject({ code: 0 });
    await host.writeFile('/srv/data/file', 'changed');
    const restored = await service().cli(['restore', String(snapshot?.id), '--in-place', '--yes']);
    expect(restored).toMatchObject({ code: 0 });
    expect(await host.readFile('/srv/data/file')).toBe('content');

    await host.exec('rm /tmp/spy');
    const spied = await host.exec("tr '\\000' ' ' </tmp/spied | sort -u");
    expect(spied).toContain('restic');
    const database = await Promise.all(
      ['drover.sqlite', 'drover.sqlite-wal'].map((name) => readFile(join(service().dataDir, name), 'latin1')),
    );
    const shown = [
      spied,
      JSON.stringify(job),
      service().log,
      ...database,
      added,
      verified.stdout,
      restored.stdout,
    ];
    for (const secret of [LOGIN.secret, PASSWORD]) {
      for (const text of shown) expect(text).not.toContain(secret);
    }
    expect(
      await host.exec('grep -rlF "$1" /root /tmp /srv /var/tmp 2>/dev/null || true', [LOGIN.secret]),
    ).toBe('');
  });

  it('refuses another key, and does not tell it', async () => {
    await addRepository('wrong', 'wr0ng/key');
    const source = ['source', 'add', 'web', '--name', 'more', '--path', '/srv/data', '--repository', 'wrong'];
    expect(await service().cli(source)).toMatchObject({ code: 0 });
    const job = await rest.run(id, { job_type: 'backup', source_filter: 'more' });
    expect(job).toMatchObject({ status: 'failed', error_code: 'repository_unusable' });
    expect(JSON.stringify(job)).not.toContain('wr0ng');
  });
});
