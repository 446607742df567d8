import Runner from 'knex/lib/execution/runner.js';
import type { PooledConnection, Query } from './query.ts';

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
 * Runs a query by a shorter way than knex's own: SQLite answers at once, and knex spends more than that on copies of the
 * query for listeners that nobody has, and on promises. What is not plain (changes of the schema, a connection of one's own)
 * goes knex's way.
 */
export class SqliteRunner extends Runner {
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
