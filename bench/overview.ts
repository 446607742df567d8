// The server time of the first view of the overview, and its size, by the size of the fleet, on both databases.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import mysql from 'mysql2/promise';
import { openDatabase } from '../src/adapters/outbound/storage/sql/database.ts';
import { migrate } from '../src/adapters/outbound/storage/sql/migrate.ts';
import { count } from '../src/domain/base/spans.ts';
import { RecordingLogger } from '../test/fakes/recording-logger.ts';
import { neededBy, onTheWire } from '../test/support/first-view.ts';
import { freePort } from '../test/support/free-port.ts';
import { startMariaDb } from '../test/support/mariadb-server.ts';
import { cpuOf } from './lib/cpu.ts';
import { needs } from './lib/needs.ts';
import { type Row, report } from './lib/report.ts';
import { seedJobs, seedServers } from './metrics/seed.ts';

const VIEWS = Number(process.env['BENCH_VIEWS'] ?? 200);
const SERVERS = [1_000, 10_000];
const JOBS = 100_000;
const DROVER = fileURLToPath(new URL('../bin/drover.mjs', import.meta.url));
const PERSON = { name: 'bench', password: 'quilt-harbor-ninety-violin' };

interface Answer {
  readonly text: string;
  readonly ms: number;
  readonly cookie: string | null;
}

/** A browser as far as a service sees one. */
class Visitor {
  readonly #url: string;
  #cookie = '';

  constructor(url: string) {
    this.#url = url;
  }

