// 10,000 servers, two replicas, 200 agents that read and 20 that start jobs; then the same with one replica.
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentLoad } from '../test/support/agent-load.ts';
import { cpuOf } from './lib/cpu.ts';
import { needs } from './lib/needs.ts';
import { type Row, report } from './lib/report.ts';
import { inLoadFixture, type LoadFixture, PAUSE_MS, tellErrors } from './load/load-fixture.ts';
import { Replica } from './load/processes.ts';

const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 60);

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
await inLoadFixture(async (fixture) => {
  const rows: Row[] = [];
  const notes: Record<string, unknown> = {};
  for (const scenario of SCENARIOS) {
    const measured = await measure(scenario, fixture);
    rows.push(...measured.rows);
    notes[scenario.name] = measured.used;
  }
  report('load', rows, {
    ...notes,
    seconds: SECONDS,
    'load of the machine at the end, on its cores': loadavg().map((load) => Math.round(load * 10) / 10),
  });
  if (rows.some(({ errors = 0 }) => errors !== 0)) process.exitCode = 1;
});

async function measure(
  { name, replicas: count, pauseMs }: Scenario,
  { settings, mariadb, hosts, connect }: LoadFixture,
): Promise<{ readonly rows: readonly Row[]; readonly used: object }> {
  const replicas = await Promise.all(Array.from({ length: count }, () => Replica.start(settings)));
  try {
    const urls = replicas.map(({ url }) => url);
    const load = await connect(urls, pauseMs);
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
    tellErrors(load);
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
