import { beforeAll, expect, it } from 'vitest';
import { openDatabase } from '../../src/adapters/outbound/storage/sql/database.ts';
import type { FleetHost } from '../fleet/host.ts';
import { useHosts } from '../fleet/use-host.ts';
import { describeWith } from '../support/capabilities.ts';
import { eventually } from '../support/processes.ts';
import { RestClient } from '../support/rest-client.ts';
import { useService } from '../support/service.ts';
import { greets } from '../support/ssh-banner.ts';
import { authorise, enrol } from './enrol.ts';
import { listed, onDisk } from './snapshots.ts';

const SLOW_LINE = 'tc qdisc replace dev eth0 root tbf rate 24mbit burst 64kb latency 200ms';
/** sshd's new key after a restart: as on a reinstalled host. */
const NEW_HOST_KEY = `rm /etc/ssh/ssh_host_ed25519_key* && ssh-keygen -q -t ed25519 -N '' -f /etc/ssh/ssh_host_ed25519_key &&
ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub && kill -HUP 1`;

describeWith(['fleet', 'rsync'], 'a host with which something is wrong', () => {
  const hosts = useHosts(2);
  const service = useService();
  let rest: RestClient;
  let good: number;
  let bad: number;
  let publicKey: string;
  /** The backup in whose middle the host dies. */
  let cutOff: number;

  const host = (index: number): FleetHost => {
    const found = hosts()[index];
    if (!found) throw new Error('there are two hosts');
    return found;
  };

  beforeAll(async () => {
    rest = new RestClient(service().url, await service().token());
    for (const [index, name] of ['good', 'bad'].entries()) {
      await host(index).writeFile('/srv/data/file', 'content');
      const id = await enrol(service(), host(index), name, { options: ['--features', 'backup=on'] });
      const source = ['source', 'add', name, '--name', 'data', '--path', '/srv/data'];
      expect(await service().cli(source)).toMatchObject({ code: 0 });
      expect(await rest.run(id, { job_type: 'backup' })).toMatchObject({ status: 'success' });
      if (name === 'good') good = id;
      else bad = id;
    }
    publicKey = (await host(1).readFile('/root/.ssh/authorized_keys')).trim();
  });

  /** Backs both up at the same time: the bad one fails with a sentence, the good one is not affected. */
  async function expectFailure(code: string, sentence: RegExp) {
    await host(1).killConnections();
    const before = await rest.get(`/api/v1/servers/${bad}`);
    const [failed, other] = await Promise.all([bad, good].map((id) => rest.run(id, { job_type: 'backup' })));
    expect(failed).toMatchObject({ status: 'failed', error_code: code });
    expect(failed?.error).toMatch(sentence);
    expect(failed?.log_lines?.join('\n')).toContain(failed?.error);
    expect(other).toMatchObject({ status: 'success', error: null });
    const { last_backup_at } = before.body as { last_backup_at: string };
    expect(await rest.get(`/api/v1/servers/${bad}`)).toMatchObject({ body: { last_backup_at } });
    await expectNothingLost(1);
    return failed;
  }

  async function expectNothingLost(snapshots: number): Promise<void> {
    const names = (await listed(rest, bad)).map(({ name }) => name);
    expect(names).toHaveLength(snapshots);
    expect(await onDisk(service(), bad)).toEqual(names);
  }

  it('refuses all logins: says for whom, with which key, and where that belongs', async () => {
    await host(1).exec('mv /root/.ssh/authorized_keys /root/.ssh/away');
    await expectFailure('host_auth_failed', /User "root" may not log in .*authorized_keys on "bad"/);
    expect(await service().cli(['server', 'check', 'bad', '--json'])).toMatchObject({
      code: 1,
      json: { code: 'host_auth_failed' },
    });
    await authorise(host(1), 'root', publicKey);
    expect(await rest.run(bad, { job_type: 'backup', dry_run: true })).toMatchObject({ status: 'success' });
  });

  it('has another host key: is not talked to, an event says so, and works once the key is confirmed', async () => {
    const [, fingerprint = ''] = (await host(1).exec(NEW_HOST_KEY)).split(' ');
    await eventually('sshd is back', 60_000, () => greets(host(1).port, host(1).address));
    const failed = await expectFailure('host_key_mismatch', /presents the host key .* was confirmed/);
    expect(failed?.error).toContain(fingerprint);
    expect(failed?.error).toContain(host(1).hostKey.fingerprint);
    expect(await events('host_key.mismatch')).toEqual([{ job_id: failed?.id, server_id: bad }]);
    await eventually(
      'the log names it',
      60_000,
      async () => service().log.includes('host_key_mismatch') || undefined,
    );
    for (const doubtful of [[], ['--yes'], ['--host-key', host(1).hostKey.fingerprint]]) {
      const refused = await service().cli(['server', 'check', 'bad', '--json', ...doubtful]);
      expect(refused).toMatchObject({ code: 3, json: { code: 'host_key_mismatch' } });
    }
    const confirmed = await service().cli(['server', 'check', 'bad', '--host-key', fingerprint]);
    expect(confirmed.code).toBe(0);
    expect(await rest.run(bad, { job_type: 'backup' })).toMatchObject({ status: 'success' });
    await expectNothingLost(2);
  });

  it('dies in the middle of a backup: the others go on', async () => {
    await host(1).exec(`${SLOW_LINE}; dd if=/dev/urandom of=/srv/data/large bs=1M count=20 status=none`);
    cutOff = await rest.begin(bad, { job_type: 'backup' });
    await rest.jobThat('is on its way', cutOff, ({ percent }) => (percent ?? 0) >= 30);
    await host(1).powerOff();
    expect(await rest.run(good, { job_type: 'backup' })).toMatchObject({ status: 'success' });
    await expectNothingLost(2);
  });

  it('is switched off: says that it cannot be reached', async () => {
    const checked = await service().cli(['server', 'check', 'bad', '--json']);
    expect(checked).toMatchObject({ code: 1, json: { code: 'host_unreachable' } });
    expect(checked.stderr).toMatch(/"bad" \([\d.]+:22\)/);
  });

  it('is back: the backup of then has ended with that, and the next goes on with what came over', async () => {
    await host(1).start();
    const ended = await rest.jobEnd(cutOff);
    expect(ended).toMatchObject({ status: 'failed', error_code: 'host_connection_lost' });
    expect(ended.error).toContain('"bad"');
    await expectNothingLost(2);
    const next = await rest.run(bad, { job_type: 'backup' });
    expect(next).toMatchObject({ status: 'success', error: null });
    expect(next.log_lines?.join('\n')).toContain('Continuing with what an interrupted backup received.');
    const [latest] = await listed(rest, bad);
    expect(latest?.transferred_bytes).toBeLessThan(16 * 1024 * 1024);
    await expectNothingLost(3);
  });

  /** Undelivered webhook events. */
  async function events(type: string): Promise<unknown> {
    const database = openDatabase({ url: null, dataDir: service().dataDir });
    try {
      const rows = await database.knex('outbox_events').where({ type }).select('job_id', 'server_id');
      return rows.map((row) => ({ ...row }));
    } finally {
      await database.close();
    }
  }
});
