import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Knex } from 'knex';
import type { ServiceData } from '../../../../../application/ports/service/service-data.ts';
import type { Database } from '../database.ts';
import { excludesOf, replaceExport, type ServiceDataOptions } from '../service-data-places.ts';
import { mysqlItems } from './mysql-items.ts';
import { readOneMoment } from './read-one-moment.ts';

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
