import { chmod, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import { describeWith } from '../support/capabilities.ts';
import { RestClient } from '../support/rest-client.ts';
import { useService } from '../support/service.ts';
import { filesWith } from '../support/traces.ts';
import { filesOf, listed } from './snapshots.ts';

const PASSWORD = 'correct horse battery';
const Server = z.object({ last_backup_at: z.string().nullable(), last_verified_at: z.string().nullable() });

describeWith(['rsync', 'restic'], 'backups of this machine', () => {
  const service = useService();
  let rest: RestClient;
  let base: string;
  let data: string;
  beforeAll(async () => {
    rest = new RestClient(service().url, await service().token());
    base = await mkdtemp(join(tmpdir(), 'drover-verified-'));
    data = join(base, 'data');
    await service().cli(['source', 'remove', '1', 'drover', '--yes']);
    await writeFile(join(base, 'password'), `${PASSWORD}\n`);
    await writeFile(data, 'content');
    const plain = await service().cli(['source', 'add', '1', '--name', 'plain', '--path', data]);
    expect(plain).toMatchObject({ code: 0 });
  });
  afterAll(() => rm(base, { recursive: true, force: true }));

  const server = async () => Server.parse((await rest.get('/api/v1/servers/1')).body);
  const start = (...args: string[]) => service().cli(['job', 'start', '1', ...args, '--wait', '--json']);
  const newest = async () => {
    const [snapshot] = await listed(rest, 1);
    if (!snapshot) throw new Error('there is a snapshot');
    return snapshot;
  };

  it('are verified by restoring them, and the server shows it', async () => {
    expect(await start('backup')).toMatchObject({ code: 0 });
    const { id, last_verified_at } = await newest();
    expect(last_verified_at).toBeNull();
    const verified = await service().cli(['snapshot', 'verify', String(id), '--all', '--wait', '--json']);
    expect(verified).toMatchObject({
      code: 0,
      json: { job_type: 'snapshot_verify', status: 'success' },
    });
    expect(await newest()).toMatchObject({ check_outcome: 'good', check_detail: null });
    expect((await server()).last_verified_at).not.toBeNull();
    expect(await readdir(join(service().dataDir, 'backups', 'scratch'))).toEqual([]);
  });

  it('are found out where the store rots, and count for nothing from then on', async () => {
    const snapshot = await newest();
    const place = join(filesOf(service(), snapshot), data);
    const { atime, mtime, mode } = await stat(place);
    await chmod(place, 0o600);
    await writeFile(place, 'c0ntent');
    await chmod(place, mode);
    await utimes(place, atime, mtime);
    const verified = await service().cli(['snapshot', 'verify', String(snapshot.id), '--wait']);
    expect([verified.code, verified.stdout]).toEqual([1, expect.stringContaining('has different content')]);
    expect(await newest()).toMatchObject({ check_outcome: 'damaged', last_verified_at: null });
    expect(await server()).toEqual({ last_backup_at: null, last_verified_at: null });
    expect((await service().cli(['snapshot', 'list', '1'])).stdout).toContain('DAMAGED');
    // nothing is reused from it
    expect(await start('backup')).toMatchObject({ code: 0 });
    expect(await readFile(join(filesOf(service(), await newest()), data), 'utf8')).toBe('content');
    expect(await start('snapshot_verify', '--sample', '100%')).toMatchObject({ code: 0 });
    expect((await server()).last_verified_at).not.toBeNull();
  });

  it('go to a separate repository if a source says so', async () => {
    const url = join(base, 'repository');
    const add = ['repository', 'add', 'disk', '--url', url, '--password-file', join(base, 'password')];
    expect(await service().cli(add)).toMatchObject({ code: 0 });
    const source = ['source', 'add', '1', '--name', 'sealed', '--path', data, '--repository', 'disk'];
    expect(await service().cli(source)).toMatchObject({ code: 0 });
    const planned = await start('backup', '--source', 'sealed', '--dry-run');
    expect(planned).toMatchObject({ code: 0 });
    expect(await start('backup', '--source', 'sealed')).toMatchObject({ code: 0 });
    const { id, engine } = await newest();
    expect(engine).toBe('restic');
    expect(await service().cli(['snapshot', 'verify', String(id), '--wait'])).toMatchObject({ code: 0 });
    const to = join(base, 'restored');
    expect(await service().cli(['restore', String(id), '--to', to])).toMatchObject({ code: 0 });
    expect(await readFile(join(to, data), 'utf8')).toBe('content');
    await writeFile(data, 'changed');
    expect(await service().cli(['restore', String(id), '--in-place', '--yes'])).toMatchObject({ code: 0 });
    expect(await readFile(data, 'utf8')).toBe('content');
    const checked = await service().cli(['repository', 'check', 'disk', '--read', '100', '--json']);
    expect(checked).toMatchObject({ code: 0, json: { ok: true, snapshots: 1 } });
    const { body } = await rest.get('/api/v1/repositories');
    expect(body).toMatchObject({ total: 1, repositories: [{ name: 'disk', kind: 'local', url }] });
    const refused = await service().cli(['repository', 'remove', 'disk', '--yes']);
    expect(refused).toMatchObject({ code: 5 });
  });

  it('in a repository go by the rules of their source, and their space is freed', async () => {
    const edit = ['source', 'edit', '1', 'sealed', '--keep-last', '1', '--keep-daily', '0'];
    const none = ['--keep-weekly', '0', '--keep-monthly', '0'];
    expect(await service().cli([...edit, ...none])).toMatchObject({ code: 0 });
    // the first one is still held by the restores
    for (let more = 0; more < 2; more += 1) {
      expect(await start('backup', '--source', 'sealed')).toMatchObject({ code: 0 });
    }
    const done = await start('retention', '--source', 'sealed');
    expect(done).toMatchObject({ code: 0 });
    expect(JSON.stringify(done.json)).toContain('Removed 1 snapshot.');
    expect(await readdir(join(base, 'repository', 'snapshots'))).toHaveLength(2);
  });

  it('leave the password of the repository nowhere', async () => {
    expect(await filesWith(service().dataDir, [PASSWORD])).toEqual([]);
    expect(service().log).not.toContain(PASSWORD);
  });

  it('are verified for operators and their schedules, and not for tokens', async () => {
    const refused = await rest.post('/api/v1/servers/1/jobs', { job_type: 'snapshot_verify' });
    expect(refused.status).toBe(422);
    const rule = ['--type', 'snapshot_verify', '--server', '1', '--cron', '0 6 * * *', '--sample', '5%'];
    const added = await service().cli(['schedule', 'add', 'nightly-verify', ...rule]);
    expect(added).toMatchObject({ code: 0 });
    expect(await service().cli(['schedule', 'run-now', 'nightly-verify'])).toMatchObject({ code: 0 });
  });
});
