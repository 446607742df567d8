import type { DatabaseHealth } from '../../../../../application/ports/service/database-health.ts';
import { SqlStore } from '../database.ts';

const PING_MS = 2_000;

export class SqlDatabaseHealth extends SqlStore implements DatabaseHealth {
  async ping(): Promise<void> {
    await this.database.ping(PING_MS);
  }

  async product(): Promise<string> {
    const { knex, kind } = this.database;
    const call = kind === 'sqlite' ? 'sqlite_version()' : 'version()';
    const row = (await knex.select({ version: knex.raw(call) }).first()) as { version: string };
    if (kind === 'sqlite') return `SQLite ${row.version}`;
    // MariaDB names itself in its version: `11.8.3-MariaDB-…`.
    const [number = ''] = row.version.split('-');
    return `${row.version.includes('MariaDB') ? 'MariaDB' : 'MySQL'} ${number}`;
  }

  async clockOffsetMs(now: number): Promise<number> {
    const row = (await this.database.knex.select({ now: this.database.nowMs() }).first()) as {
      now: number;
    };
    return row.now - now;
  }
}
