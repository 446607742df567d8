import type { Knex } from 'knex';
import BetterSqlite3Client from 'knex/lib/dialects/better-sqlite3/index.js';
import SqliteTransaction from 'knex/lib/dialects/sqlite3/execution/sqlite-transaction.js';
import Runner from 'knex/lib/execution/runner.js';
import { databaseUnavailable, translateFailure } from '../sql-errors.ts';
import { refuseInsideTransaction } from '../transaction-guard.ts';
import {
  noteChange,
  noteTransaction,
  openSqlite,
  type PooledConnection,
  type Query,
  StatementCache,
} from './driver.ts';
import { BLOCKING_WAIT_MS, whileBusy } from './while-busy.ts';

const READS = /^\s*(?:select|pragma)\b/i;
const TRANSACTION = /^(?:BEGIN|COMMIT|ROLLBACK;?$)/;
const WRITES = /^\s*(insert|update|delete|replace)\b(?![\s\S]*\breturning\b)/i;

/** knex's SQLite dialect over the SQLite that comes with Node. knex clones clients, so nothing here is `#private`. */
export class SqliteClient extends BetterSqlite3Client {
  /** The pool's one connection, once it was needed. */
  opened: PooledConnection | null = null;

  _driver(): object {
    return {};
  }

  override async acquireRawConnection(): Promise<PooledConnection> {
    const { filename } = this.connectionSettings as { filename: string };
    const connection = Object.assign(openSqlite(filename, { timeout: BLOCKING_WAIT_MS }), {
      inTransaction: false,
    });
    const mode = await whileBusy(() => connection.prepare('PRAGMA journal_mode = WAL').all());
    if ((mode[0] as { journal_mode?: string } | undefined)?.journal_mode !== 'wal') {
      connection.close();
      throw databaseUnavailable(
        'its directory cannot hold a shared write-ahead log; use a local file system.',
      );
    }
    connection.exec('PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;');
    const none = { hasChanges: false, changes: 0 };
    this.opened = Object.assign(connection, { statements: new StatementCache(connection), ...none });
    return this.opened;
  }

  override async destroyRawConnection(connection: PooledConnection): Promise<void> {
    if (this.opened === connection) this.opened = null;
    connection.close();
  }

  override async acquireConnection(): Promise<unknown> {
    refuseInsideTransaction(this);
    try {
      return await super.acquireConnection();
    } catch (error) {
      throw translateFailure(error);
    }
  }

  override releaseConnection(connection: PooledConnection): Promise<void> {
    // A COMMIT that failed, on a full disk for instance, can leave its transaction open.
    if (connection.inTransaction) rollBack(connection);
    return super.releaseConnection(connection);
  }

  override transaction(container: unknown, config: unknown, outerTransaction: unknown): Knex.Transaction {
    return new ImmediateTransaction(this, container, config, outerTransaction) as unknown as Knex.Transaction;
  }

  override query(connection: PooledConnection, query: object): Promise<unknown> {
    return (super.query(connection, query) as Promise<unknown>).catch((error: unknown) => {
      throw translateFailure(error);
    });
  }

  override runner(builder: object): SqliteRunner {
    return new SqliteRunner(this, builder);
  }

  /** Runs one query and leaves its answer in it. Listeners hear of it, and errors have the statement, as by knex's own way. */
  async answer(connection: PooledConnection, query: Query): Promise<void> {
    this.emit('query', query);
    try {
      await this._query(connection, query);
    } catch (error) {
      if (error instanceof Error) error.message = `${query.sql} - ${error.message}`;
      throw translateFailure(error);
    }
  }

  async _query(connection: PooledConnection, query: Query): Promise<Query> {
    const statement = connection.statements.get(query.sql);
    const bindings = (query.bindings ?? []).map(toBindable);
    if (WRITES.test(query.sql)) {
      const done = await whileBusy(() => statement.run(...bindings), connection);
      query.context = { lastID: done.lastInsertRowid, changes: done.changes };
      query.response = query.context;
      if (done.changes > 0) noteChange(connection, query.sql);
    } else {
      query.response = await whileBusy(() => statement.all(...bindings), connection);
      if (TRANSACTION.test(query.sql)) noteTransaction(connection, query.sql);
      else if (!READS.test(query.sql)) noteChange(connection, query.sql);
    }
    return query;
  }
}

/**
 * Takes the write lock immediately: a transaction that reads first and writes later would fail if another wrote
 * between.
 */
class ImmediateTransaction extends SqliteTransaction {
  override begin(connection: unknown): Promise<unknown> {
    return this.query(connection, 'BEGIN IMMEDIATE;');
  }
}

function toBindable(value: unknown): unknown {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value === undefined) return null;
  return value instanceof Date ? value.valueOf() : value;
}

function rollBack(connection: PooledConnection): void {
  try {
    connection.exec('ROLLBACK');
  } catch {
    // SQLite had already rolled back.
  }
  noteTransaction(connection, 'ROLLBACK');
}

interface Client {
  acquireConnection(): Promise<PooledConnection>;
  releaseConnection(connection: PooledConnection): Promise<void>;
  answer(connection: PooledConnection, query: Query): Promise<void>;
  processResponse(query: Query, runner: object): unknown;
}

interface Builder {
  toSQL(): Query | readonly Query[];
  readonly _sequence?: unknown;
  readonly _connection?: unknown;
  readonly _timeout?: unknown;
}

/**
 * Runs a query by a shorter path than knex's own: SQLite answers synchronously, and knex spends more than that on
 * copies of the query for absent listeners, and on promises. Special cases (schema changes, a dedicated connection)
 * use knex's path.
 */
class SqliteRunner extends Runner {
  override async run(): Promise<unknown> {
    const builder = this.builder as Builder;
    if (builder._sequence ?? builder._connection ?? builder._timeout) return super.run();
    const query = builder.toSQL();
    if (!isOne(query)) return super.run();
    const client = this.client as Client;
    const connection = await client.acquireConnection();
    try {
      await client.answer(connection, query);
      return client.processResponse(query, this);
    } finally {
      await client.releaseConnection(connection);
    }
  }
}

const isOne = (query: Query | readonly Query[]): query is Query => !Array.isArray(query);
