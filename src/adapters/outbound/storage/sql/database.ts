import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import knex, { type Knex } from 'knex';
import type { DataVersion } from '../../../../application/ports/base/data-version.ts';
import type { Logger } from '../../../../application/ports/base/logger.ts';
import { MySqlClient, Nodes } from './mysql/mysql-client.ts';
import { mysqlOptions } from './mysql/mysql-url.ts';
import { databaseUnavailable, isMissingTable, isRetriable } from './sql-errors.ts';
import type { PooledConnection } from './sqlite/driver.ts';
import { SqliteClient } from './sqlite/sqlite-client.ts';
import { SqliteReader } from './sqlite/sqlite-reader.ts';
import { SqliteTransactions } from './sqlite/sqlite-transactions.ts';
import { SqliteVersion } from './sqlite/sqlite-version.ts';
import { insideTransaction, refuseInsideTransaction } from './transaction-guard.ts';

/** Rows of all entries together: some 40 MB, with what is rendered of them. */
const MAX_ROWS = 10_000;

/** What was read from the database, until the next commit, which changes the version: nothing here is ever out of date. */
export class UnchangedReads {
  readonly #entries = new Map<string, { readonly value: unknown; readonly rows: number }>();
  #version: unknown;
  #rows = 0;

  /** `version`: as of now. The value is shared with later callers, who must not change it. */
  async get<T>(
    version: number,
    key: string,
    read: () => Promise<T>,
    rowsIn: (value: T) => number,
  ): Promise<T> {
    if (version !== this.#version) this.#clear(version);
    const known = this.#entries.get(key);
    if (known) return known.value as T;
    const value = await read();
    const rows = 1 + rowsIn(value);
    // Another call may have met a change in the meantime: what was read before it may be out of date.
    if (version !== this.#version || rows > MAX_ROWS || this.#entries.has(key)) return value;
    if (this.#rows + rows > MAX_ROWS) this.#clear(version);
    this.#entries.set(key, { value, rows });
    this.#rows += rows;
    return value;
  }

  #clear(version: number): void {
    this.#entries.clear();
    this.#rows = 0;
    this.#version = version;
  }
}

/** The table in which it is recorded which migrations are done. */
export const RECORD = 'schema_migrations';

export interface DatabaseOptions {
  /** `mysql://…`, or `null` for SQLite in the data directory. */
  readonly url: string | null;
  readonly dataDir: string;
  /** Connections to MySQL at most; SQLite has one. */
  readonly poolSize?: number;
  readonly log?: Logger;
}

/** The SQLite database's file in the data directory. SQLite keeps `-wal` and `-shm` beside it. */
export const SQLITE_FILE = 'drover.sqlite';

const ACQUIRE_MS = 15_000;
const ATTEMPTS = 6;
/** Waiting for another's lock alone takes up to ten seconds. */
const MAX_RETRYING_MS = 20_000;

/** Opens the database; nothing is read or made in it yet (see `migrate`). Throws `invalid_input` for a bad address. */
export function openDatabase(options: DatabaseOptions): Database {
  const common = {
    acquireConnectionTimeout: ACQUIRE_MS,
    // An error's text must not carry the values: they may be secrets.
    compileSqlOnError: false,
    log: knexLog(options.log),
  };
  if (options.url !== null) {
    const { hosts, ...connection } = mysqlOptions(options.url);
    const pool = { min: 0, max: options.poolSize ?? 10, idleTimeoutMillis: 60_000 };
    const config = { ...common, client: MySqlClient, connection, pool, nodes: new Nodes(hosts) };
    return new Database('mysql', null, knex(config));
  }
  const filename = prepareFile(options.dataDir);
  const pool = { min: 1, max: 1 };
  return new Database(
    'sqlite',
    filename,
    knex({ ...common, client: SqliteClient, connection: { filename }, pool, useNullAsDefault: true }),
  );
}

/** Only the service's own user may read the database; SQLite gives `-wal` and `-shm` the mode of the file. */
function prepareFile(dataDir: string): string {
  const path = join(dataDir, SQLITE_FILE);
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    closeSync(openSync(path, 'a', 0o600));
    for (const file of [path, `${path}-wal`, `${path}-shm`]) if (existsSync(file)) chmodSync(file, 0o600);
  } catch (error) {
    throw databaseUnavailable(
      `the file ${path} cannot be written; give its directory to the service's user.`,
      error,
    );
  }
  return path;
}

/** The database that all stores share. */
export class Database implements DataVersion {
  readonly kind: 'sqlite' | 'mysql';
  /** SQLite's file; `null` on MySQL. */
  readonly file: string | null;
  readonly knex: Knex;
  readonly #reader: SqliteReader | null;
  readonly #transactions: SqliteTransactions | null;
  readonly #unchanged = new UnchangedReads();
  readonly #version = new SqliteVersion();

  constructor(kind: 'sqlite' | 'mysql', file: string | null, connection: Knex) {
    this.kind = kind;
    this.file = file;
    this.knex = connection;
    this.#reader = file === null ? null : new SqliteReader(file);
    this.#transactions = kind === 'sqlite' ? new SqliteTransactions(connection.client) : null;
  }

