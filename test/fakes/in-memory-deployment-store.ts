import type {
  DeploymentFilter,
  DeploymentStore,
} from '../../src/application/ports/compose/deployment-store.ts';
import type { ChangeRecord } from '../../src/application/ports/events/change-record.ts';
import { serverNotFound } from '../../src/domain/access/actor.ts';
import type { Page, PageRequest } from '../../src/domain/base/page.ts';
import {
  type Deployment,
  type DeploymentOrder,
  type NewDeployment,
  ORDERS_KEPT_MS,
} from '../../src/domain/compose/deployment.ts';
import { InMemoryWorld } from './in-memory-world.ts';
import { pageOf } from './page-of.ts';

export class InMemoryDeploymentStore implements DeploymentStore {
  readonly #world: InMemoryWorld;
  readonly #orders = new Map<number, DeploymentOrder>();
  readonly #deployments = new Map<number, Omit<Deployment, 'serverName'>>();

  constructor(world = new InMemoryWorld()) {
    this.#world = world;
  }

  async order(
    order: Omit<DeploymentOrder, 'id' | 'sealedValues'>,
    seal: (id: number) => string,
  ): Promise<DeploymentOrder> {
    const id = this.#world.nextId('template_orders');
    const kept = { ...order, id, sealedValues: seal(id) };
    for (const { id: old, createdAt } of this.#orders.values()) {
      if (createdAt < order.createdAt - ORDERS_KEPT_MS) this.#orders.delete(old);
    }
    this.#orders.set(id, kept);
    return kept;
  }

  async findOrder(id: number): Promise<DeploymentOrder | null> {
    return this.#orders.get(id) ?? null;
  }

  async dropOrder(id: number): Promise<void> {
    this.#orders.delete(id);
  }

  async record(
    deployment: NewDeployment,
    seal: (id: number) => string,
    record: (deployment: Deployment) => ChangeRecord,
  ): Promise<Deployment> {
    const server = this.#world.servers.get(deployment.serverId);
    if (!server) throw serverNotFound(deployment.serverId);
    const before = await this.find(deployment.serverId, deployment.directory);
    const id = before?.id ?? this.#world.nextId('template_deployments');
    const recorded = { ...deployment, id, sealedSecrets: seal(id) };
    const left = record({ ...recorded, serverName: server.name });
    this.#deployments.set(id, recorded);
    this.#world.record.write(left);
    return { ...recorded, serverName: server.name };
  }

  async find(serverId: number, directory: string): Promise<Deployment | null> {
    return this.#present().find((each) => each.serverId === serverId && each.directory === directory) ?? null;
  }

  async list(filter: DeploymentFilter, page: PageRequest): Promise<Page<Deployment>> {
    const { serverId, serverIds, templateName } = filter;
    const found = this.#present().filter(
      (each) =>
        (serverId === undefined || each.serverId === serverId) &&
        (!serverIds || serverIds.includes(each.serverId)) &&
        (templateName === undefined || each.templateName === templateName),
    );
    const order = (each: Deployment): string => `${each.serverName}\0${each.directory}`;
    return pageOf(
      found.toSorted((a, b) => (order(a) < order(b) ? -1 : 1)),
      page,
    );
  }

  #present(): readonly Deployment[] {
    return [...this.#deployments.values()].flatMap((each) => {
      const server = this.#world.servers.get(each.serverId);
      return server ? [{ ...each, serverName: server.name }] : [];
    });
  }
}
