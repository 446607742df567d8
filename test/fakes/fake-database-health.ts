import type { DatabaseHealth } from '../../src/application/ports/service/database-health.ts';
import { DomainError } from '../../src/domain/base/errors.ts';

/** A database that answers until a test stops it. */
export class FakeDatabaseHealth implements DatabaseHealth {
  answers = true;
  now: () => number = Date.now;

  async ping(): Promise<void> {
    if (!this.answers) throw new DomainError('database_unavailable', 'The database does not answer.');
  }

  async product(): Promise<string> {
    await this.ping();
    return 'SQLite 3.46.0';
  }

  async clockOffsetMs(now: number): Promise<number> {
    await this.ping();
    return this.now() - now;
  }
}