  /**
   * The rows of a read-only query, by the shortest path. Like any other query it must not run inside a transaction.
   */
  async rows<Row>(sql: string, bindings: readonly (string | number)[]): Promise<readonly Row[]> {
    if (!this.#reader) return (await this.knex.raw(sql, bindings))[0];
    refuseInsideTransaction(this.knex.client);
    this.knex.client.emit('query', { sql, bindings });
    return (await this.#reader.rows(sql, bindings)) as Row[];
  }

  /** The same of a query that is not always the same. */
  async rowsOf<Row>(query: Knex.QueryBuilder): Promise<readonly Row[]> {
    const { sql, bindings } = query.toSQL().toNative();
    return this.rows(sql, bindings as (string | number)[]);
  }

  /**
   * The same value as last time if nothing was committed to the database since: SQLite has a version that says so, for
   * changes of other processes, too. MySQL has none, and is read each time. `key`: what `read` depends on. The value
   * is shared, and must not be changed.
   */
  async unchanged<T>(key: string, read: () => Promise<T>, rowsIn: (value: T) => number): Promise<T> {
    const opened = this.#writer;
    // Before the first query nothing is kept.
    if (opened === null) return read();
    refuseInsideTransaction(this.knex.client);
    const asked = this.#version.of(opened);
    return this.#unchanged.get(typeof asked === 'number' ? asked : await asked, key, read, rowsIn);
  }

  version(): number | null | Promise<number> {
    const opened = this.#writer;
    if (opened === null) return null;
    refuseInsideTransaction(this.knex.client);
    return this.#version.ofTurn(opened);
  }

  /**
   * Runs a transaction, again if the database rolled it back in favor of another (so `body` may run several times,
   * and must only query through `trx`). A broken connection, even during COMMIT, is never retried: the change may or
   * may not be stored. Throws `database_unavailable` then.
   */
  async transaction<T>(body: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
    return this.#again(() =>
      this.#transactions
        ? this.#transactions.run(body)
        : this.knex.transaction((trx) => insideTransaction(this.knex.client, () => body(trx))),
    );
  }

  /**
   * Runs a statement that is its own transaction, again if the database rolled it back in favor of another: InnoDB
   * may have a deadlock in a single UPDATE, too. With several statements each must be repeatable after the others.
   */
  async write<T>(body: (knex: Knex) => Promise<T>): Promise<T> {
    return this.#again(() => body(this.knex));
  }

  async #again<T>(work: () => Promise<T>): Promise<T> {
    const deadline = Date.now() + MAX_RETRYING_MS;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work();
      } catch (error) {
        if (!isRetriable(error)) throw error;
        if (attempt === ATTEMPTS || Date.now() > deadline) {
          throw databaseUnavailable('others kept changing the same data; try again.', error);
        }
        await sleep(Math.random() * 10 * 2 ** attempt);
      }
    }
  }

  /** The database's own time in epoch milliseconds, as part of a query: leases must not depend on the replicas' clocks. */
  nowMs(): Knex.Raw {
    return this.knex.raw(this.#now);
  }

  /** The database's current time, plus this many milliseconds (may be negative). */
  nowPlus(ms: number): Knex.Raw {
    return this.knex.raw(`(${this.#now} + ?)`, [ms]);
  }

  /** Throws `database_unavailable` if the database does not answer in time. */
  async ping(timeoutMs: number): Promise<void> {
    const timer = new AbortController();
    const tooLate = sleep(timeoutMs, undefined, { signal: timer.signal }).then(() => {
      throw databaseUnavailable(`no answer within ${timeoutMs} ms.`);
    });
    // From a table: a node that was cut off from its cluster can still select 1. Before the first start there is no
    // table.
    const ask = this.knex.raw(
      this.kind === 'sqlite' ? 'PRAGMA schema_version' : `SELECT 1 FROM ${RECORD} LIMIT 1`,
    );
    // A query runs once for each `then`: this makes it a plain promise.
    const answer = ask.then(
      () => {},
      (error: unknown) => {
        if (!isMissingTable(error)) throw error;
      },
    );
    try {
      await Promise.race([answer, tooLate]);
    } finally {
      timer.abort();
      for (const loser of [answer, tooLate]) loser.catch(() => {});
    }
  }

  /** The connections of this process, and how many queries wait for one. */
  pool(): { readonly used: number; readonly free: number; readonly waiting: number } {
    const { pool } = this.knex.client;
    // Gone once the database is closed.
    if (!pool) return { used: 0, free: 0, waiting: 0 };
    return { used: pool.numUsed(), free: pool.numFree(), waiting: pool.numPendingAcquires() };
  }

  /** Waits for running queries and closes all connections. Safe to call more than once. */
  async close(): Promise<void> {
    this.#reader?.close();
    await this.knex.destroy();
  }

  get #writer(): PooledConnection | null {
    return this.kind === 'mysql' ? null : (this.knex.client as SqliteClient).opened;
  }

  get #now(): string {
    return this.kind === 'sqlite'
      ? "CAST(ROUND(unixepoch('subsec') * 1000) AS INTEGER)"
      : 'CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)';
  }
}

function knexLog(log: Logger | undefined): Knex.Logger {
  const say = (message: unknown): void => log?.warn('database', { detail: String(message).slice(0, 500) });
  return { warn: say, error: say, deprecate: say, debug: () => {} };
}

/** A store with its tables in the database. */
export abstract class SqlStore {
  protected readonly database: Database;

  constructor(database: Database) {
    this.database = database;
  }
}
