import type { DatabaseHealth } from '../../application/ports/database-health.ts';
import type { Database } from './database.ts';

const PING_MS = 2_000;

export class SqlDatabaseHealth implements DatabaseHealth {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async ping(): Promise<void> {
    await this.#database.ping(PING_MS);
  }

  async clockOffsetMs(now: number): Promise<number> {
    const row = (await this.#database.knex.select({ now: this.#database.nowMs() }).first()) as {
      now: number;
    };
    return row.now - now;
  }
}
