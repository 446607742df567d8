import type { Database } from '../database.ts';
import { mysqlItems } from '../mysql/mysql-service-data.ts';
import { readOneMoment } from '../mysql/session.ts';
import { openSqlite, type SqliteConnection } from '../sqlite/driver.ts';
import { type DatabaseItem, isCarried, toPortable } from './items.ts';

/** Rows may have some megabytes each. */
const PAGE = 50;
const BUSY_MS = 15_000;
const ROW_ID = '_row_id';

/**
 * All tables with their rows at one point in time, page by page on a separate connection: others can write in the
 * meantime.
 */
async function* sqliteItems(file: string): AsyncGenerator<DatabaseItem> {
  const connection = openSqlite(file, { readOnly: true, timeout: BUSY_MS });
  try {
    connection.exec('BEGIN');
    for (const table of sqliteTables(connection)) yield* tableItems(connection, table);
  } finally {
    connection.close();
  }
}

function sqliteTables(connection: SqliteConnection): readonly string[] {
  const rows = connection
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
    .all() as { name: string }[];
  return rows.map(({ name }) => name);
}

function* tableItems(connection: SqliteConnection, table: string): Generator<DatabaseItem> {
  const columns = (connection.prepare(`PRAGMA table_info("${table}")`).all() as { name: string }[]).map(
    ({ name }) => name,
  );
  yield { kind: 'table', table, columns };
  const named = columns.map((name) => `"${name}"`).join(', ');
  const page = connection.prepare(
    `SELECT rowid AS ${ROW_ID}, ${named} FROM "${table}" WHERE rowid > ? ORDER BY rowid LIMIT ${PAGE}`,
  );
  for (let after = Number.MIN_SAFE_INTEGER; ; ) {
    const rows = page.all(after) as Record<string, unknown>[];
    for (const row of rows) yield { kind: 'row', values: columns.map((column) => toPortable(row[column])) };
    if (rows.length < PAGE) return;
    after = Number(rows.at(-1)?.[ROW_ID]);
  }
}

/** Hands on everything that is in the database, as it is at one moment. */
export async function exportDatabase(
  database: Database,
  write: (items: AsyncIterable<DatabaseItem>) => Promise<void>,
): Promise<void> {
  if (database.file !== null) await write(carried(sqliteItems(database.file)));
  else await readOneMoment(database.knex, (trx) => write(carried(mysqlItems(trx))));
}

async function* carried(items: AsyncIterable<DatabaseItem>): AsyncGenerator<DatabaseItem> {
  let taken = false;
  for await (const item of items) {
    if (item.kind === 'table') taken = isCarried(item.table);
    if (taken) yield item;
  }
}
