import MySql2Client from 'knex/lib/dialects/mysql2/index.js';
import { translateFailure } from '../sql-errors.ts';
import { refuseInsideTransaction } from '../transaction-guard.ts';
import { limitStatements, SESSION, STATEMENT_MS } from './session.ts';

/** What this service uses of a mysql2 connection. */
interface RawConnection {
  query(sql: string, done: (error: Error | null) => void): void;
  destroy(): void;
  __knex__disposed?: unknown;
}

/** Longer than the server's own limit: only silence of the network reaches it. */
const SILENCE_MS = STATEMENT_MS + 10_000;

/** knex's MySQL dialect with sessions set up alike on every server, bounded waits, and failures told in our words. */
export class MySqlClient extends MySql2Client {
  override async acquireRawConnection(): Promise<RawConnection> {
    const connection = (await super.acquireRawConnection()) as RawConnection;
    try {
      for (const statement of SESSION) await run(connection, statement);
      await limitStatements((sql) => run(connection, sql), STATEMENT_MS);
      return connection;
    } catch (error) {
      connection.destroy();
      throw error;
    }
  }

  override async acquireConnection(): Promise<unknown> {
    refuseInsideTransaction(this);
    try {
      return await super.acquireConnection();
    } catch (error) {
      throw translateFailure(error);
    }
  }

  override query(connection: unknown, query: object): Promise<unknown> {
    return (super.query(connection, query) as Promise<unknown>).catch((error: unknown) => {
      throw translateFailure(error);
    });
  }

  override async _query(
    connection: RawConnection,
    query: { sql: string; options?: object },
  ): Promise<unknown> {
    query.options = { timeout: SILENCE_MS, ...query.options };
    try {
      return await super._query(connection, query);
    } catch (error) {
      // The driver puts the whole statement there, with all values; some of them are secrets.
      if (error instanceof Error && 'sql' in error) delete error.sql;
      // After silence nobody knows what the connection is at: it is never used again.
      if (isSilence(error)) {
        connection.__knex__disposed = error;
        connection.destroy();
      }
      throw error;
    }
  }
}

const isSilence = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'PROTOCOL_SEQUENCE_TIMEOUT';

function run(connection: RawConnection, sql: string): Promise<void> {
  return new Promise((resolve, reject) => {
    connection.query(sql, (error) => (error ? reject(error) : resolve()));
  });
}
