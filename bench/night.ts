// A nightly schedule of update checks and backups over 10,000 servers: the service as it is, with hosts that only take time.
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import mysql from 'mysql2/promise';
import type { Batch } from '../src/domain/automation/batch.ts';
import { startMariaDb } from '../test/support/mariadb-server.ts';
import { Night } from '../test/support/night.ts';
import type { Latency } from '../test/support/simulated-hosts.ts';
import { cpuOf } from './lib/cpu.ts';
import { needs } from './lib/needs.ts';
import { type Row, report } from './lib/report.ts';
import { hostsAlone } from './night/hosts-alone.ts';
import { ALONE_ONCE, FLEET, latencies, UNCHANGED_BACKUP } from './night/latencies.ts';
import { meterQueries } from './night/query-meter.ts';

const SERVERS = Number(process.env['BENCH_SERVERS'] ?? 10_000);
const CONCURRENCY = 100;
const MIB = 2 ** 20;

needs({ programs: ['mariadbd'] });
const isRoot = process.getuid?.() === 0;
const alone = isRoot ? await hostsAlone() : ALONE_ONCE;
const latencyOf = latencies(alone);
const mariadb = await startMariaDb();
try {
  const connection = await mysql.createConnection({ uri: mariadb.origin });
  await connection.query('CREATE DATABASE night');
  await connection.end();
  report(
    'night',
    [
      await night('SQLite', null, () => 0),
      await night('MariaDB', `${mariadb.origin}/night`, () => cpuOf(mariadb.pid)),
    ],
    {
      [isRoot ? 'a host alone, ms, measured before' : 'a host alone, ms, measured once']: alone,
      'an unchanged backup, ms': UNCHANGED_BACKUP,
      'the fleet, as it was drawn': FLEET,
      'load of the machine at the end, on its cores': loadavg().map((load) => Math.round(load * 10) / 10),
    },
  );
} finally {
  await mariadb.stop();
}

async function night(database: string, url: string | null, databaseCpu: () => number): Promise<Row> {
  const dataDir = await mkdtemp(join(tmpdir(), 'drover-bench-'));
  const service = await Night.prepare({
    url,
    dataDir,
    servers: SERVERS,
    concurrency: CONCURRENCY,
    latencyOf,
  });
  let peak = 0;
  const look = (): void => {
    peak = Math.max(peak, process.memoryUsage.rss());
  };
  const looking = setInterval(look, 500);
  try {
    const asked = meterQueries(service.database);
    const before = { cpu: process.cpuUsage(), database: databaseCpu(), at: performance.now() };
    const batches = await service.run();
    const wall = performance.now() - before.at;
    const { user, system } = process.cpuUsage(before.cpu);
    const { statements, busyMs } = asked();
    const jobs = batches.reduce((sum, { counts }) => sum + counts.success + counts.failed, 0);
    const ideal = service.hosts.waitedMs / CONCURRENCY;
    check(service, batches);
    const row: Row = {
      database,
      servers: SERVERS,
      jobs,
      'at once': CONCURRENCY,
      'hosts took, s': seconds(service.hosts.waitedMs),
      'so at best, s': seconds(ideal),
      'took, s': seconds(wall),
      'of the best': round(wall / ideal, 100),
      'service cpu s': seconds((user + system) / 1_000),
      'ms a job': round((user + system) / 1_000 / jobs, 100),
      'database cpu s': url === null ? 'in the service' : seconds(databaseCpu() - before.database),
      'database busy, of the time': round(busyMs / wall, 100),
      'statements a job': round(statements / jobs, 10),
      'peak MiB': Math.round(peak / MIB),
    };
    console.log(JSON.stringify(row));
    return row;
  } finally {
    clearInterval(looking);
    await service.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Each server's jobs are there once, and every host that lives has been asked once. */
function check({ hosts, complaints }: Night, batches: readonly Batch[]): void {
  const dead = (latency: Latency): boolean => latency.isDead;
  const alive = Array.from({ length: SERVERS }, (_, index) => index + 1).filter((id) => !dead(latencyOf(id)));
  const twice = [...hosts.refreshed, ...hosts.backedUp].filter(([, times]) => times !== 1);
  const checks = batches.find(({ jobType }) => jobType === 'os_update_check');
  if (twice.length > 0 || hosts.refreshed.size !== alive.length || checks?.counts.success !== alive.length) {
    throw new Error(`not each server once: ${JSON.stringify(batches.map(({ counts }) => counts))}`);
  }
  if (complaints.length > 0) throw new Error(`the service complained: ${complaints.join('')}`);
}

function round(value: number, parts: number): number {
  return Math.round(value * parts) / parts;
}

function seconds(ms: number): number {
  return round(ms / 1_000, 10);
}
