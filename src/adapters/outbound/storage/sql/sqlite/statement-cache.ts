import type { SqliteConnection, SqliteStatement } from './driver.ts';

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
}
