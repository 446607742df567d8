import type { DatabaseHealth } from './ports/database-health.ts';

/** Whether the service can do its work now, for whoever balances load or restarts it. */
export class CheckReadiness {
  readonly #database: DatabaseHealth;

  constructor(deps: { database: DatabaseHealth }) {
    this.#database = deps.database;
  }

  /** Throws `database_unavailable`. */
  execute(): Promise<void> {
    return this.#database.ping();
  }
}
