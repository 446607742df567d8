import type { WatchedService } from '../../../domain/automation/unhealthy-service.ts';

/** Services of Compose projects that a policy restarts if they are unhealthy. */
export interface WatchedServices {
  ofServer(serverId: number): Promise<readonly WatchedService[]>;
  /**
   * Replaces those of a server. `label`: how an alert names one. One that stays keeps its id, and so its alert.
   */
  replace(
    serverId: number,
    services: readonly WatchedService[],
    label: (service: WatchedService) => string,
  ): Promise<void>;
  /** Deletes those of all other servers. */
  keepServers(serverIds: readonly number[]): Promise<void>;
}
