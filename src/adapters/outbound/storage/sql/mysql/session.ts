/** A statement's time on the server. A node of a cluster that dies stalls the others for some 5 s: well above that. */
export const STATEMENT_MS = 30_000;

/** Sets up every connection alike, whatever the server's defaults are. */
export const SESSION: readonly string[] = [
  'SET NAMES utf8mb4 COLLATE utf8mb4_bin',
  "SET SESSION time_zone = '+00:00'",
  "SET SESSION sql_mode = 'STRICT_ALL_TABLES,ONLY_FULL_GROUP_BY,NO_ZERO_DATE,NO_ZERO_IN_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'",
  'SET SESSION innodb_lock_wait_timeout = 10',
  // Each statement sees what is committed, and locks no gaps between rows: fewer deadlocks.
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
