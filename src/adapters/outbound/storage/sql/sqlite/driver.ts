import { createRequire } from 'node:module';

/** The parts of a prepared statement and a connection that this service uses; both drivers have them. */
export interface SqliteStatement {
  all(...bindings: unknown[]): unknown[];
  run(...bindings: unknown[]): { changes: number | bigint; lastInsertRowid: number | bigint };
}

export interface SqliteConnection {
  prepare(sql: string): SqliteStatement;
  exec(sql: string): void;
  close(): void;
}

type DatabaseSync = new (
  path: string,
  options?: { readOnly?: boolean; timeout?: number },
) => SqliteConnection;

let driver: DatabaseSync | undefined;

/** SQLite as it comes with Node (22.13 and later), or the same interface from a package for older ones. */
export function openSqlite(
  path: string,
  options: { readOnly?: boolean; timeout?: number } = {},
): SqliteConnection {
  driver ??= builtIn() ?? packaged();
  return new driver(path, options);
}

function builtIn(): DatabaseSync | undefined {
  // Some Nodes call the module experimental on stderr at every start; operators can do nothing about it.
  const own = Object.getOwnPropertyDescriptor(process, 'emitWarning');
  Object.defineProperty(process, 'emitWarning', { value: () => {}, configurable: true, writable: true });
  try {
    return process.getBuiltinModule?.('node:sqlite')?.DatabaseSync;
  } finally {
    if (own) Object.defineProperty(process, 'emitWarning', own);
  }
}

function packaged(): DatabaseSync {
  return createRequire(import.meta.url)('@photostructure/sqlite').DatabaseSync as DatabaseSync;
}

/** Prepared statements by their text. Without a limit, lists of varying length would fill the memory. */
const MAX_STATEMENTS = 256;

/** Keeps the statements that were used last. */
export class StatementCache {
  readonly #connection: SqliteConnection;
  readonly #statements = new Map<string, SqliteStatement>();

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  get(sql: string): SqliteStatement {
    const known = this.#statements.get(sql);
    if (known) this.#statements.delete(sql);
    const statement = known ?? this.#connection.prepare(sql);
    this.#statements.set(sql, statement);
    if (this.#statements.size > MAX_STATEMENTS) {
      const oldest = this.#statements.keys().next().value;
      if (oldest !== undefined) this.#statements.delete(oldest);
    }
    return statement;
  }
}

/** A query as knex hands it to a dialect. */
export interface Query {
  readonly sql: string;
  readonly bindings?: readonly unknown[];
  readonly method?: string;
  response?: unknown;
  context?: { lastID: number | bigint; changes: number | bigint };
}

export interface PooledConnection extends SqliteConnection {
  statements: StatementCache;
  inTransaction: boolean;
  /** Whether the transaction that is open changed what kept answers depend on. */
  hasChanges: boolean;
  /** How often such changes were committed. */
  changes: number;
}

/** No kept answer depends on these tables, which the service writes every few seconds. */
const UNREAD = /^\s*(?:insert into|update|delete from) `(?:leases|replicas)`/i;

/** After a statement that changed something. */
export function noteChange(connection: PooledConnection, sql: string): void {
  if (UNREAD.test(sql)) return;
  if (connection.inTransaction) connection.hasChanges = true;
  else connection.changes += 1;
}

/** After `BEGIN`, `COMMIT` and `ROLLBACK`. */
export function noteTransaction(connection: PooledConnection, sql: string): void {
  if (sql.startsWith('COMMIT') && connection.hasChanges) connection.changes += 1;
  connection.inTransaction = sql.startsWith('BEGIN');
  connection.hasChanges = false;
}
