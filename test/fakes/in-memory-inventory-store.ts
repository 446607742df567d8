import type { InventoryStore } from '../../src/application/ports/fleet/inventory-store.ts';
import type { Inventory } from '../../src/domain/fleet/inventory.ts';
import type { ServerFacts } from '../../src/domain/fleet/server.ts';
import { identityOf, servicesOf } from '../../src/domain/fleet/service.ts';
import { InMemoryWorld } from './in-memory-world.ts';

export class InMemoryInventoryStore implements InventoryStore {
  readonly #world: InMemoryWorld;
  readonly #inventories = new Map<number, Inventory>();

  constructor(world = new InMemoryWorld()) {
    this.#world = world;
  }

  async save(serverId: number, inventory: Inventory, facts: Partial<ServerFacts> = {}): Promise<void> {
    this.#inventories.set(serverId, structuredClone(inventory));
    const server = this.#world.servers.get(serverId);
    if (!server) return;
    this.#world.servers.set(serverId, { ...server, facts: { ...server.facts, ...facts } });
    const before = this.#world.services.get(serverId) ?? [];
    const ids = new Map(before.map((service) => [identityOf(service), service.id]));
    const after = servicesOf(inventory, before).map((service) => ({
      ...service,
      id: ids.get(identityOf(service)) ?? this.#world.nextId('services'),
    }));
    this.#world.services.set(serverId, after);
  }

  async find(serverId: number): Promise<Inventory | null> {
    return this.#inventories.get(serverId) ?? null;
  }

  async findMany(serverIds: readonly number[]): Promise<ReadonlyMap<number, Inventory>> {
    return new Map([...this.#inventories].filter(([id]) => serverIds.includes(id)));
  }
}
