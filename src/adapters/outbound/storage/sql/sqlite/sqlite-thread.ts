import { once } from 'node:events';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';

/** Runs in the thread. It is text because a thread has no TypeScript loader; it also saves a file. */
const THREAD = `
const { workerData } = require('node:worker_threads');
process.emitWarning = () => {};
const { DatabaseSync } = require(workerData.driver);
const database = new DatabaseSync(workerData.file, { readOnly: true, timeout: 15000 });
try {
  database.prepare(workerData.sql).run(...workerData.bindings);
} finally {
  database.close();
}
`;

/**
 * Runs one long read-only statement on a separate connection and thread: SQLite is synchronous, and the service
 * continues in the meantime. Rejects with SQLite's error, also if the file is missing.
 */
export async function runInSqliteThread(
  file: string,
  sql: string,
  bindings: readonly string[],
): Promise<void> {
  const builtIn = process.getBuiltinModule?.('node:sqlite') !== undefined;
  const driver = builtIn ? 'node:sqlite' : createRequire(import.meta.url).resolve('@photostructure/sqlite');
  const thread = new Worker(THREAD, { eval: true, workerData: { driver, file, sql, bindings } });
  // `once` rejects if the thread ends with an error.
  await once(thread, 'exit');
}
