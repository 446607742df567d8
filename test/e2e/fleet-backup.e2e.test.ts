import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import { type snapshotSchema } from '../../src/adapters/inbound/api/views/snapshot-view.ts';
import { installDemo, publish } from '../fleet/apt-repo.ts';
import { useHost } from '../fleet/use-host.ts';
import { Agent } from '../support/agent.ts';
import { describeWith } from '../support/capabilities.ts';
import { RestClient } from '../support/rest-client.ts';
import { useService } from '../support/service.ts';
import { treeOf } from '../support/tree.ts';
import { authorise } from './enrol.ts';

type Snapshot = z.output<typeof snapshotSchema>;

const FILES = 2_000;
const CHANGED = '/srv/data/d7/f1007';
/** 2,000 files in ten directories, of different contents and sizes; one has several rsync blocks. */
const MAKE_FILES = `import os
for n in range(${FILES}):
    d = f"/srv/data/d{n // 200 + 2}"
    os.makedirs(d, exist_ok=True)
    with open(f"{d}/f{n}", "w") as f:
        f.write(f"{n} " * (n % 97 + 1))
with open("${CHANGED}", "w") as f:
    f.write("before " * 5000)
`;
/** Digests by path. */
const DIGESTS = 'cd "$1" && find . -type f -print0 | sort -z | xargs -0 sha256sum';

const Key = z.object({ name: z.string(), public_key: z.string() });
const Result = z.object({
  dry_run: z.boolean(),
  sources: z.array(z.object({ kept_count: z.int(), removed_count: z.int() })),
});
const Updates = z.object({
  updates_count: z.int(),
  security_count: z.int(),
  updates: z.array(z.object({ name: z.string(), to: z.string(), security: z.boolean() })),
});

