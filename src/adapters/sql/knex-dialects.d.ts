/** The two dialects of knex that ours build on; knex types only their common base. */
declare module 'knex/lib/dialects/better-sqlite3/index.js' {
  import type { Knex } from 'knex';

  const Client: typeof Knex.Client;
  export default Client;
}

declare module 'knex/lib/dialects/sqlite3/execution/sqlite-transaction.js' {
  /** A transaction under way; `query` runs one of its own statements, such as BEGIN. */
  class SqliteTransaction {
    constructor(client: object, container: unknown, config: unknown, outerTransaction: unknown);
    begin(connection: unknown): Promise<unknown>;
    query(connection: unknown, sql: string): Promise<unknown>;
  }
  export default SqliteTransaction;
}

declare module 'knex/lib/dialects/mysql2/index.js' {
  import knex from 'knex';

  class MySql2Client extends knex.Client {
    _query(connection: unknown, query: object): Promise<unknown>;
  }
  export default MySql2Client;
}
