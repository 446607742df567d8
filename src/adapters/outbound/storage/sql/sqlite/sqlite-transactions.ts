import type { Knex } from 'knex';
import makeKnex from 'knex/lib/knex-builder/make-knex.js';
import { translateFailure } from '../sql-errors.ts';
import { insideTransaction, isAfterTransaction } from '../transaction-guard.ts';
import { noteTransaction, type PooledConnection } from './driver.ts';
import type { SqliteClient } from './sqlite-client.ts';
import { whileBusy } from './while-busy.ts';

/** A knex whose queries all go to one connection. */
interface Bound {
  readonly connection: PooledConnection;
  readonly knex: Knex.Transaction;
}

/**
 * Transactions on the one connection that writes. knex makes a client, a function with a hundred methods and five listeners
 * for each transaction, which takes ten times as long as a few statements do: here these are made once for a connection.
 */
export class SqliteTransactions {
  readonly #client: SqliteClient;
  #bound: Bound | null = null;
  #isOpen = false;

  constructor(client: SqliteClient) {
    this.#client = client;
  }

  /** Throws what `body` throws, after a rollback. */
  async run<T>(body: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
    const connection = (await this.#client.acquireConnection()) as PooledConnection;
    try {
      // The write lock immediately: a transaction that reads first and writes later would fail if another wrote
      // between.
      await this.#say(connection, 'BEGIN IMMEDIATE;');
      this.#isOpen = true;
      const { knex } = this.#boundTo(connection);
      const done = await insideTransaction(this.#client, () => body(knex));
      this.#isOpen = false;
      await this.#say(connection, 'COMMIT;');
      return done;
    } finally {
      this.#isOpen = false;
      // Rolls back uncommitted changes.
      await this.#client.releaseConnection(connection);
    }
  }

  async #say(connection: PooledConnection, sql: 'BEGIN IMMEDIATE;' | 'COMMIT;'): Promise<void> {
    this.#client.emit('query', { sql, bindings: [] });
    try {
      await whileBusy(() => connection.statements.get(sql).run(), connection);
      noteTransaction(connection, sql);
    } catch (error) {
      throw translateFailure(error);
    }
  }

  #boundTo(connection: PooledConnection): Bound {
    if (this.#bound?.connection !== connection) {
      this.#bound = { connection, knex: makeKnex(this.#clientOf(connection)) as Knex.Transaction };
    }
    return this.#bound;
  }

  /** As knex makes one for a transaction. */
  #clientOf(connection: PooledConnection): object {
    const client = this.#client as unknown as Readonly<Record<string, unknown>>;
    const bound = Object.create(Object.getPrototypeOf(this.#client)) as SqliteClient;
    const { version, config, driver, connectionSettings, valueForUndefined, logger } = client;
    Object.assign(bound, { version, config, driver, connectionSettings, valueForUndefined, logger });
    return Object.assign(bound, {
      transacting: true,
      acquireConnection: async () => {
        if (!this.#isOpen || isAfterTransaction(this.#client)) {
          throw new Error('The transaction of this query has ended: wait for all that it does.');
        }
        return connection;
      },
      releaseConnection: async () => {},
      emit: (name: string, ...args: unknown[]) => this.#client.emit(name, ...args),
    });
  }
}