describeWith(['fleet', 'rsync'], 'a host of the fleet', () => {
  const host = useHost();
  const service = useService();
  let rest: RestClient;
  let restored: string;
  beforeAll(async () => {
    restored = await mkdtemp(join(tmpdir(), 'drover-restored-'));
    rest = new RestClient(service().url, await service().token());
    await host().exec('python3 -c "$1"', [MAKE_FILES]);
  });
  afterAll(() => rm(restored, { recursive: true, force: true }));

  const snapshots = async (): Promise<Snapshot[]> => {
    const { body } = await rest.get(`/api/v1/servers/${id}/snapshots`);
    return (body as { snapshots: Snapshot[] }).snapshots;
  };
  const filesOf = ({ source_id, name }: Snapshot): string =>
    join(service().dataDir, 'backups', String(id), String(source_id), 'snapshots', name, 'files');
  const run = (job_type: string, dry_run = false) => rest.run(id, { job_type, dry_run });
  let id = 0;

  it('is added only when a user confirms its host key', async () => {
    const { public_key } = await service().ask(Key, ['key', 'create', 'fleet']);
    await authorise(host(), 'root', public_key);
    const add = ['server', 'add', 'web', '--host', host().address, '--key', 'fleet', '--json'];
    const unconfirmed = await service().cli(add);
    expect(unconfirmed).toMatchObject({ code: 3, json: { code: 'host_key_unknown' } });
    expect(unconfirmed.stderr).toContain(host().hostKey.fingerprint);
    const mistaken = await service().cli([...add, '--host-key', `SHA256:${'A'.repeat(43)}`]);
    expect(mistaken).toMatchObject({ code: 3, json: { code: 'host_key_mismatch' } });
    expect(await rest.get('/api/v1/servers')).toMatchObject({ body: { total: 1 } });
    const added = await service().cli([...add, '--host-key', host().hostKey.fingerprint]);
    expect(added).toMatchObject({ code: 0, json: { name: 'web', checked: true, os_id: 'debian' } });
    id = z.object({ id: z.int() }).parse(added.json).id;
  });

  it('is known afterwards by what it is', async () => {
    const checked = await service().cli(['server', 'check', 'web', '--json']);
    expect(checked).toMatchObject({ code: 0, json: { ok: true, inventory: { status: 'known' } } });
    expect(await rest.get(`/api/v1/servers/${id}/inventory`)).toMatchObject({
      status: 200,
      body: { os_pretty: expect.stringContaining('Debian'), packages_count: expect.any(Number) },
    });
  });

  it('has no job but by the features that are on', async () => {
    const agent = await Agent.connect(service().url, await service().token('read,jobs', 'mcp-flags'));
    const disabled = { status: 400, code: 'feature_disabled' };
    for (const job_type of ['backup', 'retention', 'os_update_check']) {
      const told = await agent.call('trigger_job', { server_id: id, job_type });
      expect(told).toMatchObject({ isError: true, body: { ok: false, ...disabled } });
      expect(await rest.post(`/api/v1/servers/${id}/jobs`, { job_type })).toMatchObject({ body: disabled });
    }
    await agent.close();
    expect(await service().cli(['job', 'start', 'web', 'backup', '--json'])).toMatchObject({
      code: 3,
      json: disabled,
    });
    const switched = await service().cli(['server', 'features', 'web', 'backup=on', 'os_patch=on']);
    expect(switched.code).toBe(0);
    const bare = await service().cli(['job', 'start', 'web', 'backup', '--json']);
    expect(bare).toMatchObject({ code: 3, json: { code: 'no_backup_source' } });
  });

  it('is backed up whole at first', async () => {
    const source = ['source', 'add', 'web', '--name', 'data', '--path', '/srv/data', '--keep-last', '1'];
    const none = ['daily', 'weekly', 'monthly', 'yearly'].flatMap((rule) => [`--keep-${rule}`, '0']);
    expect(await service().cli([...source, ...none])).toMatchObject({ code: 0 });
    const job = await run('backup');
    expect(job).toMatchObject({ status: 'success', error: null });
    expect(job.phases.map(({ name }) => name)).toEqual([
      'Checking the source',
      'Comparing with the host',
      'Transferring',
      'Writing the manifest',
      'Publishing the snapshot',
    ]);
    expect(job.phases[2]).toMatchObject({
      unit: 'bytes',
      total: expect.any(Number),
      ended_at: job.phases[3]?.started_at,
    });
    expect(job.phases.at(-1)?.ended_at).toBe(job.finished_at);
    const [first, ...others] = await snapshots();
    expect(others).toEqual([]);
    expect(first).toMatchObject({ file_count: FILES, vanished_count: 0 });
    expect(first?.transferred_bytes).toBe(first?.total_bytes);
  });

  it('is backed up again by the one file that changed; all others are links', async () => {
    await host().exec('printf after >>"$1"', [CHANGED]);
    expect(await run('backup')).toMatchObject({ status: 'success' });
    const [second, first] = await snapshots();
    if (!first || !second) throw new Error('there are two snapshots');
    expect(second).toMatchObject({ file_count: FILES, total_bytes: first.total_bytes + 5 });
    expect(second.transferred_bytes).toBeGreaterThan(0);
    expect(second.transferred_bytes).toBeLessThanOrEqual('before '.length * 5_000 + 5);
    const [before, after] = [await inodes(filesOf(first)), await inodes(filesOf(second))];
    expect(after.size).toBe(FILES);
    expect([...after].filter(([path, inode]) => before.get(path) !== inode).map(([path]) => path)).toEqual([
      CHANGED.slice(1),
    ]);
  });

  it('keeps the snapshots that retention keeps, and the last one always', async () => {
    expect(await run('backup')).toMatchObject({ status: 'success' });
    const names = (await snapshots()).map(({ name }) => name);
    const onDisk = () => readdir(join(service().dataDir, 'backups', String(id), '2', 'snapshots'));
    expect(names).toHaveLength(3);
    expect((await onDisk()).sort().toReversed()).toEqual(names);

    const planned = await run('retention', true);
    expect(Result.parse(planned.result)).toEqual({
      dry_run: true,
      sources: [{ kept_count: 1, removed_count: 2 }],
    });
    expect((await snapshots()).map(({ name }) => name)).toEqual(names);
    expect(await onDisk()).toHaveLength(3);

    for (const removed_count of [2, 0]) {
      const ended = await run('retention');
      expect(Result.parse(ended.result).sources).toEqual([{ kept_count: 1, removed_count }]);
      expect((await snapshots()).map(({ name }) => name)).toEqual(names.slice(0, 1));
      expect(await onDisk()).toEqual(names.slice(0, 1));
    }
  });

  it('gets its files back, here and on itself, as they were', async () => {
    const [last] = await snapshots();
    if (!last) throw new Error('there is a snapshot');
    const snapshot = String(last.id);
    const asNow = await host().exec(DIGESTS, ['/srv/data']);
    const target = join(restored, 'all');
    expect(await service().cli(['restore', snapshot, '--to', target])).toMatchObject({ code: 0 });
    const here = await treeOf(join(target, 'srv/data'));
    const digests = Object.entries(here).flatMap(([path, described]) =>
      described.startsWith('file ') ? [`${described.split(' ').at(-1)}  ./${path}\n`] : [],
    );
    expect(digests.sort(byPath).join('')).toBe(asNow);
    expect(await treeOf(target)).toEqual(await treeOf(filesOf(last)));

    const onHost = ['restore', snapshot, '--on-host', '--to', '/var/tmp/back', '--path', CHANGED];
    expect(await service().cli(onHost)).toMatchObject({ code: 0 });
    expect(await host().readFile(`/var/tmp/back${CHANGED}`)).toBe(`${'before '.repeat(5_000)}after`);
    const again = await service().cli([...onHost, '--json']);
    expect(again).toMatchObject({ code: 5, json: { code: 'restore_target_not_empty' } });

    await host().exec('rm "$1"', [CHANGED]);
    const inPlace = ['restore', snapshot, '--in-place', '--path', CHANGED, '--yes'];
    expect(await service().cli(inPlace)).toMatchObject({ code: 0 });
    expect(await host().exec(DIGESTS, ['/srv/data'])).toBe(asNow);
  });

  it('has the updates that its own package source offers', async () => {
    await installDemo(host());
    await publish(host(), 'v2');
    const ended = await run('os_update_check');
    expect(ended).toMatchObject({ status: 'success', error: null });
    const { updates, ...counts } = Updates.parse(ended.result);
    const found = Object.fromEntries(updates.map(({ name, to, security }) => [name, { to, security }]));
    expect(found).toEqual({
      'demo-app': { to: '2.0', security: false },
      'demo-kernel': { to: '1.1', security: true },
      'demo-lib': { to: '1.0+deb12u1', security: true },
    });
    expect(counts).toEqual({ updates_count: 3, security_count: 2 });
    expect(await rest.get(`/api/v1/servers/${id}`)).toMatchObject({
      body: { os_updates_count: 3, security_updates_count: 2, last_os_check_at: expect.any(String) },
    });
    // The machine that runs the service is a server too, and may have updates itself.
    const Count = z.int().nullable();
    const Listed = z.object({
      servers: z.array(z.object({ os_updates_count: Count, security_updates_count: Count })),
    });
    const { servers } = Listed.parse((await rest.get('/api/v1/servers')).body);
    expect(await rest.get('/api/v1/summary')).toMatchObject({
      body: {
        os_updates: servers.filter(({ os_updates_count: count }) => (count ?? 0) > 0).length,
        security_updates: servers.filter(({ security_updates_count: count }) => (count ?? 0) > 0).length,
      },
    });
  });
});

/** Inodes by path of the files below a directory. */
async function inodes(root: string): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    found.set(path.slice(root.length + 1), (await lstat(path)).ino);
  }
  return found;
}

const pathIn = (line: string): string => line.slice(line.indexOf('./'));
const byPath = (a: string, b: string): number => (pathIn(a) < pathIn(b) ? -1 : 1);
