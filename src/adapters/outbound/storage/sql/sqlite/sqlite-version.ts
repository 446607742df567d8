import { isSqliteBusy, translateFailure } from '../sql-errors.ts';
import type { PooledConnection } from './driver.ts';
import { whileBusy } from './while-busy.ts';

/**
 * Says whether anything was committed that kept answers depend on. The connection that writes counts what this process
 * commits; its `data_version` changes with the commits of others only (https://sqlite.org/pragma.html#pragma_data_version).
 */
export class SqliteVersion {
  #seen: { readonly connection: PooledConnection; readonly own: number; readonly others: number } | null =
    null;
  #version = 0;
  #isAskedThisTurn = false;

  /** A promise only if the database is busy, as every read of kept data asks for it. Throws what queries throw. */
  of(connection: PooledConnection): number | Promise<number> {
    try {
      return this.#compare(connection, othersOf(connection));
    } catch (error) {
      if (!isSqliteBusy(error)) throw translateFailure(error);
      return whileBusy(() => this.#compare(connection, othersOf(connection))).catch((last: unknown) => {
        throw translateFailure(last);
      });
    }
  }

  /**
   * The same, with the commits of others as of this turn of the event loop. Requests that one turn answers all came before
   * it, so none of them can know of a later commit; the question takes a tenth of the time of an answer from memory.
   */
  ofTurn(connection: PooledConnection): number | Promise<number> {
    const seen = this.#seen;
    if (this.#isAskedThisTurn && seen?.connection === connection)
      return this.#compare(connection, seen.others);
    this.#isAskedThisTurn = true;
    setImmediate(() => {
      this.#isAskedThisTurn = false;
    });
    return this.of(connection);
  }

  #compare(connection: PooledConnection, others: number): number {
    const own = connection.changes;
    const seen = this.#seen;
    if (seen?.connection === connection && seen.own === own && seen.others === others) return this.#version;
    this.#seen = { connection, own, others };
    this.#version += 1;
    return this.#version;
  }
}

function othersOf(connection: PooledConnection): number {
  const [row] = connection.statements.get('PRAGMA data_version').all();
  return (row as { readonly data_version: number }).data_version;
}
