import type { Knex } from 'knex';

type Table = Knex.TableBuilder;

/**
 * Makes a table with its keys, or what is still missing of it: a migration that died half-way is run again from its
 * start. SQLite takes all of it in one transaction; MySQL commits after every statement that changes the schema.
 */
export async function makeTable(
  knex: Knex,
  name: string,
  define: (table: Knex.CreateTableBuilder) => void,
): Promise<void> {
  if (knex.client.dialect !== 'mysql') {
    await knex.transaction(async (trx) => {
      if (!(await trx.schema.hasTable(name))) await trx.schema.createTable(name, define);
    });
    return;
  }
  const collation = await exactCollation(knex);
  const making = knex.schema.createTable(name, (table) => {
    table.engine('InnoDB');
    table.charset('utf8mb4');
    table.collate(collation);
    define(table);
  });
  await runWhatIsMissing(knex, making);
}

/** Adds columns and indexes to a table that is there, or what is still missing of them; `added` is one of the columns. */
export async function addToTable(
  knex: Knex,
  name: string,
  added: string,
  define: (table: Table) => void,
): Promise<void> {
  if (knex.client.dialect === 'mysql')
    return runWhatIsMissing(
      knex,
      knex.schema.alterTable(name, (table) => define(table)),
    );
  await knex.transaction(async (trx) => {
    if (!(await trx.schema.hasColumn(name, added))) await trx.schema.alterTable(name, define);
  });
}

async function runWhatIsMissing(knex: Knex, change: Knex.SchemaBuilder): Promise<void> {
  const statements = change.toSQL() as unknown as readonly { sql: string }[];
  for (const { sql } of statements) {
    await knex.raw(sql).catch((error: { errno?: number; message: string }) => {
      if (!isDoneAlready(error)) throw error;
    });
  }
}

/** Comparisons as exact as SQLite's: by bytes, and a trailing blank counts. The two servers call that differently. */
async function exactCollation(knex: Knex): Promise<string> {
  const [[{ version }]] = (await knex.raw('SELECT VERSION() AS version')) as [[{ version: string }]];
  return version.includes('MariaDB') ? 'utf8mb4_nopad_bin' : 'utf8mb4_0900_bin';
}

/** ER_TABLE_EXISTS, ER_DUP_FIELDNAME, ER_DUP_KEYNAME, ER_MULTIPLE_PRI_KEY, ER_FK_DUP_NAME, ER_CHECK_CONSTRAINT_DUP_NAME; MariaDB tells the last by its general error 1005. */
const isDoneAlready = (error: { errno?: number; message: string }): boolean =>
  [1050, 1060, 1061, 1068, 1826, 3822].includes(error.errno ?? 0) ||
  (error.errno === 1005 && error.message.includes('errno: 121'));

/** Epoch milliseconds, UTC. */
export const instant = (table: Table, name: string): Knex.ColumnBuilder => table.bigInteger(name);

/** 0 or 1. */
export const flag = (table: Table, name: string): Knex.ColumnBuilder => table.tinyint(name);

/** Up to 16 MB; JSON is kept so too, since the databases do not agree on a type for it. */
export const longText = (table: Table, name: string): Knex.ColumnBuilder => table.text(name, 'mediumtext');

export const reference = (table: Table, name: string, to: string): Knex.ReferencingColumnBuilder =>
  table.bigInteger(name).unsigned().references('id').inTable(to);
