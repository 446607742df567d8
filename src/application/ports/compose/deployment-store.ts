import type { Page, PageRequest } from '../../../domain/base/page.ts';
import type { Deployment, DeploymentOrder, NewDeployment } from '../../../domain/compose/deployment.ts';
import type { ChangeRecord } from '../events/change-record.ts';

export interface DeploymentFilter {
  readonly serverId?: number | undefined;
  /** Only of these servers; `null` or absent: all. */
  readonly serverIds?: readonly number[] | null | undefined;
  readonly templateName?: string | undefined;
}

/** Deployments from templates, and the values for pending ones. Removed servers have none. */
export interface DeploymentStore {
  /**
   * Stores the values of a request, encrypted by the callback for their id. Deletes those older than
   * `ORDERS_KEPT_MS`.
   */
  order(
    order: Omit<DeploymentOrder, 'id' | 'sealedValues'>,
    seal: (id: number) => string,
  ): Promise<DeploymentOrder>;
  findOrder(id: number): Promise<DeploymentOrder | null>;
  /** Does nothing if it no longer exists. */
  dropOrder(id: number): Promise<void>;
  /**
   * Records a deployment, replacing the previous one of the directory; secrets are encrypted by the callback for the
   * id. Throws `server_not_found`.
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
