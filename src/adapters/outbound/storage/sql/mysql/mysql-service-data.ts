import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Knex } from 'knex';
import type { ServiceData } from '../../../../../application/ports/service/service-data.ts';
import type { Database } from '../database.ts';
import { type DatabaseItem, toPortable } from '../portable/items.ts';
import { excludesOf, replaceExport, type ServiceDataOptions } from '../service-data-places.ts';
import { readOneMoment } from './session.ts';

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
      await readOneMoment(this.#database.knex, (trx) =>
        pipeline(Readable.from(lines(trx)), createWriteStream(path, { mode: 0o600, flags: 'wx' })),
      );
    });
  }
}

async function* lines(trx: Knex.Transaction): AsyncGenerator<string> {
  yield line({ format: 'drover-export', version: 1 });
  for await (const item of mysqlItems(trx))
    yield line(item.kind === 'table' ? { table: item.table, columns: item.columns } : item.values);
}

const line = (value: unknown): string => `${JSON.stringify(value)}\n`;

/** All tables with their rows, which come from the server as they are taken: only a few of them are in memory. */
export async function* mysqlItems(trx: Knex.Transaction): AsyncGenerator<DatabaseItem> {
  for (const table of await mysqlTables(trx)) {
    const columns = Object.keys(await trx(table).columnInfo());
    yield { kind: 'table', table, columns };
    const rows = trx(table).select(columns).stream() as AsyncIterable<Readonly<Record<string, unknown>>>;
    for await (const row of rows)
      yield { kind: 'row', values: columns.map((column) => toPortable(row[column])) };
  }
}

export async function mysqlTables(knex: Knex): Promise<readonly string[]> {
  const [rows] = (await knex.raw(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE() AND table_type = 'BASE TABLE' ORDER BY table_name",
  )) as [{ name: string }[]];
  return rows.map(({ name }) => name);
}
