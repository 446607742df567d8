import MySql2Client from 'knex/lib/dialects/mysql2/index.js';
import { translateFailure } from '../sql-errors.ts';
import { refuseInsideTransaction } from '../transaction-guard.ts';

/** What this service uses of a mysql2 connection. */
interface RawConnection {
  query(sql: string, done: (error: { errno?: number } | null) => void): void;
  destroy(): void;
  __knex__disposed?: unknown;
}

/** A statement's time on the server; a node of a cluster that dies stalls the others for some 5 s. */
const STATEMENT_MS = 30_000;
/** Longer than the server's own limit: only silence of the network reaches it. */
const SILENCE_MS = 40_000;

const SESSION = [
  "SET SESSION time_zone = '+00:00'",
  "sql_mode = 'STRICT_ALL_TABLES,ONLY_FULL_GROUP_BY,NO_ZERO_DATE,NO_ZERO_IN_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'",
  'innodb_lock_wait_timeout = 10',
].join(', ');
const UNKNOWN_VARIABLE = 1193;

/** knex's MySQL dialect with sessions set up alike on every server, bounded waits, and failures told in our words. */
export class MySqlClient extends MySql2Client {
  override async acquireRawConnection(): Promise<RawConnection> {
    const connection = (await super.acquireRawConnection()) as RawConnection;
    try {
      await run(connection, 'SET NAMES utf8mb4 COLLATE utf8mb4_bin');
      await run(connection, SESSION);
      await run(connection, 'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED');
      // MariaDB has the first, in seconds and for every statement; MySQL the second, for reads.
      await run(connection, `SET SESSION max_statement_time = ${STATEMENT_MS / 1_000}`).catch((error) => {
        if (error.errno !== UNKNOWN_VARIABLE) throw error;
        return run(connection, `SET SESSION max_execution_time = ${STATEMENT_MS}`);
      });
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
