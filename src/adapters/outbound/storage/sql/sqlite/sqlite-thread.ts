import { once } from 'node:events';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';

/** Runs in the thread. It is text since a thread has no TypeScript loader, and needs no file of its own this way. */
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
 * Runs one long statement that changes nothing on a connection and in a thread of its own: SQLite works synchronously,
 * and the service goes on meanwhile. Rejects with SQLite's error, also where the file is not there.
 */
export async function runInSqliteThread(
  file: string,
  sql: string,
  bindings: readonly string[],
): Promise<void> {
  const builtIn = process.getBuiltinModule?.('node:sqlite') !== undefined;
  const driver = builtIn ? 'node:sqlite' : createRequire(import.meta.url).resolve('@photostructure/sqlite');
  const thread = new Worker(THREAD, { eval: true, workerData: { driver, file, sql, bindings } });
  // `once` rejects where the thread ends in an error.
  await once(thread, 'exit');
}
