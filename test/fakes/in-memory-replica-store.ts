import type { Replica, ReplicaStore } from '../../src/application/ports/service/replica-store.ts';
import { DAY, type Instant } from '../../src/domain/base/instant.ts';
import { InMemoryWorld } from './in-memory-world.ts';

type Beat = Pick<Replica, 'owner' | 'version' | 'startedAt' | 'keyIds'>;

export class InMemoryReplicaStore implements ReplicaStore {
  readonly #world: InMemoryWorld;
  readonly #replicas = new Map<string, Beat & { readonly seenAt: Instant }>();

  constructor(world = new InMemoryWorld()) {
    this.#world = world;
  }

  async beat(beat: Beat): Promise<void> {
    this.#replicas.set(beat.owner, { ...beat, seenAt: this.#world.now() });
  }

  async leave(owner: string): Promise<void> {
    this.#replicas.delete(owner);
  }

  async list(): Promise<readonly Replica[]> {
    for (const { owner, seenAt } of this.#replicas.values()) {
      if (this.#world.now() - seenAt > DAY) this.#replicas.delete(owner);
    }
    return [...this.#replicas.values()]
      .toSorted((a, b) => b.seenAt - a.seenAt)
      .slice(0, 100)
      .map(({ seenAt, ...replica }) => ({ ...replica, seenAgoMs: this.#world.now() - seenAt }));
  }
}
