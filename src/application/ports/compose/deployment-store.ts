import type { Page, PageRequest } from '../../../domain/base/page.ts';
import type { Deployment, DeploymentOrder, NewDeployment } from '../../../domain/compose/deployment.ts';
import type { ChangeRecord } from '../events/change-record.ts';

export interface DeploymentFilter {
  readonly serverId?: number | undefined;
  /** Only of these servers; `null` or absent: all. */
  readonly serverIds?: readonly number[] | null | undefined;
  readonly templateName?: string | undefined;
}

/** What was deployed from templates, and the values for what is to be. Servers that were removed have none. */
export interface DeploymentStore {
  /**
   * Keeps the values of a request, sealed by the callback once the id is known. Forgets those that are older than
   * `ORDERS_KEPT_MS` by then.
   */
  order(
    order: Omit<DeploymentOrder, 'id' | 'sealedValues'>,
    seal: (id: number) => string,
  ): Promise<DeploymentOrder>;
  findOrder(id: number): Promise<DeploymentOrder | null>;
  /** Does nothing where it is gone. */
  dropOrder(id: number): Promise<void>;
  /**
   * Writes what was deployed, in place of what there was in the directory; secrets are sealed by the callback for the id.
   * Throws `server_not_found`.
   */
  record(
    deployment: NewDeployment,
    seal: (id: number) => string,
    record: (deployment: Deployment) => ChangeRecord,
  ): Promise<Deployment>;
  find(serverId: number, directory: string): Promise<Deployment | null>;
  /** By server, then by directory. */
  list(filter: DeploymentFilter, page: PageRequest): Promise<Page<Deployment>>;
}