  async ask(path: string, fields?: Record<string, string>): Promise<Answer> {
    const began = performance.now();
    const response = await fetch(`${this.#url}${path}`, {
      redirect: 'manual',
      headers: { Cookie: this.#cookie, 'Sec-Fetch-Site': 'same-origin' },
      ...(fields ? { method: 'POST', body: new URLSearchParams(fields) } : {}),
    });
    const text = await response.text();
    const cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? null;
    if (cookie !== null) this.#cookie = cookie;
    return { text, ms: performance.now() - began, cookie };
  }

  /** What the first view of a page takes over the wire. */
  async weigh(path: string, accepts: string): Promise<Weight> {
    const load = (each: string): Promise<Buffer> =>
      onTheWire(`${this.#url}${each}`, { Cookie: this.#cookie, 'Accept-Encoding': accepts });
    const files = await Promise.all(neededBy((await this.ask(path)).text).map(load));
    const { length: page } = await load(path);
    const all = files.reduce((sum, { length }) => sum + length, page);
    return { page, all, requests: files.length + 1 };
  }
}

/** Bytes on the wire. */
interface Weight {
  readonly page: number;
  /** With all files that the page loads. */
  readonly all: number;
  readonly requests: number;
}

interface Measured {
  /** The very first, by a service that has just started; milliseconds. */
  readonly first: number;
  /** Sorted. */
  readonly views: readonly number[];
  readonly probes: readonly number[];
  /** Processor time of the service for a view; MariaDB's own is not in it. */
  readonly cpu: number;
  /** As it is. */
  readonly plain: Weight;
  /** As browsers request it. */
  readonly compressed: Weight;
}

async function measure(env: NodeJS.ProcessEnv, dir: string, servers: number): Promise<Measured> {
  const port = await freePort();
  const path = join(dir, `service-${servers}.log`);
  const log = await open(path, 'w');
  const child = spawn(process.execPath, [DROVER, 'serve'], {
    env: { ...process.env, ...env, SERVICE_HTTP_PORT: String(port), SERVICE_HOST: '127.0.0.1' },
    stdio: ['ignore', log.fd, log.fd],
  });
  const url = `http://127.0.0.1:${port}`;
  const isReady = (): Promise<boolean> =>
    fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  try {
    while (!(await isReady())) await sleep(50);
    const visitor = new Visitor(url);
    await signIn(visitor, path);
    await sleep(2_000);
    const first = await view(visitor, servers);
    for (let n = 0; n < 20; n += 1) await view(visitor, servers);
    const [views, probes]: [number[], number[]] = [[], []];
    const before = cpuOf(child.pid ?? 0);
    for (let n = 0; n < VIEWS; n += 1) views.push((await view(visitor, servers)).ms);
    const cpu = (cpuOf(child.pid ?? 0) - before) / VIEWS;
    for (let n = 0; n < VIEWS; n += 1) probes.push((await visitor.ask('/healthz')).ms);
    const sorted = (all: number[]): number[] => all.sort((one, other) => one - other);
    const [plain, compressed] = [
      await visitor.weigh('/', 'identity'),
      await visitor.weigh('/', 'gzip, deflate, br'),
    ];
    return { first: first.ms, views: sorted(views), probes: sorted(probes), cpu, plain, compressed };
  } finally {
    child.kill('SIGTERM');
    await once(child, 'exit');
    await log.close();
  }
}

/** By the link that the service prints at its first start; later by the account that was made then. */
async function signIn(visitor: Visitor, log: string): Promise<void> {
  const link = /\/welcome#(\S+)/.exec(await readFile(log, 'utf8'))?.[1];
  if (link !== undefined) await visitor.ask('/welcome/password', { link, ...PERSON });
  const { cookie } = await visitor.ask('/sign-in', PERSON);
  if (cookie === null) throw new Error('signing in failed');
}

async function view(visitor: Visitor, servers: number): Promise<Answer> {
  const answer = await visitor.ask('/');
  // The service takes the machine that it runs on into the fleet, too.
  if (!answer.text.includes(count(servers + 1, 'server'))) {
    throw new Error(`not what it should be: ${answer.text.slice(0, 500)}`);
  }
  return answer;
}

const kilobytes = (bytes: number): number => Math.round(bytes / 100) / 10;

async function rowsOf(name: string, url: string | null): Promise<Row[]> {
  const rows: Row[] = [];
  const dir = await mkdtemp(join(tmpdir(), 'drover-bench-'));
  const database = openDatabase({ url, dataDir: dir });
  await migrate(database, { owner: 'bench', log: new RecordingLogger() });
  for (const servers of SERVERS) {
    await seedServers(database, rows.length === 0 ? servers : servers + 1);
    // They refer to the first thousand servers.
    if (rows.length === 0) await seedJobs(database, JOBS);
    const env = { SERVICE_DATA_DIR: dir, ...(url === null ? {} : { SERVICE_DATABASE_URL: url }) };
    const { first, views, probes, cpu, plain, compressed } = await measure(env, dir, servers);
    const at = (all: readonly number[], share: number): number =>
      Math.round((all[Math.floor(share * (all.length - 1))] ?? 0) * 10) / 10;
    rows.push({
      database: name,
      servers,
      jobs: JOBS,
      'first ms': Math.round(first),
      'median ms': at(views, 0.5),
      'p99 ms': at(views, 0.99),
      'cpu ms': Math.round(cpu * 10) / 10,
      '/healthz median ms': at(probes, 0.5),
      'page KB': kilobytes(plain.page),
      'page and files KB': kilobytes(plain.all),
      'both compressed KB': kilobytes(compressed.all),
      requests: compressed.requests,
    });
    console.log(JSON.stringify(rows.at(-1)));
  }
  await database.close();
  await rm(dir, { recursive: true });
  return rows;
}

needs({ programs: ['mariadbd'] });
const sqlite = await rowsOf('SQLite', null);
const server = await startMariaDb();
try {
  const connection = await mysql.createConnection({ uri: server.origin });
  await connection.query('CREATE DATABASE bench_overview');
  await connection.end();
  const mariadb = await rowsOf('MariaDB', `${server.origin}/bench_overview`);
  report('overview', [...sqlite, ...mariadb], {
    views: VIEWS,
    'load of the machine at the end, on its cores': loadavg().map((load) => Math.round(load * 10) / 10),
  });
} finally {
  await server.stop();
}
