import type { DatabaseHealth } from '../ports/service/database-health.ts';

interface Deps {
  readonly databaseHealth: DatabaseHealth;
}

/** Whether the service is ready, for load balancers and supervisors. */
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
