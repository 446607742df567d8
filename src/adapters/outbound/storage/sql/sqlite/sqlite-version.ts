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

  /** A promise only if the database is busy, as every read of kept data asks for it. Throws what queries throw. */
  of(connection: PooledConnection): number | Promise<number> {
    try {
      return this.#compare(connection);
    } catch (error) {
      if (!isSqliteBusy(error)) throw translateFailure(error);
      return whileBusy(() => this.#compare(connection)).catch((last: unknown) => {
        throw translateFailure(last);
      });
    }
  }

  #compare(connection: PooledConnection): number {
    const [row] = connection.statements.get('PRAGMA data_version').all();
    const others = (row as { readonly data_version: number }).data_version;
    const own = connection.changes;
    const seen = this.#seen;
    if (seen?.connection === connection && seen.own === own && seen.others === others) return this.#version;
    this.#seen = { connection, own, others };
    this.#version += 1;
    return this.#version;
  }
}
