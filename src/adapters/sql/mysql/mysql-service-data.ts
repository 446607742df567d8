import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Knex } from 'knex';
import type { ServiceData } from '../../../application/ports/service-data.ts';
import type { Database } from '../database.ts';
import { excludesOf, replaceExport, type ServiceDataOptions } from '../service-data-places.ts';
import { limitStatements, STATEMENT_MS } from './session.ts';

/**
 * The copy is text, a JSON value a line: first `{"format":"drover-export","version":1}`, then for each table
 * `{"table":"…","columns":["…"]}` and its rows as arrays in that order; a row's bytes are written `{"base64":"…"}`.
 */
export class MysqlServiceData implements ServiceData {
  readonly directory: string;
  readonly excludes: readonly string[];
  readonly #database: Database;

  constructor(database: Database, options: ServiceDataOptions) {
    this.#database = database;
    this.directory = options.directory;
    this.excludes = excludesOf(options);
  }

  async writeDatabaseCopy(): Promise<string> {
    return replaceExport(this.directory, 'drover.jsonl', async (path) => {
      const write = (trx: Knex.Transaction): Promise<void> =>
        pipeline(Readable.from(lines(trx)), createWriteStream(path, { mode: 0o600, flags: 'wx' }));
      // Its reads all see the moment of the first one.
      await this.#database.knex.transaction((trx) => unhurried(trx, write), {
        isolationLevel: 'repeatable read',
      });
    });
  }
}

/** Lets reads take their time; a connection that stopped amid one is never used again. */
async function unhurried(
  trx: Knex.Transaction,
  read: (trx: Knex.Transaction) => Promise<void>,
): Promise<void> {
  await limitStatements((sql) => trx.raw(sql), 0);
  try {
    await read(trx);
  } catch (error) {
    const connection = await trx.client.acquireConnection();
    connection.__knex__disposed = error;
    connection.destroy();
    throw error;
  }
  await limitStatements((sql) => trx.raw(sql), STATEMENT_MS);
}

/** Rows come from the server as the file takes them: nothing but a few of them is in memory. */
async function* lines(trx: Knex.Transaction): AsyncGenerator<string> {
  yield line({ format: 'drover-export', version: 1 });
  for (const table of await tables(trx)) {
    const columns = Object.keys(await trx(table).columnInfo());
    yield line({ table, columns });
    const rows = trx(table).select(columns).stream() as AsyncIterable<Readonly<Record<string, unknown>>>;
    for await (const row of rows) yield line(columns.map((column) => asJson(row[column])));
  }
}

async function tables(trx: Knex.Transaction): Promise<readonly string[]> {
  const [rows] = (await trx.raw(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE() AND table_type = 'BASE TABLE' ORDER BY table_name",
  )) as [{ name: string }[]];
  return rows.map(({ name }) => name);
}

const asJson = (value: unknown): unknown =>
  Buffer.isBuffer(value) ? { base64: value.toString('base64') } : value;

const line = (value: unknown): string => `${JSON.stringify(value)}\n`;
