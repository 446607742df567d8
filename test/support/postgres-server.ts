import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { capture, must } from '../../scripts/lib/programs.mjs';
import { freePort } from './free-port.ts';
import { eventually, kill, spawnBound } from './processes.ts';

export interface DatabaseServer {
  readonly port: number;
  readonly password: string;
  readonly pid: number;
  /** Runs statements, or commands, as the server's first user and returns their output. */
  run(text: string, database?: string): Promise<string>;
  kill9(): Promise<void>;
  stop(): Promise<void>;
}

const PACKAGED = '/usr/lib/postgresql';

/** A private PostgreSQL in memory, with a password for `postgres`. */
export async function startPostgres(): Promise<DatabaseServer> {
  const versions = (await readdir(PACKAGED)).filter((version) =>
    existsSync(join(PACKAGED, version, 'bin/postgres')),
  );
  const bin = join(PACKAGED, versions.at(-1) ?? '', 'bin');
  const asRoot = process.geteuid?.() === 0;
  const dir = await mkdtemp(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'drover-postgres-'));
  const password = randomBytes(16).toString('hex');
  const secret = join(dir, 'password');
  await writeFile(secret, `${password}\n`, { mode: 0o644 });
  const account = { uid: 0, gid: 0 };
  if (asRoot) {
    account.uid = Number((await must('id', ['-u', 'postgres'])).trim());
    account.gid = Number((await must('id', ['-g', 'postgres'])).trim());
    await chown(dir, account.uid, account.gid);
  }
  const become = asRoot ? ['--reuid=postgres', '--regid=postgres', '--clear-groups', '--'] : ['--'];
  const data = join(dir, 'data');
  const init = [
    '-D',
    data,
    '-U',
    'postgres',
    '-A',
    'scram-sha-256',
    `--pwfile=${secret}`,
    '-N',
    '-E',
    'UTF8',
    '--locale=C',
  ];
  await must('setpriv', [...become, join(bin, 'initdb'), ...init], { cwd: dir });
  const port = await freePort();
  const args = [
    '-D',
    data,
    '-p',
    String(port),
    '-k',
    dir,
    '-h',
    '127.0.0.1',
    '-F',
    '-c',
    'shared_buffers=16MB',
    '-c',
    'dynamic_shared_memory_type=mmap',
  ];
  const server = spawnBound(join(bin, 'postgres'), args, asRoot ? 'postgres' : undefined);
  server.stderr?.resume();
  const run = async (text: string, database = 'postgres'): Promise<string> => {
    const connect = [
      '-X',
      '-A',
      '-t',
      '-v',
      'ON_ERROR_STOP=1',
      '-h',
      '127.0.0.1',
      '-p',
      String(port),
      '-U',
      'postgres',
    ];
    const { code, output } = await capture('psql', [...connect, '-d', database], {
      input: text,
      env: { PGPASSWORD: password },
    });
    if (code !== 0) throw new Error(output);
    return output.trim();
  };
  const stop = async (): Promise<void> => {
    await kill(server);
    await rm(dir, { recursive: true, force: true });
  };
  await eventually('PostgreSQL answers', 60_000, () => run('SELECT 1').catch(() => undefined));
  return { port, password, pid: server.pid ?? 0, run, kill9: () => kill(server), stop };
}
