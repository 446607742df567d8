import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mysql from 'mysql2/promise';
import { AgentLoad } from '../../test/support/agent-load.ts';
import { type LoadFleet, prepareLoadFleet } from '../../test/support/load-fleet.ts';
import { type MariaDbServer, startMariaDb } from '../../test/support/mariadb-server.ts';
import { seedJobs } from '../metrics/seed.ts';
import { startHosts } from './processes.ts';

const SERVERS = 10_000;
const JOBS = 100_000;
export const AGENTS = { readers: 200, starters: 20 };
const HOST_ANSWERS_AFTER_MS = 100;
/** Like real agents: now and then they read what they got. */
export const PAUSE_MS = 1_000;

/** A bench of agents without its replicas: a database with a fleet and a history, and hosts. */
export interface LoadFixture {
  /** Of each replica. */
  readonly settings: Readonly<Record<string, string>>;
  readonly mariadb: MariaDbServer;
  readonly hosts: Awaited<ReturnType<typeof startHosts>>;
  /** All agents, spread over the replicas. */
  readonly connect: (urls: readonly string[], pauseMs: number) => Promise<AgentLoad>;
}

/** Takes everything down again, however `use` ends. */
export async function inLoadFixture(use: (fixture: LoadFixture) => Promise<void>): Promise<void> {
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
    const fleet: LoadFleet = await prepareLoadFleet(settings, {
      servers: SERVERS,
      host: hosts.host,
      ...AGENTS,
      seed: (database) => seedJobs(database, JOBS),
    });
    const connect: LoadFixture['connect'] = (urls, pauseMs) =>
      AgentLoad.connect({ urls, ...fleet, servers: SERVERS, pauseMs });
    await use({ settings, mariadb, hosts, connect });
  } finally {
    await hosts.stop();
    await mariadb.stop();
    await rm(dataDir, { recursive: true });
  }
}

export function tellErrors({ errors, errorCount }: AgentLoad): void {
  if (errorCount > 0) console.error(`${errorCount} errors, such as:\n${errors.join('\n')}`);
}
