import type { DatabaseHealth } from '../ports/service/database-health.ts';

interface Deps {
  readonly databaseHealth: DatabaseHealth;
}

/** Whether the service can do its work now, for whoever balances load or restarts it. */
export class CheckReadiness {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Throws `database_unavailable`. */
  execute(): Promise<void> {
    return this.#deps.databaseHealth.ping();
  }
}
