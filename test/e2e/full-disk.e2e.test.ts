import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { capture, must } from '../../scripts/lib/programs.mjs';
import { useHost } from '../fleet/use-host.ts';
import { describeWith } from '../support/capabilities.ts';
import { RestClient } from '../support/rest-client.ts';
import { useService } from '../support/service.ts';
import { treeOf } from '../support/tree.ts';
import { enrol } from './enrol.ts';
import { filesOf, listed, onDisk } from './snapshots.ts';

const MIB = 1024 * 1024;
/** The store always leaves 64 MiB of it free. */
const STORE_BYTES = 128 * MIB;
const SLOW_LINE = 'tc qdisc replace dev eth0 root tbf rate 16mbit burst 64kb latency 200ms';

describeWith(['fleet', 'rsync'], 'a backup store that is full', () => {
  const host = useHost();
  let dataDir: string;
  let store: string;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'drover-full-'));
    store = join(dataDir, 'backups');
    await mkdir(store, { mode: 0o700 });
    await must('mount', ['-t', 'tmpfs', '-o', `size=${STORE_BYTES},mode=700`, 'full', store]);
  });
  // the last request ends first: the service is gone by then
  afterAll(async () => {
    await capture('umount', ['--lazy', store]);
    await rm(dataDir, { recursive: true, force: true });
  });
  const service = useService(() => ({ dataDir }));
  let rest: RestClient;
  let id: number;
  beforeAll(async () => {
    rest = new RestClient(service().url, await service().token());
    id = await enrol(service(), host(), 'web', { options: ['--features', 'backup=on'] });
    for (const [name, mib] of [
      ['small', 8],
      ['large', 80],
    ] as const) {
      const make = `mkdir -p "/srv/$1" && dd if=/dev/urandom of="/srv/$1/file" bs=1M count="$2" status=none`;
      await host().exec(make, [name, String(mib)]);
      const source = ['source', 'add', 'web', '--name', name, '--path', `/srv/${name}`];
      expect(await service().cli(source)).toMatchObject({ code: 0 });
    }
    expect(await rest.run(id, { job_type: 'backup', source_filter: 'small' })).toMatchObject({
      status: 'success',
    });
  });

  async function expectOnlySmall(): Promise<void> {
    const list = await listed(rest, id);
    expect(new Set(list.map(({ source }) => source))).toEqual(new Set(['small']));
    expect(await onDisk(service(), id)).toEqual(list.map(({ name }) => name));
    const [first] = list.toReversed();
    if (!first) throw new Error('there is a snapshot');
    const [digest] = (await host().exec('sha256sum /srv/small/file')).split(' ');
    expect((await treeOf(filesOf(service(), first)))['srv/small/file']).toContain(digest);
  }

  it('is found out before anything is transferred', async () => {
    const job = await rest.run(id, { job_type: 'backup', source_filter: 'large' });
    expect(job).toMatchObject({ status: 'failed', error_code: 'disk_full' });
    expect(job.error).toMatch(/this backup needs 80\.0 MiB: free some space/);
    expect(job.log_lines?.join('\n')).toContain(job.error);
    await expectOnlySmall();
  });

  it('fails the source that does not fit, and backs up the others', async () => {
    const job = await rest.run(id, { job_type: 'backup' });
    expect(job).toMatchObject({ status: 'failed', error_code: 'disk_full' });
    expect(job.error).toMatch(/Backup of "large" failed: .* 1 other source was backed up\./);
    expect(await listed(rest, id)).toHaveLength(2);
    await expectOnlySmall();
  });

  it('runs full meanwhile: the backup ends with that, and goes on when there is room again', async () => {
    await host().exec(`${SLOW_LINE}; dd if=/dev/urandom of=/srv/large/file bs=1M count=16 status=none`);
    const job = await rest.begin(id, { job_type: 'backup', source_filter: 'large' });
    await rest.jobThat('is on its way', job, ({ percent }) => (percent ?? 0) >= 20);
    const other = join(store, 'of-another-program');
    await writeFile(other, Buffer.alloc(64 * MIB));
    const ended = await rest.jobEnd(job);
    expect(ended).toMatchObject({ status: 'failed', error_code: 'disk_full' });
    expect(ended.error).toContain('became full during the backup');
    await expectOnlySmall();

    await rm(other);
    await host().exec('tc qdisc del dev eth0 root');
    const next = await rest.run(id, { job_type: 'backup', source_filter: 'large' });
    expect(next).toMatchObject({ status: 'success', error: null });
    const [latest] = await listed(rest, id);
    expect(latest).toMatchObject({ source: 'large', total_bytes: 16 * MIB });
    expect(latest?.transferred_bytes).toBeLessThan(16 * MIB);
  });

  it('on the host ends a restore there, and leaves what was there', async () => {
    await host().fillDisk('/mnt/small', 4 * MIB);
    await host().writeFile('/mnt/small/before', 'before');
    const [latest] = await listed(rest, id);
    const restore = ['restore', String(latest?.id), '--on-host', '--to', '/mnt/small/restored', '--json'];
    const refused = await service().cli(restore);
    expect(refused).toMatchObject({ code: 1, json: { code: 'disk_full' } });
    expect(refused.stderr).toContain('/mnt/small/restored');
    expect(await host().readFile('/mnt/small/before')).toBe('before');
  });
});
