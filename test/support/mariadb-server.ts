import type { ChildProcess } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import mysql from 'mysql2/promise';
import { cached } from '../../scripts/lib/cache.mjs';
import { must } from '../../scripts/lib/programs.mjs';
import { freePort } from './free-port.ts';
import { isAlive, ProcessId, thisProcess } from './process-id.ts';
import { eventually, kill, spawnBound, withLog } from './processes.ts';

export const ADDRESS = '127.0.0.1';
const MEMORY = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
const PREFIX = 'drover-mariadb-';

export interface MariaDbServer {
  /** `mysql://user:password@address:port`, without a database. */
  readonly origin: string;
  /** Of the current process. */
  readonly pid: number;
  /** A power failure; acknowledged data survives only if the server is durable. */
  kill9(): Promise<void>;
  /** After kill9: at the same address, with its data on disk. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * A private MariaDB that holds its data in memory, without durability unless requested, and dies with this process.
 * An initialised data directory is kept between runs: copying it takes 50 ms instead of seconds.
 */
export async function startMariaDb({ durable = false } = {}): Promise<MariaDbServer> {
  const dir = await serverHome();
  const password = randomBytes(16).toString('hex');
  await cp(await emptyData(), join(dir, 'data'), { recursive: true });
  const init = await initFile(dir, accountSql(password));
  let server: ChildProcess | undefined;
  const kill9 = async (): Promise<void> => {
    if (server) await kill(server);
  };
  const stop = async (): Promise<void> => {
    await kill9();
    await rm(dir, { recursive: true, force: true });
  };
  try {
    const port = await freePort();
    const origin = `mysql://drover:${password}@${ADDRESS}:${port}`;
    const start = async (): Promise<void> => {
      server = spawnBound('mariadbd', [...serverArguments(dir, port, durable), init]);
      await answering(server, origin);
    };
    await start();
    return {
      origin,
      get pid() {
        return server?.pid ?? 0;
      },
      kill9,
      start,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A new directory in memory, which goes at the next start of a server if its owner does not see to it. */
export async function serverHome(): Promise<string> {
  await removeOrphans();
  const dir = await mkdtemp(join(MEMORY, PREFIX));
  await writeFile(join(dir, 'owner'), JSON.stringify(thisProcess()));
  return dir;
}

/** An initialised data directory, to be copied. */
export async function emptyData(): Promise<string> {
  return join(await cached('mariadb', await recipeKey(), initialise), 'data');
}

/** The argument for statements that run at every start, before the first connection. */
export async function initFile(dir: string, sql: string): Promise<string> {
  const path = join(dir, 'init.sql');
  await writeFile(path, sql, { mode: 0o600 });
  return `--init-file=${path}`;
}

/** A process that was killed took its server with it, and left the server's files. */
async function removeOrphans(): Promise<void> {
  for (const name of await readdir(MEMORY)) {
    if (!name.startsWith(PREFIX)) continue;
    const note = await readFile(join(MEMORY, name, 'owner'), 'utf8').catch(() => undefined);
    if (note === undefined || isAlive(ProcessId.parse(JSON.parse(note)))) continue;
    await rm(join(MEMORY, name), { recursive: true, force: true });
  }
}

async function recipeKey(): Promise<string> {
  const version = await must('mariadbd', ['--no-defaults', '--version']);
  return createHash('sha256').update(version).update(initialise.toString()).digest('hex').slice(0, 16);
}

async function initialise(dir: string): Promise<void> {
  await must('mariadb-install-db', [
    '--no-defaults',
    `--datadir=${join(dir, 'data')}`,
    `--user=${userInfo().username}`,
    '--auth-root-authentication-method=normal',
    '--skip-test-db',
  ]);
}

/** Only clients with the password get in. */
export function accountSql(password: string): string {
  return [
    "DELETE FROM mysql.global_priv WHERE User IN ('root', '');",
    'FLUSH PRIVILEGES;',
    `CREATE OR REPLACE USER 'drover'@'${ADDRESS}' IDENTIFIED BY '${password}';`,
    `GRANT ALL PRIVILEGES ON *.* TO 'drover'@'${ADDRESS}' WITH GRANT OPTION;`,
    '',
  ].join('\n');
}

/** Durable: each commit is with the kernel, which outlives the server's kill, though not a power cut. */
export function serverArguments(
  dir: string,
  port: number,
  durable: boolean,
  user = userInfo().username,
): string[] {
  return [
    '--no-defaults',
    `--user=${user}`,
    `--datadir=${join(dir, 'data')}`,
    // Each has a separate directory: at its start a server deletes all temporary tables that it finds there, and one
    // whose tables another has deleted crashes (MDEV-30118).
    `--tmpdir=${dir}`,
    `--socket=${join(dir, 'socket')}`,
    `--pid-file=${join(dir, 'pid')}`,
    `--port=${port}`,
    `--bind-address=${ADDRESS}`,
    '--skip-name-resolve',
    '--max-connections=400',
    `--innodb-flush-log-at-trx-commit=${durable ? 2 : 0}`,
    '--innodb-flush-method=nosync',
    `--innodb-doublewrite=${durable ? 1 : 0}`,
    '--performance-schema=0',
    '--character-set-server=utf8mb4',
    '--collation-server=utf8mb4_bin',
    '--default-time-zone=+00:00',
  ];
}

/** Returns what the server writes to its log; so does a failure, first. */
export async function answering(
  server: ChildProcess,
  origin: string,
  withinMs = 90_000,
): Promise<() => string> {
  let log = '';
  server.stderr?.on('data', (chunk: Buffer) => {
    log = (log + chunk.toString()).slice(-4000);
  });
  const read = (): string => log;
  await eventually('MariaDB answers', withinMs, async () => {
    if (server.exitCode !== null || server.signalCode !== null) throw new Error('MariaDB ended at its start');
    return mysql.createConnection({ uri: origin }).then(
      async (connection) => {
        await connection.end();
        return true;
      },
      () => undefined,
    );
  }).catch(withLog(read));
  return read;
}
