import type { LeaseStore } from '../../src/application/ports/jobs/lease-store.ts';
import type { Instant } from '../../src/domain/base/instant.ts';
import { InMemoryWorld } from './in-memory-world.ts';

export class InMemoryLeaseStore implements LeaseStore {
  readonly #world: InMemoryWorld;
  readonly #leases = new Map<string, { readonly owner: string; readonly until: Instant }>();

  constructor(world = new InMemoryWorld()) {
    this.#world = world;
  }

  async hold(name: string, owner: string, ms: number): Promise<boolean> {
    const lease = this.#leases.get(name);
    if (lease && lease.owner !== owner && lease.until > this.#world.now()) return false;
    this.#leases.set(name, { owner, until: this.#world.now() + ms });
    return true;
  }

  async release(name: string, owner: string): Promise<void> {
    if (this.#leases.get(name)?.owner === owner) this.#leases.delete(name);
  }

  async releaseAll(owner: string): Promise<void> {
    for (const name of this.#leases.keys()) await this.release(name, owner);
  }
}
