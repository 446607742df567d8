import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Logger } from '../../../../application/ports/base/logger.ts';
import { DomainError } from '../../../../domain/base/errors.ts';
import { type Database, RECORD } from './database.ts';
import type { Migration } from './migrations/index.ts';
import { MIGRATION_NAMES } from './migrations/names.ts';
import { makeLeaseTable, SqlLeaseStore } from './stores/sql-lease-store.ts';

const LEASE = 'migrations';
const LEASE_MS = 30_000;
const HEARTBEAT_MS = 10_000;
const ASK_AGAIN_MS = 250;
const MAX_WAIT_MS = 600_000;

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
 * wait, and take over when the lease of a dead one expires. knex's own lock never expires: a process that dies with
 * it would block all others forever, so it is freed under the lease. Returns whether it created the schema. Throws
 * `not_ready` if the wait is too long.
 */
export async function migrate(database: Database, options: MigrateOptions): Promise<boolean> {
  const names = options.migrations?.map(({ name }) => name) ?? MIGRATION_NAMES;
  let created = false;
  if ((await pendingMigrations(database, names)).length > 0) {
    const migrations = options.migrations ?? (await import('./migrations/index.ts')).MIGRATIONS;
    created = await underLease(database, options, () => run(database, migrations, options.log));
  }
  await tellOfLaterOnes(database, names, options.log);
  return created;
}

async function underLease<T>(
  database: Database,
  { owner, log, leaseMs = LEASE_MS, waitMs = MAX_WAIT_MS }: MigrateOptions,
  work: () => Promise<T>,
): Promise<T> {
  await makeLeaseTable(database);
  const leases = new SqlLeaseStore(database);
  const hold = (): Promise<boolean> => leases.hold(LEASE, owner, leaseMs);
  await waitFor(hold, waitMs, log);
  const warn = (error: unknown): void => {
    log.warn('the lease for preparing the database could not be renewed or given up', { error });
  };
  const heartbeat = setInterval(() => void hold().catch(warn), Math.min(HEARTBEAT_MS, leaseMs / 3));
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    await leases.release(LEASE, owner).catch(warn);
  }
}

async function waitFor(hold: () => Promise<boolean>, waitMs: number, log: Logger): Promise<void> {
  const deadline = Date.now() + waitMs;
  for (let isLogged = false; !(await hold()); isLogged = true) {
    if (!isLogged) log.info('waiting for another replica that prepares the database');
    if (Date.now() > deadline) {
      throw new DomainError(
        'not_ready',
        'Another replica has been preparing the database for too long. Check its log.',
      );
    }
    await sleep(ASK_AGAIN_MS);
  }
}

async function run(database: Database, migrations: readonly Migration[], log: Logger): Promise<boolean> {
  const config: Knex.MigratorConfig = {
    tableName: RECORD,
    disableTransactions: true,
    // A replica of a later version may have extended the schema; that is logged, and no fault.
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
  return done.length === migrations.length;
}

async function tellOfLaterOnes(database: Database, known: readonly string[], log: Logger): Promise<void> {
  const later = (await doneMigrations(database)).filter((name) => !known.includes(name));
  if (later.length === 0) return;
  log.warn(
    'the database was prepared by a later version of this service; migrations only add, so this version continues',
    {
      migrations: later,
    },
  );
}

async function refuseDown(): Promise<void> {
  throw new Error('Migrations only go forward: restore a backup to go back.');
}

/** The names of the migrations that were run to their end, also those that this version does not know. Changes nothing. */
export async function doneMigrations(database: Database): Promise<readonly string[]> {
  if (!(await database.knex.schema.hasTable(RECORD))) return [];
  const done = await database.knex(RECORD).select<{ name: string }[]>('name');
  return done.map(({ name }) => name);
}

/** The migrations that this version knows and the database has not seen, in order. Changes nothing. */
export async function pendingMigrations(
  database: Database,
  names: readonly string[] = MIGRATION_NAMES,
): Promise<readonly string[]> {
  const done = await doneMigrations(database);
  return names.filter((name) => !done.includes(name));
}
