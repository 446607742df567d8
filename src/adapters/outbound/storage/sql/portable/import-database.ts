import type { Knex } from 'knex';
import { DomainError } from '../../../../../domain/base/errors.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import type { Database } from '../database.ts';
import { mysqlTables } from '../mysql/mysql-service-data.ts';
import { INSTANCE } from '../stores/sql-setting-store.ts';
import { insideTransaction } from '../transaction-guard.ts';
import { type DatabaseItem, fromPortable, isCarried } from './items.ts';

/** Per INSERT: rows, and an approximate number of bytes. */
const MAX_ROWS = 100;
const MAX_BYTES = 1024 * 1024;
/** Created by a start of the service, before any use. */
const MADE_BY_A_START = new Set(['settings']);

export interface ImportOptions {
  /** Removes existing data; otherwise the database has to be empty. */
  readonly replace: boolean;
  /** When jobs that wait or run in the backup are ended; `null`: they stay as they are. */
  readonly endWaitingAt: Instant | null;
}

/** Tables with data, apart from what every start creates. */
export async function filledTables(database: Database): Promise<readonly string[]> {
  const filled: string[] = [];
  for (const table of await carriedTables(database)) {
    if (MADE_BY_A_START.has(table)) continue;
    if (await database.knex(table).first(database.knex.raw('1 AS there'))) filled.push(table);
  }
  return filled;
}

/**
 * Imports everything in one transaction: afterwards either all of it is there, or the previous content. Rethrows
 * errors of `items`.
 */
export async function importDatabase(
  database: Database,
  items: AsyncIterable<DatabaseItem>,
  options: ImportOptions,
): Promise<void> {
  const { knex, kind } = database;
  const tables = new Set(await carriedTables(database));
  await knex.transaction((trx) =>
    insideTransaction(knex.client, async () => {
      await withoutReferences(trx, kind, async () => {
        // Settings exist after the first start; those of the backup replace them.
        for (const table of tables)
          if (options.replace || MADE_BY_A_START.has(table)) await trx(table).delete();
        const rows = new Map<string, number>();
        let into: Insertion | null = null;
        for await (const item of items) {
          if (item.kind === 'table') {
            await into?.flush();
            if (!tables.has(item.table)) throw unfit(`it has an unknown table ${item.table}`);
            into = new Insertion(trx, item.table, item.columns, options.endWaitingAt);
            rows.set(item.table, 0);
          } else if (into) {
            await into.add(item.values);
            rows.set(into.table, (rows.get(into.table) ?? 0) + 1);
          }
        }
        await into?.flush();
        await assertAllThere(trx, rows);
        // A restored database assigns job ids again: with a new name no job finds another's work on a host.
        if (options.endWaitingAt !== null) await trx('settings').where({ name: INSTANCE }).delete();
      });
      if (kind === 'sqlite') await assertReferences(trx);
    }),
  );
}

/** Rows of one table to import. */
class Insertion {
  readonly table: string;
  readonly #trx: Knex.Transaction;
  readonly #columns: readonly string[];
  readonly #endWaitingAt: Instant | null;
  #rows: Record<string, unknown>[] = [];
  #bytes = 0;

  constructor(
    trx: Knex.Transaction,
    table: string,
    columns: readonly string[],
    endWaitingAt: Instant | null,
  ) {
    this.#trx = trx;
    this.table = table;
    this.#columns = columns;
    this.#endWaitingAt = endWaitingAt;
  }

  async add(values: readonly unknown[]): Promise<void> {
    if (values.length !== this.#columns.length) throw unfit(`a row of ${this.table} has a different length`);
    const plain = values.map(fromPortable);
    const row = Object.fromEntries(this.#columns.map((column, index) => [column, plain[index]]));
    this.#rows.push(this.#endWaitingAt === null ? row : asNotWaiting(this.table, row, this.#endWaitingAt));
    for (const value of plain)
      this.#bytes += typeof value === 'string' || Buffer.isBuffer(value) ? value.length : 8;
    if (this.#rows.length >= MAX_ROWS || this.#bytes >= MAX_BYTES) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.#rows.length > 0) await this.#trx(this.table).insert(this.#rows);
    this.#rows = [];
    this.#bytes = 0;
  }
}

/** Tables come by name, and refer to each other. */
async function withoutReferences(
  trx: Knex.Transaction,
  kind: Database['kind'],
  work: () => Promise<void>,
): Promise<void> {
  await trx.raw(kind === 'sqlite' ? 'PRAGMA defer_foreign_keys = ON' : 'SET SESSION foreign_key_checks = 0');
  try {
    await work();
  } finally {
    if (kind === 'mysql') await trx.raw('SET SESSION foreign_key_checks = 1');
  }
}

async function assertAllThere(trx: Knex.Transaction, rows: ReadonlyMap<string, number>): Promise<void> {
  for (const [table, wanted] of rows) {
    const [counted]: { n?: unknown }[] = await trx(table).count({ n: '*' });
    if (Number(counted?.n) !== wanted) throw unfit(`some of the ${wanted} rows of ${table} are missing`);
  }
}

async function assertReferences(trx: Knex.Transaction): Promise<void> {
  const broken = await trx.raw<readonly { table: string }[]>('PRAGMA foreign_key_check');
  const [first] = broken;
  if (first) throw unfit(`a row of ${first.table} refers to a missing row`);
}

async function carriedTables(database: Database): Promise<readonly string[]> {
  const { knex, kind } = database;
  const names =
    kind === 'mysql'
      ? await mysqlTables(knex)
      : await knex('sqlite_master')
          .where({ type: 'table' })
          .whereNot('name', 'like', 'sqlite_%')
          .pluck('name');
  return names.filter(isCarried);
}

const unfit = (why: string): DomainError =>
  new DomainError('restore_failed', `The backup does not fit: ${why}. Nothing was changed.`);

const DETAIL = 'The service was restored from a backup that was created while the job waited or ran.';

/**
 * A row of a backup, changed so that nothing starts automatically that may have been done since: waiting and running
 * jobs are ended, and batches are asked to stop.
 */
function asNotWaiting(table: string, row: Record<string, unknown>, at: Instant): Record<string, unknown> {
  if (table === 'jobs') return endedJob(row, at);
  if (table === 'batches' && row['finished_at'] === null)
    return { ...row, cancel_requested_at: row['cancel_requested_at'] ?? at };
  return row;
}

function endedJob(row: Record<string, unknown>, at: Instant): Record<string, unknown> {
  const over = { lane_key: null, owner: null, lease_until: null, finished_at: at, summary: DETAIL };
  switch (row['status']) {
    case 'running':
      return { ...row, ...over, status: 'failed', error_code: 'worker_lost', error_detail: DETAIL };
    case 'pending':
    case 'awaiting_approval':
      return { ...row, ...over, status: 'cancelled' };
    default:
      return row;
  }
}
