import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, openDatabase } from '../../src/adapters/sql/database.ts';
import { migrate } from '../../src/adapters/sql/migrate.ts';
import { SqlJobQueue } from '../../src/adapters/sql/sql-job-queue.ts';
import { SqlJobStore } from '../../src/adapters/sql/sql-job-store.ts';
import type { LogLimits } from '../../src/domain/job-log.ts';
import { RecordingLogger } from '../fakes/recording-logger.ts';
import { AT, type JobSubject, type MakeJobSubject } from './job-subject.ts';
import { freshMariaDb } from './mariadb.ts';

/** Where a database of a test lives; another process can open it too. */
export interface DatabaseAddress {
  readonly url: string | null;
  readonly dataDir: string;
}

export interface TestDatabase {
  readonly address: DatabaseAddress;
  readonly database: Database;
  close(): Promise<void>;
}

export async function sqliteForTest(): Promise<TestDatabase> {
  const dataDir = await mkdtemp(join(tmpdir(), 'drover-jobs-'));
  return ready({ url: null, dataDir }, () => rm(dataDir, { recursive: true, force: true }));
}

export async function mariaDbForTest(): Promise<TestDatabase> {
  const { url, drop } = await freshMariaDb();
  return ready({ url, dataDir: '' }, drop);
}

async function ready(address: DatabaseAddress, remove: () => Promise<void>): Promise<TestDatabase> {
  const database = openDatabase(address);
  await migrate(database, { owner: 'test', log: new RecordingLogger() });
  const close = async (): Promise<void> => {
    await database.close();
    await remove();
  };
  return { address, database, close };
}

/** The job ports on a database that is theirs alone. */
export const sqlJobs =
  (open: () => Promise<TestDatabase>): MakeJobSubject =>
  async ({ logLimits }) => {
    const opened = await open();
    return { ...jobsOn(opened.database, logLimits), close: () => opened.close() };
  };

export function jobsOn(database: Database, logLimits?: LogLimits): JobSubject {
  const { knex } = database;
  return {
    store: new SqlJobStore(database),
    queue: new SqlJobQueue(database, logLimits),
    addServer: (name) => addServer(database, name),
    removeServer: async (id) => {
      await knex('servers').where({ id }).update({ removed_at: AT, name_key: null });
    },
    factsOf: async (id) => {
      const row = await knex('servers').where({ id }).first<Record<string, number | null>>();
      const reboot = row['reboot_pending'] ?? null;
      return {
        lastBackupAt: row['last_backup_at'] ?? null,
        osUpdatesCount: row['os_updates_count'] ?? null,
        rebootPending: reboot === null ? null : reboot === 1,
      };
    },
    trail: async () => {
      const audit = await knex('audit_entries').orderBy('id').select<{ action: string; object: string }[]>();
      const events = await knex('outbox_events').orderBy('id').select<{ type: string; job_id: number }[]>();
      return {
        audit: audit.map(({ action, object }) => `${action} ${object}`),
        events: events.map((event) => `${event.type} ${event.job_id}`),
      };
    },
    // Leases run by the database's clock, which no test can move: so they end earlier instead.
    passTime: async (ms) => {
      await knex('jobs').whereNotNull('lease_until').decrement('lease_until', ms);
    },
    close: async () => {},
  };
}

export async function addServer(database: Database, name: string): Promise<number> {
  const [id] = await database.knex('servers').insert({
    name,
    name_key: name,
    connection: 'local',
    hostname: 'localhost',
    ssh_port: 22,
    ssh_username: 'root',
    become: 'none',
    tags: '[]',
    search_text: name,
    feature_backup: 1,
    feature_os_patch: 1,
    feature_docker: 1,
    created_at: AT,
    updated_at: AT,
  });
  return Number(id);
}
