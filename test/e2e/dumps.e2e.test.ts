import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import { Person } from '../support/browser.ts';
import { describeWith } from '../support/capabilities.ts';
import { type DatabaseServer, startPostgres } from '../support/postgres-server.ts';
import { eventually } from '../support/processes.ts';
import { RestClient } from '../support/rest-client.ts';
import { useService } from '../support/service.ts';
import { lookAtAll, placesIn } from './places.ts';

const run = promisify(execFile);
const Snapshots = z.object({ snapshots: z.array(z.object({ id: z.int(), source: z.string() })) });
const SUM = `SELECT count(*) || md5(string_agg(n || text, ',' ORDER BY n)) FROM notes`;

describeWith(['databases', 'root', 'chromium'], 'dumps of a database, from a source to a restore', () => {
  const service = useService();
  let base: string;
  let server: DatabaseServer;
  const cli = (...args: readonly string[]) => service().cli(args);
  const rest = async (): Promise<RestClient> =>
    new RestClient(service().url, await service().token('read,jobs', `try-${Date.now()}`));
  const snapshots = async (): Promise<z.infer<typeof Snapshots>['snapshots']> => {
    const { snapshots: all } = await service().ask(Snapshots, ['snapshot', 'list', '1']);
    return all.filter(({ source }) => source === 'www');
  };
  const backUp = () => cli('job', 'start', '1', 'backup', '--source', 'www', '--wait');

  beforeAll(async () => {
    base = await mkdtemp(join(tmpdir(), 'drover-dumped-'));
    await mkdir(join(base, 'www'));
    await writeFile(join(base, 'www/index'), 'hello');
    server = await startPostgres();
    await server.run('CREATE DATABASE shop');
    await server.run(
      'CREATE TABLE notes AS SELECT n, repeat(md5(n::text), 20) AS text FROM generate_series(1, 20000) n',
      'shop',
    );
    await writeFile(join(base, 'password'), `${server.password}\n`, { mode: 0o600 });
    await cli('source', 'add', '1', '--name', 'www', '--path', join(base, 'www'));
  });
  afterAll(async () => {
    await server?.stop();
    await rm(base, { recursive: true, force: true });
  });

  it('backs the database up with the files, while no process list shows its password', async () => {
    const options = ['--database', 'shop', '--user', 'postgres', '--host', '127.0.0.1'];
    const place = ['--port', String(server.port), '--password-file', join(base, 'password')];
    const added = await cli(
      'dump',
      'add',
      '1',
      'www',
      '--name',
      'shop',
      '--kind',
      'postgres',
      ...options,
      ...place,
    );
    expect(added).toMatchObject({ code: 0 });
    const over = new AbortController();
    const lines = commandLines(over.signal);
    expect(await backUp()).toMatchObject({ code: 0 });
    over.abort();
    const seen = await lines;
    expect(seen.some((line) => line.includes('pg_dump'))).toBe(true);
    expect(seen.filter((line) => line.includes(server.password))).toEqual([]);
    expect(await snapshots()).toHaveLength(1);
  });

  it('has a dry run that changes nothing, and a restore that brings the data back', async () => {
    const [snapshot] = await snapshots();
    const before = await server.run(SUM, 'shop');
    await server.run('DELETE FROM notes WHERE n > 5', 'shop');
    const changed = await server.run(SUM, 'shop');
    const dry = await cli('dump', 'restore', String(snapshot?.id), 'shop', '--dry-run', '--wait', '--json');
    expect(dry).toMatchObject({
      code: 0,
      json: {
        status: 'success',
        job: { job_type: 'dump_restore', result: { target: { exists: true, tables: 1 } } },
      },
    });
    expect(await server.run(SUM, 'shop')).toBe(changed);
    const other = await cli(
      'dump',
      'restore',
      String(snapshot?.id),
      'shop',
      '--database',
      'copy',
      '--yes',
      '--wait',
    );
    expect(other).toMatchObject({ code: 0 });
    expect(await server.run(SUM, 'copy')).toBe(before);
    const { job_id: plan } = z.object({ job_id: z.int() }).parse(dry.json);
    const byPlan = [
      'dump',
      'restore',
      String(snapshot?.id),
      'shop',
      '--plan',
      String(plan),
      '--yes',
      '--wait',
    ];
    await cli('dump', 'edit', '1', 'www', 'shop', '--user', 'another');
    expect(await cli(...byPlan, '--json')).toMatchObject({ code: 1, json: { code: 'plan_drifted' } });
    expect(await server.run(SUM, 'shop')).toBe(changed);
    await cli('dump', 'edit', '1', 'www', 'shop', '--user', 'postgres');
    expect(await cli(...byPlan)).toMatchObject({ code: 0 });
    expect(await server.run(SUM, 'shop')).toBe(before);
    const refused = await (await rest()).post('/api/v1/servers/1/jobs', { job_type: 'dump_restore' });
    expect(refused.status).toBe(422);
  });

  it('is shown in the web UI, from the form to the restore', async () => {
    const [snapshot] = await snapshots();
    const person = await Person.sitDown(service().url);
    try {
      await person.signUp(service().process);
      const fill = (path: string): string => path.replace('SNAPSHOT', String(snapshot?.id));
      await lookAtAll(person, service().url, placesIn('dumps'), fill);
    } finally {
      await person.leave();
    }
  });

  it('lists nothing if the database dies in the middle', async () => {
    await server.run(
      'INSERT INTO notes SELECT n + 20000, repeat(text, 5) FROM notes, generate_series(1, 8)',
      'shop',
    );
    const backup = backUp();
    await eventually('pg_dump runs', 60_000, async () =>
      (await commandLinesNow()).some((line) => line.startsWith('pg_dump')) ? true : undefined,
    );
    await server.kill9();
    const { code, stdout } = await backup;
    expect(code).toBe(1);
    expect(stdout).toContain('The dump "shop" of PostgreSQL failed');
    expect(await snapshots()).toHaveLength(1);
  });

  it('has the password nowhere in the clear', async () => {
    const found = await run('grep', ['-rlaF', server.password, service().dataDir]).catch(
      ({ code, stdout }: { code: number; stdout: string }) => ({ code, stdout }),
    );
    expect(found).toEqual({ code: 1, stdout: '' });
    expect(service().log).not.toContain(server.password);
    const { stdout } = await cli('audit', 'list', '--json');
    expect(stdout).toContain('source.dump.add');
    expect(stdout).not.toContain(server.password);
  });
});

async function commandLinesNow(): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  );
  return lines.map((line) =>
    line.split('/').at(-1) === line ? line : line.replace(/^\S*\/([^/\0]+)\0/, '$1\0'),
  );
}

async function commandLines(signal: AbortSignal): Promise<readonly string[]> {
  const seen = new Set<string>();
  while (!signal.aborted) {
    for (const line of await commandLinesNow()) seen.add(line);
    await sleep(20);
  }
  return [...seen];
}
