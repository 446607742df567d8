import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Logger } from '../../application/ports/logger.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Database } from './database.ts';
import { MIGRATIONS, type Migration } from './migrations/index.ts';
import { makeLeaseTable, SqlLeaseStore } from './sql-lease-store.ts';

const LEASE = 'migrations';
const LEASE_MS = 30_000;
const HEARTBEAT_MS = 10_000;
const ASK_AGAIN_MS = 250;

export interface MigrateOptions {
  /** Names this process in the lease. */
  readonly owner: string;
  readonly log: Logger;
  readonly migrations?: readonly Migration[];
  /** How long a replica that died while it migrated keeps the others waiting, in milliseconds. */
  readonly leaseMs?: number;
  /** Gives up waiting for another replica after this. Default ten minutes. */
  readonly waitMs?: number;
}

/**
 * Brings the schema up to date. One replica does it, under a lease by the database's clock that it renews; the others
 * wait, and take over when the lease of one that died runs out. knex's own lock has no end: a process that dies with it
 * would keep all others out for ever, so it is freed under the lease. Throws `not_ready` where the wait is too long.
 */
export async function migrate(database: Database, options: MigrateOptions): Promise<void> {
  const migrations = options.migrations ?? MIGRATIONS;
  const leaseMs = options.leaseMs ?? LEASE_MS;
  await makeLeaseTable(database);
  const leases = new SqlLeaseStore(database);
  await waitForLease(leases, options, leaseMs);
  const heartbeat = setInterval(
    () => {
      leases.hold(LEASE, options.owner, leaseMs).catch((error: unknown) => {
        options.log.warn('the migration lease could not be renewed', { error: String(error) });
      });
    },
    Math.min(HEARTBEAT_MS, leaseMs / 3),
  );
  try {
    await run(database, migrations, options.log);
  } finally {
    clearInterval(heartbeat);
    await leases.release(LEASE, options.owner);
  }
}

async function waitForLease(leases: SqlLeaseStore, options: MigrateOptions, leaseMs: number): Promise<void> {
  const deadline = Date.now() + (options.waitMs ?? 600_000);
  for (let told = false; !(await leases.hold(LEASE, options.owner, leaseMs)); ) {
    if (!told) options.log.info('waiting for another replica that prepares the database');
    told = true;
    if (Date.now() > deadline) {
      throw new DomainError(
        'not_ready',
        'Another replica has been preparing the database for too long; look at its log.',
      );
    }
    await sleep(ASK_AGAIN_MS);
  }
}

async function run(database: Database, migrations: readonly Migration[], log: Logger): Promise<void> {
  const config: Knex.MigratorConfig = {
    tableName: 'schema_migrations',
    disableTransactions: true,
    // A replica of a later version may have added to the schema; that is told below, and no fault.
    disableMigrationsListValidation: true,
    migrationSource: {
      getMigrations: async () => [...migrations],
      getMigrationName: (migration: Migration) => migration.name,
      getMigration: async (migration: Migration) => ({ up: migration.up, down: refuseDown }),
    } satisfies Knex.MigrationSource<Migration>,
  };
  await database.knex.migrate.forceFreeMigrationsLock(config);
  const [, done] = (await database.knex.migrate.latest(config)) as [number, string[]];
  if (done.length > 0) log.info('the database was brought up to date', { migrations: done });
  const recorded = await database.knex('schema_migrations').select<{ name: string }[]>('name');
  const unknown = recorded.filter(({ name }) => !migrations.some((migration) => migration.name === name));
  if (unknown.length > 0) {
    log.warn(
      'the database was prepared by a later version of this service; it only adds, so this one goes on',
      {
        migrations: unknown.map(({ name }) => name),
      },
    );
  }
}

async function refuseDown(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}
