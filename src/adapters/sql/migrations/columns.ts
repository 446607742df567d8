import type { Knex } from 'knex';

type Table = Knex.CreateTableBuilder;

/**
 * Makes a table with its keys, or what is still missing of it: a migration that died half-way is run again from its
 * start. SQLite takes all of it in one transaction; MySQL commits after every statement that changes the schema.
 */
export async function makeTable(knex: Knex, name: string, define: (table: Table) => void): Promise<void> {
  const mysql = knex.client.dialect === 'mysql';
  const whole = (table: Table): void => {
    if (mysql) {
      // Said here and not left to the server's defaults: comparisons have to be exact.
      table.engine('InnoDB');
      table.charset('utf8mb4');
      table.collate('utf8mb4_bin');
    }
    define(table);
  };
  if (!mysql) {
    if (await knex.schema.hasTable(name)) return;
    await knex.transaction((trx) => trx.schema.createTable(name, whole));
    return;
  }
  const statements = knex.schema.createTable(name, whole).toSQL() as unknown as readonly { sql: string }[];
  for (const { sql } of statements) {
    await knex.raw(sql).catch((error: { errno?: number; message: string }) => {
      if (!isDoneAlready(error)) throw error;
    });
  }
}

/** ER_TABLE_EXISTS, ER_DUP_KEYNAME, ER_MULTIPLE_PRI_KEY, ER_FK_DUP_NAME, ER_CHECK_CONSTRAINT_DUP_NAME; MariaDB tells the last by its general error 1005. */
const isDoneAlready = (error: { errno?: number; message: string }): boolean =>
  [1050, 1061, 1068, 1826, 3822].includes(error.errno ?? 0) ||
  (error.errno === 1005 && error.message.includes('errno: 121'));

/** Epoch milliseconds, UTC. */
export const instant = (table: Table, name: string): Knex.ColumnBuilder => table.bigInteger(name);

/** 0 or 1. */
export const flag = (table: Table, name: string): Knex.ColumnBuilder => table.tinyint(name);

/** Up to 16 MB; JSON is kept so too, since the databases do not agree on a type for it. */
export const longText = (table: Table, name: string): Knex.ColumnBuilder => table.text(name, 'mediumtext');

export const reference = (table: Table, name: string, to: string): Knex.ReferencingColumnBuilder =>
  table.bigInteger(name).unsigned().references('id').inTable(to);
