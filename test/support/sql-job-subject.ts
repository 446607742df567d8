import type { Database } from '../../src/adapters/outbound/storage/sql/database.ts';
import { SqlJobQueue } from '../../src/adapters/outbound/storage/sql/stores/sql-job-queue.ts';
import { SqlJobStore } from '../../src/adapters/outbound/storage/sql/stores/sql-job-store.ts';
import { SqlServerStore } from '../../src/adapters/outbound/storage/sql/stores/sql-server-store.ts';
import { UNKNOWN_FACTS } from '../../src/domain/fleet/server.ts';
import type { LogLimits } from '../../src/domain/jobs/job-log.ts';
import type { MakeDatabase } from './databases.ts';
import type { JobSubject, MakeJobSubject } from './job-subject.ts';
import { AT, newServer, noRecord } from './stores-subject.ts';

/** The job ports on a database that is theirs alone. */
export const sqlJobs =
  (makeDatabase: MakeDatabase): MakeJobSubject =>
  async ({ logLimits }) => {
    const { database, drop } = await makeDatabase();
    return { ...jobsOn(database, logLimits), close: drop };
  };

export function jobsOn(database: Database, logLimits?: LogLimits): JobSubject {
  const { knex } = database;
  const servers = new SqlServerStore(database);
  return {
    store: new SqlJobStore(database),
    queue: new SqlJobQueue(database, logLimits),
    addServer: async (name) => (await servers.add(newServer(name), AT, noRecord)).id,
    // Even one that still has jobs, which the store would refuse.
    removeServer: async (id) => {
      await knex('servers').where({ id }).update({ removed_at: AT, name_key: null });
    },
    factsOf: async (id) => (await servers.find(id))?.facts ?? UNKNOWN_FACTS,
    record: async () => {
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
