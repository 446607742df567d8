import { UseCase } from '../base/use-case.ts';

/** Whether the service is ready, for load balancers and supervisors. */
export class CheckReadiness extends UseCase<'databaseHealth'> {
  /** Throws `database_unavailable`. */
  execute(): Promise<void> {
    return this.deps.databaseHealth.ping();
  }
}
