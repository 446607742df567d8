import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openDatabase } from '../../src/adapters/outbound/storage/sql/database.ts';
import { migrate } from '../../src/adapters/outbound/storage/sql/migrate.ts';
import { SqlServerStore } from '../../src/adapters/outbound/storage/sql/stores/sql-server-store.ts';
import { describeServer } from '../../src/domain/fleet/server-description.ts';
import { RecordingLogger } from '../../test/fakes/recording-logger.ts';
import { freePort } from '../../test/support/free-port.ts';
import { cpuOf } from '../lib/cpu.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BENCH = join(ROOT, 'bench');

/** A server under load, in a separate process. */
export interface Subject {
  readonly url: string;
  readonly token: string | null;
  /** Resident memory in MiB. */
  memory(): number;
  /** Processor time so far, in milliseconds. */
  cpu(): number;
  stop(): Promise<void>;
}

/** `npm run` sets variables for its own package: another npm would use them as its settings. */
const ownEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')));

/** One of `bench/mcp/peers`: it gets its port and the size of its replies. */
export async function startPeer(name: string, path: string, size = 0): Promise<Subject> {
  if (name === 'fastmcp' && !existsSync(join(BENCH, 'node_modules'))) {
    await promisify(execFile)('npm', ['ci', '--no-audit', '--no-fund'], {
      cwd: BENCH,
      env: ownEnvironment(),
    });
  }
  const port = await freePort();
  const child = spawn(
    process.execPath,
    [join(BENCH, 'mcp', 'peers', `${name}.mjs`), String(port), String(size)],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  return subject(child, `http://127.0.0.1:${port}${path}`, null, () => Promise.resolve());
}

/** The built service on SQLite with this many servers, with its log in a file as in production. */
export async function startDrover(servers: number): Promise<Subject> {
  const dir = await mkdtemp(join(tmpdir(), 'drover-bench-'));
  await seed(dir, servers);
  const port = await freePort();
  const env = {
    ...process.env,
    SERVICE_DATA_DIR: dir,
    SERVICE_HTTP_PORT: String(port),
    SERVICE_HOST: '127.0.0.1',
    // Counted, yet never reached.
    SERVICE_RATE_PER_TOKEN: '999999999',
    SERVICE_RATE_PER_ADDRESS: '999999999',
  };
  const drover = join(ROOT, 'bin', 'drover.mjs');
  const args = ['token', 'create', '--name', 'bench', '--scopes', 'read,jobs', '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, [drover, ...args], { env });
  const log = await open(join(dir, 'service.log'), 'w');
  const child = spawn(process.execPath, [drover, 'serve'], { env, stdio: ['ignore', log.fd, log.fd] });
  const { secret } = JSON.parse(stdout) as { secret: string };
  return subject(child, `http://127.0.0.1:${port}/mcp`, secret, async () => {
    await log.close();
    await rm(dir, { recursive: true });
  });
}

async function seed(dataDir: string, count: number): Promise<void> {
  const database = openDatabase({ url: null, dataDir });
  await migrate(database, { owner: 'bench', log: new RecordingLogger() });
  const store = new SqlServerStore(database);
  for (let i = 1; i <= count; i += 1) {
    const name = `web-${String(i).padStart(5, '0')}`;
    const description = describeServer({
      name,
      connection: 'ssh',
      hostname: `${name}.example.org`,
      tags: ['web'],
    });
    const { id } = await store.add(description, Date.now(), () => ({}));
    await store.learn(id, {
      osPretty: 'Debian GNU/Linux 12 (bookworm)',
      osId: 'debian',
      arch: 'x86_64',
      cpuCores: 4,
      // Nothing is due: the service contacts none of them while it is measured.
      inventoryAt: Date.now(),
      lastSeenAt: Date.now(),
    });
  }
  await database.close();
}

async function subject(
  child: ChildProcess,
  url: string,
  token: string | null,
  clean: () => Promise<void>,
): Promise<Subject> {
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit');
    await clean();
  };
  try {
    await answers(url, child);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url,
    token,
    cpu: () => cpuOf(child.pid ?? 0),
    memory: () =>
      Math.round(
        Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024,
      ),
    stop,
  };
}

async function answers(url: string, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    if (child.exitCode !== null) throw new Error(`${url} ended with code ${child.exitCode}`);
    try {
      await fetch(url);
      return;
    } catch {
      await sleep(100);
    }
  }
  throw new Error(`${url} does not answer`);
}
