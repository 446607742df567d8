import type { InventoryStore, SampleQuery } from '../../src/application/ports/fleet/inventory-store.ts';
import type { Instant } from '../../src/domain/base/instant.ts';
import type { Inventory } from '../../src/domain/fleet/inventory.ts';
import { type Sample, type SampleStep, STEPS, sampleOf, stepAt } from '../../src/domain/fleet/sample.ts';
import type { ServerFacts } from '../../src/domain/fleet/server.ts';
import { identityOf, servicesOf } from '../../src/domain/fleet/service.ts';
import { InMemoryWorld } from './in-memory-world.ts';

export class InMemoryInventoryStore implements InventoryStore {
  readonly #world: InMemoryWorld;
  readonly #inventories = new Map<number, Inventory>();
  /** By server, step and its start. */
  #samples: {
    readonly key: string;
    readonly serverId: number;
    readonly step: SampleStep;
    readonly sample: Sample;
  }[] = [];

  constructor(world = new InMemoryWorld()) {
    this.#world = world;
  }

  async save(serverId: number, inventory: Inventory, facts: Partial<ServerFacts> = {}): Promise<void> {
    this.#inventories.set(serverId, structuredClone(inventory));
    const server = this.#world.servers.get(serverId);
    if (!server) return;
    this.#world.servers.set(serverId, { ...server, facts: { ...server.facts, ...facts } });
    await this.addSamples(serverId, [sampleOf(inventory, facts)]);
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

  async addSamples(serverId: number, samples: readonly Sample[]): Promise<void> {
    for (const sample of structuredClone(samples)) {
      for (const step of STEPS) {
        const key = `${serverId} ${step} ${stepAt(step, sample.at)}`;
        this.#samples = [
          ...this.#samples.filter((each) => each.key !== key),
          { key, serverId, step, sample },
        ];
      }
    }
  }

  async samples(serverId: number, { step, from, limit }: SampleQuery): Promise<readonly Sample[]> {
    return this.#samples
      .filter((each) => each.serverId === serverId && each.step === step)
      .map(({ sample }) => sample)
      .filter(({ at }) => at >= stepAt(step, from))
      .toSorted((a, b) => a.at - b.at)
      .slice(-limit);
  }

  async forgetSamples(step: SampleStep, before: Instant, limit: number): Promise<boolean> {
    const old = this.#samples
      .filter((each) => each.step === step && stepAt(step, each.sample.at) < before)
      .toSorted((a, b) => a.sample.at - b.sample.at)
      .slice(0, limit);
    this.#samples = this.#samples.filter((each) => !old.includes(each));
    return old.length === limit;
  }

  async findMany(serverIds: readonly number[]): Promise<ReadonlyMap<number, Inventory>> {
    return new Map([...this.#inventories].filter(([id]) => serverIds.includes(id)));
  }

  async mentioning(text: string): Promise<readonly number[]> {
    const has = (inventory: Inventory): boolean =>
      JSON.stringify(inventory).toLowerCase().includes(JSON.stringify(text.toLowerCase()).slice(1, -1));
    return [...this.#inventories].flatMap(([id, inventory]) => (has(inventory) ? [id] : []));
  }
}
