import type { Knex } from 'knex';

/** A statement's time on the server. A node of a cluster that dies stalls the others for some 5 s: well above that. */
export const STATEMENT_MS = 30_000;

/** Sets up every connection in the same way, whatever the server's defaults are. */
export const SESSION: readonly string[] = [
  'SET NAMES utf8mb4 COLLATE utf8mb4_bin',
  "SET SESSION time_zone = '+00:00'",
  "SET SESSION sql_mode = 'STRICT_ALL_TABLES,ONLY_FULL_GROUP_BY,NO_ZERO_DATE,NO_ZERO_IN_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'",
  'SET SESSION innodb_lock_wait_timeout = 10',
  // Each statement sees committed data, and locks no gaps between rows: fewer deadlocks.
  'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED',
];

const UNKNOWN_VARIABLE = 1193;

/** Limits the time of the session's statements; 0 for no limit. */
export async function limitStatements(run: (sql: string) => PromiseLike<unknown>, ms: number): Promise<void> {
  try {
    // MariaDB's: in seconds, for every statement.
    await run(`SET SESSION max_statement_time = ${ms / 1_000}`);
  } catch (error) {
    if ((error as { errno?: number }).errno !== UNKNOWN_VARIABLE) throw error;
    // MySQL's: for reads alone.
    await run(`SET SESSION max_execution_time = ${ms}`);
  }
}

/**
 * Runs long reads, streams among them, that all see the database as it is at the first of them. Rejects with the error of
 * `read`; a connection that stopped amid a stream still has the rest of it to send, and is never used again.
 */
export async function readOneMoment(
  knex: Knex,
  read: (trx: Knex.Transaction) => Promise<void>,
): Promise<void> {
  let failure: { readonly error: unknown } | undefined;
  const unhurried = async (trx: Knex.Transaction): Promise<void> => {
    await limitStatements((sql) => trx.raw(sql), 0);
    try {
      await read(trx);
    } catch (error) {
      failure = { error };
      const connection = await trx.client.acquireConnection();
      connection.__knex__disposed = error;
      connection.destroy();
      throw error;
    }
    await limitStatements((sql) => trx.raw(sql), STATEMENT_MS);
  };
  try {
    await knex.transaction(unhurried, { isolationLevel: 'repeatable read' });
  } catch (error) {
    // The rollback fails on an abandoned connection; the original error is what counts.
    throw failure?.error ?? error;
  }
}
