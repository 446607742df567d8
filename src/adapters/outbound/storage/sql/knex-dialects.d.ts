/** The parts of knex's dialects and internals that Drover extends; knex types only the dialects' common base. */
declare module 'knex/lib/dialects/better-sqlite3/index.js' {
  import type { Knex } from 'knex';

  const Client: typeof Knex.Client;
  export default Client;
}

declare module 'knex/lib/dialects/sqlite3/execution/sqlite-transaction.js' {
  /** A running transaction; `query` runs one of its own statements, such as BEGIN. */
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

declare module 'knex/lib/execution/runner.js' {
  /** Runs a builder's query, once for each `then`. */
  class Runner {
    readonly client: object;
    readonly builder: object;
    constructor(client: object, builder: object);
    run(): Promise<unknown>;
  }
  export default Runner;
}

declare module 'knex/lib/knex-builder/make-knex.js' {
  import type { Knex } from 'knex';

  /** The function and all its methods, around a client. */
  const makeKnex: (client: object) => Knex;
  export default makeKnex;
}
