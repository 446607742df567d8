// 10,000 servers, two replicas, 200 agents that read and 20 that start jobs; then the same with one replica.
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import mysql from 'mysql2/promise';
import { AgentLoad } from '../test/support/agent-load.ts';
import { type LoadFleet, prepareLoadFleet } from '../test/support/load-fleet.ts';
import { startMariaDb } from '../test/support/mariadb-server.ts';
import { cpuOf } from './lib/cpu.ts';
import { needs } from './lib/needs.ts';
import { type Row, report } from './lib/report.ts';
import { Replica, startHosts } from './load/processes.ts';
import { seedJobs } from './metrics/seed.ts';

const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 60);
const SERVERS = 10_000;
const JOBS = 100_000;
const AGENTS = { readers: 200, starters: 20 };
const HOST_ANSWERS_AFTER_MS = 100;
/** Like agents at work: now and then they read what they got. */
const PAUSE_MS = 1_000;

interface Scenario {
  readonly name: string;
  readonly replicas: number;
  readonly pauseMs: number;
}

const SCENARIOS: readonly Scenario[] = [
  { name: '2 replicas, a call a second', replicas: 2, pauseMs: PAUSE_MS },
  { name: '2 replicas, without pause', replicas: 2, pauseMs: 0 },
  { name: '1 replica, without pause', replicas: 1, pauseMs: 0 },
];

needs({ programs: ['mariadbd'] });
const mariadb = await startMariaDb();
const dataDir = await mkdtemp(join(tmpdir(), 'drover-bench-'));
const hosts = await startHosts(HOST_ANSWERS_AFTER_MS);
try {
  const connection = await mysql.createConnection({ uri: mariadb.origin });
  await connection.query('CREATE DATABASE bench');
  await connection.end();
  const settings = {
    SERVICE_DATA_DIR: dataDir,
    SERVICE_DATABASE_URL: `${mariadb.origin}/bench`,
    SERVICE_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  };
  const fleet = await prepareLoadFleet(settings, {
    servers: SERVERS,
    host: hosts.host,
    ...AGENTS,
    seed: (database) => seedJobs(database, JOBS),
  });
  const rows: Row[] = [];
  const notes: Record<string, unknown> = {};
  for (const scenario of SCENARIOS) {
    const measured = await measure(scenario, settings, fleet);
    rows.push(...measured.rows);
    notes[scenario.name] = measured.used;
  }
  report('load', rows, {
    ...notes,
    seconds: SECONDS,
    'load of the machine at the end, on its cores': loadavg().map((load) => Math.round(load * 10) / 10),
  });
  if (rows.some(({ errors = 0 }) => errors !== 0)) process.exitCode = 1;
} finally {
  await hosts.stop();
  await mariadb.stop();
  await rm(dataDir, { recursive: true });
}

async function measure(
  { name, replicas: count, pauseMs }: Scenario,
  settings: Readonly<Record<string, string>>,
  fleet: LoadFleet,
): Promise<{ readonly rows: readonly Row[]; readonly used: object }> {
  const replicas = await Promise.all(Array.from({ length: count }, () => Replica.start(settings)));
  try {
    const urls = replicas.map(({ url }) => url);
    const load = await AgentLoad.connect({ urls, ...fleet, servers: SERVERS, pauseMs });
    const cpu = (): number[] => [
      replicas.reduce((sum, replica) => sum + replica.cpu(), 0),
      cpuOf(mariadb.pid),
      hosts.cpu(),
      process.cpuUsage().user / 1_000 + process.cpuUsage().system / 1_000,
    ];
    const memory: number[][] = [];
    const look = (): void => void memory.push(replicas.map((replica) => replica.memory()));
    look();
    const before = cpu();
    const over = load.run(SECONDS * 1_000);
    for (let quarter = 0; quarter < 4; quarter += 1) {
      await sleep(SECONDS * 250);
      look();
    }
    await over;
    const used = cpu().map((now, index) => (now - (before[index] ?? 0)) / 1_000);
    await load.close();
    if (load.errorCount > 0) console.error(`${load.errorCount} errors, such as:\n${load.errors.join('\n')}`);
    return summarise(name, load, used, memory);
  } finally {
    await Promise.all(replicas.map((replica) => replica.stop()));
  }
}

function summarise(name: string, load: AgentLoad, used: readonly number[], memory: readonly number[][]) {
  const all = [...load.times.values()].flat();
  const rowOf = (tool: string, times: readonly number[], errors: Partial<Row> = {}): Row => {
    const sorted = times.toSorted((a, b) => a - b);
    const at = (share: number): number =>
      Math.round((sorted[Math.floor(share * (sorted.length - 1))] ?? 0) * 10) / 10;
    return {
      scenario: name,
      tool,
      'calls/s': Math.round((times.length / SECONDS) * 10) / 10,
      'median ms': at(0.5),
      'p99 ms': at(0.99),
      'longest ms': at(1),
      ...(errors as Row),
    };
  };
  const jobs = Object.values(load.jobs).reduce((sum, count) => sum + count, 0);
  const [replicas = 0, database = 0, hostsUsed = 0, agents = 0] = used;
  const round = (value: number): number => Math.round(value * 100) / 100;
  return {
    rows: [
      rowOf('all', all, { errors: load.errorCount }),
      ...[...load.times]
        .toSorted(([a], [b]) => a.localeCompare(b))
        .map(([tool, times]) => rowOf(tool, times)),
    ],
    used: {
      'jobs taken to their end': jobs,
      /** MiB of each replica at the start and after each quarter. */
      memory,
      'processor s of replicas': round(replicas),
      'of MariaDB': round(database),
      'of agents': round(agents),
      'of hosts': round(hostsUsed),
      'ms of replicas a call, jobs among them': round((replicas * 1_000) / all.length),
      'ms of MariaDB a call': round((database * 1_000) / all.length),
    },
  };
}
