import type { SqliteConnection } from './driver.ts';
import type { StatementCache } from './statement-cache.ts';

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
