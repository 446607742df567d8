import type { ChangeRecord } from '../../src/application/ports/events/change-record.ts';
import type { PushStore } from '../../src/application/ports/events/push-store.ts';
import { DomainError } from '../../src/domain/base/errors.ts';
import type { PushSubscription } from '../../src/domain/events/push-subscription.ts';
import { forgetDeliveries } from './in-memory-webhook-store.ts';
import { InMemoryWorld } from './in-memory-world.ts';

export class InMemoryPushStore implements PushStore {
  readonly #world: InMemoryWorld;

  constructor(world = new InMemoryWorld()) {
    this.#world = world;
  }

  async put(...[subscription, seal, record]: Parameters<PushStore['put']>): Promise<PushSubscription> {
    const before = [...this.#world.subscriptions.values()].find(
      (each) => each.endpointHash === subscription.endpointHash,
    );
    const id = before?.id ?? this.#world.nextId('push_subscriptions');
    const createdAt = before?.createdAt ?? subscription.createdAt;
    const kept = { ...subscription, id, createdAt, sealedSubscription: seal(id) };
    const left = record(kept);
    this.#world.subscriptions.set(id, kept);
    this.#world.record.write(left);
    return kept;
  }

  async find(id: number): Promise<PushSubscription | null> {
    return this.#world.subscriptions.get(id) ?? null;
  }

  async list(ownerId?: number | null): Promise<readonly PushSubscription[]> {
    return [...this.#world.subscriptions.values()].filter(
      (each) => ownerId === undefined || each.ownerId === ownerId,
    );
  }

  async remove(id: number, record: ChangeRecord): Promise<void> {
    if (!this.#world.subscriptions.delete(id))
      throw new DomainError('subscription_not_found', `There is no push subscription with id ${id}.`);
    forgetDeliveries(this.#world, { channel: 'push', id });
    this.#world.record.write(record);
  }
}
