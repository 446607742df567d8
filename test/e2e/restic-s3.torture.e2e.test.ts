import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { useHosts } from '../fleet/use-host.ts';
import { describeWith } from '../support/capabilities.ts';
import { freePort } from '../support/free-port.ts';
import { RestClient } from '../support/rest-client.ts';
import { TORTURE } from '../support/rounds.ts';
import { S3Server } from '../support/s3-server.ts';
import { useService } from '../support/service.ts';
import { Swift } from '../support/swift.ts';
import { enrol } from './enrol.ts';
import { listed } from './snapshots.ts';

const PASSWORD = 'correct horse battery';
const SECRET = 's3cret/key+of=web';
/** Processes visible to any user of the host, until the file is removed. */
const SPY = `touch /tmp/spy; setsid sh -c 'while [ -e /tmp/spy ]; do cat /proc/[0-9]*/cmdline >>/tmp/spied; sleep 0.01; done' </dev/null >/dev/null 2>&1 &`;

interface Store {
  /** The name of the key. */
  readonly login: string;
  readonly start: (
    address: { readonly host: string; readonly port: number },
    key: { readonly id: string; readonly secret: string },
  ) => Promise<Started>;
}

interface Started {
  readonly url: string;
  /** The host's trusted certificate. */
  readonly certificate?: string;
  stop(): Promise<void>;
}

const TRUST = 'mkdir -p /etc/ssl/certs && printf "%s\\n" "$1" >>/etc/ssl/certs/ca-certificates.crt';

function inBucketOf({ login, start }: Store): void {
  const hosts = useHosts(1);
  const service = useService();
  let rest: RestClient;
  let id: number;
  let s3: Started;
  let url: string;
  beforeAll(async () => {
    const [host] = hosts();
    const address = { host: host?.record.gateway ?? '', port: await freePort() };
    s3 = await start(address, { id: login, secret: SECRET });
    url = `s3:${s3.url}/backups/web`;
    if (s3.certificate) await host?.exec(TRUST, [s3.certificate]);
    rest = new RestClient(service().url, await service().token());
    id = await enrol(service(), host as never, 'web', { options: ['--features', 'backup=on'] });
    await host?.writeFile('/srv/data/file', 'content');
  });
  afterAll(() => s3?.stop());

  async function addRepository(name: string, secret: string): Promise<string> {
    const secretFile = join(service().dataDir, 'key');
    await writeFile(secretFile, secret, { mode: 0o600 });
    const add = ['repository', 'add', name, '--url', url, '--password-file', '-'];
    const key = ['--login', login, '--login-file', secretFile];
    const { code, stdout, stderr } = await service().cli([...add, ...key], { input: PASSWORD });
    await rm(secretFile);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    return stdout + stderr;
  }

  it('backs up, lists, verifies and restores, and its key is seen nowhere', async () => {
    const [host] = hosts();
    if (!host) throw new Error('there is one');
    await host.exec(SPY);
    const added = await addRepository('offsite', SECRET);
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
      ...['last', 'daily', 'weekly', 'monthly', 'yearly'].flatMap((period) => [`--keep-${period}`, '0']),
      '--keep-last',
      '1',
    ];
    expect(await service().cli(source)).toMatchObject({ code: 0 });
    const job = await rest.run(id, { job_type: 'backup' });
    expect(job).toMatchObject({ status: 'success' });
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
    for (const secret of [SECRET, PASSWORD]) {
      for (const text of shown) expect(text).not.toContain(secret);
    }
    expect(await host.exec('grep -rlF "$1" /root /tmp /srv /var/tmp 2>/dev/null || true', [SECRET])).toBe('');
  });

  it('refuses another key, and does not tell it', async () => {
    await addRepository('wrong', 'wr0ng/key');
    const source = ['source', 'add', 'web', '--name', 'more', '--path', '/srv/data', '--repository', 'wrong'];
    expect(await service().cli(source)).toMatchObject({ code: 0 });
    const job = await rest.run(id, { job_type: 'backup', source_filter: 'more' });
    expect(job).toMatchObject({ status: 'failed', error_code: 'repository_unusable' });
    expect(JSON.stringify(job)).not.toContain('wr0ng');
  });

  it('deletes what is no longer kept', async () => {
    const [host] = hosts();
    for (const content of ['content of later', 'content of today']) {
      await host?.writeFile('/srv/data/file', content);
      const job = await rest.run(id, { job_type: 'backup', source_filter: 'data' });
      expect(job).toMatchObject({ status: 'success' });
    }
    // The first stays for a while for its user.
    const [newest, later, first] = await listed(rest, id);
    expect(await rest.run(id, { job_type: 'retention' })).toMatchObject({ status: 'success' });
    const left = (await listed(rest, id)).map((snapshot) => snapshot.id);
    expect(left).toEqual([newest?.id, first?.id]);
    expect(left).not.toContain(later?.id);
    const verified = await service().cli(['snapshot', 'verify', String(newest?.id), '--all', '--wait']);
    expect(verified).toMatchObject({ code: 0 });
  });
}

describeWith(['fleet', 'restic'], 'restic in a bucket of S3', () =>
  inBucketOf({ login: 'AKIDROVERTEST', start: (...args) => S3Server.start(...args) }),
);
// A third-party server, which is installed manually: it brings 65 packages of Debian's.
if (TORTURE) {
  describeWith(['fleet', 'restic', 'swift'], "restic in a bucket of OpenStack's Swift", () =>
    inBucketOf({ login: 'fleet:drover', start: (...args) => Swift.start(...args) }),
  );
}
