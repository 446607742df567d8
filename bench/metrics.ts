// How long a scrape of /metrics takes, by the size of fleet and history, on both databases, next to a page that reads nothing.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import mysql from 'mysql2/promise';
import { openDatabase } from '../src/adapters/outbound/storage/sql/database.ts';
import { migrate } from '../src/adapters/outbound/storage/sql/migrate.ts';
import { RecordingLogger } from '../test/fakes/recording-logger.ts';
import { freePort } from '../test/support/free-port.ts';
import { startMariaDb } from '../test/support/mariadb-server.ts';
import { cpuOf } from './lib/cpu.ts';
import { needs } from './lib/needs.ts';
import { type Row, report } from './lib/report.ts';
import { seedJobs, seedServers } from './metrics/seed.ts';

const SCRAPES = Number(process.env['BENCH_SCRAPES'] ?? 1_000);
const SERVERS = [1_000, 10_000, 100_000];
const JOBS = [10_000, 1_000_000];
const DROVER = fileURLToPath(new URL('../bin/drover.mjs', import.meta.url));

/** Milliseconds until the last byte of a page, which has to say something. */
async function ask(url: string, agent: Agent, says: string): Promise<number> {
  const began = performance.now();
  const [response] = await once(get(url, { agent }), 'response');
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  const took = performance.now() - began;
  if (!text.includes(says)) throw new Error(`not what it should be: ${text.slice(0, 500)}`);
  return took;
}

interface Measured {
  readonly first: number;
  /** Sorted. */
  readonly scrapes: readonly number[];
  readonly probes: readonly number[];
  /** Processor time of the service for a scrape: it hardly depends on other load. */
  readonly cpu: number;
}

async function measure(env: NodeJS.ProcessEnv, dir: string): Promise<Measured> {
  const port = await freePort();
  const log = await open(join(dir, 'service.log'), 'a');
  const child = spawn(process.execPath, [DROVER, 'serve'], {
    env: { ...process.env, ...env, SERVICE_HTTP_PORT: String(port), SERVICE_HOST: '127.0.0.1' },
    stdio: ['ignore', log.fd, log.fd],
  });
  const url = `http://127.0.0.1:${port}`;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const scrape = (): Promise<number> => ask(`${url}/metrics`, agent, '\nservice_db_up 1\n');
  const probe = (): Promise<number> => ask(`${url}/healthz`, agent, 'true');
  const isReady = (): Promise<boolean> =>
    fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  try {
    while (!(await isReady())) await sleep(50);
    await sleep(2_000);
    const first = await scrape();
    for (let n = 0; n < 100; n += 1) await scrape();
    const [scrapes, probes]: [number[], number[]] = [[], []];
    const before = cpuOf(child.pid ?? 0);
    for (let n = 0; n < SCRAPES; n += 1) scrapes.push(await scrape());
    const cpu = (cpuOf(child.pid ?? 0) - before) / SCRAPES;
    for (let n = 0; n < SCRAPES; n += 1) probes.push(await probe());
    const sorted = (all: number[]): number[] => all.sort((one, other) => one - other);
    return { first, scrapes: sorted(scrapes), probes: sorted(probes), cpu };
  } finally {
    agent.destroy();
    child.kill('SIGTERM');
    await once(child, 'exit');
    await log.close();
  }
}

async function rowsOf(name: string, databaseUrl: (jobs: number) => Promise<string | null>): Promise<Row[]> {
  const rows: Row[] = [];
  for (const jobs of JOBS) {
    const dir = await mkdtemp(join(tmpdir(), 'drover-bench-'));
    const url = await databaseUrl(jobs);
    const database = openDatabase({ url, dataDir: dir });
    await migrate(database, { owner: 'bench', log: new RecordingLogger() });
    for (const servers of SERVERS) {
      await seedServers(database, servers);
      // They refer to the first thousand servers.
      if (servers === SERVERS[0]) await seedJobs(database, jobs);
      const env = { SERVICE_DATA_DIR: dir, ...(url === null ? {} : { SERVICE_DATABASE_URL: url }) };
      const { first, scrapes, probes, cpu } = await measure(env, dir);
      const at = (all: readonly number[], share: number): number =>
        Math.round((all[Math.floor(share * (all.length - 1))] ?? 0) * 100) / 100;
      rows.push({
        database: name,
        servers,
        jobs,
        'median ms': at(scrapes, 0.5),
        'p99 ms': at(scrapes, 0.99),
        'first ms': Math.round(first),
        'cpu ms': Math.round(cpu * 100) / 100,
        '/healthz median ms': at(probes, 0.5),
        '/healthz p99 ms': at(probes, 0.99),
      });
      console.log(JSON.stringify(rows.at(-1)));
    }
    await database.close();
    await rm(dir, { recursive: true });
  }
  return rows;
}

needs({ programs: ['mariadbd'] });
const sqlite = await rowsOf('SQLite', () => Promise.resolve(null));
const server = await startMariaDb();
try {
  const mariadb = await rowsOf('MariaDB', async (jobs) => {
    const connection = await mysql.createConnection({ uri: server.origin });
    await connection.query(`CREATE DATABASE bench_${jobs}`);
    await connection.end();
    return `${server.origin}/bench_${jobs}`;
  });
  const growth = (figure: string): number => {
    const of = (servers: number, jobs: number): number =>
      Number(sqlite.find((row) => row['servers'] === servers && row['jobs'] === jobs)?.[figure]);
    return Math.round((of(100_000, 1_000_000) / of(1_000, 10_000)) * 100) / 100;
  };
  report('metrics', [...sqlite, ...mariadb], {
    'SQLite, the largest by the smallest': {
      median: growth('median ms'),
      p99: growth('p99 ms'),
      cpu: growth('cpu ms'),
    },
    scrapes: SCRAPES,
    'load of the machine at the end, on its cores': loadavg().map((load) => Math.round(load * 10) / 10),
  });
} finally {
  await server.stop();
}
