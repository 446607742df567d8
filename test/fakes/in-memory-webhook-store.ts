import type { ChangeRecord } from '../../src/application/ports/events/change-record.ts';
import type { WebhookStore } from '../../src/application/ports/events/webhook-store.ts';
import { DomainError } from '../../src/domain/base/errors.ts';
import type { Target } from '../../src/domain/events/delivery.ts';
import { type Webhook, webhookNotFound } from '../../src/domain/events/webhook.ts';
import { InMemoryWorld } from './in-memory-world.ts';

export class InMemoryWebhookStore implements WebhookStore {
  readonly #world: InMemoryWorld;

  constructor(world = new InMemoryWorld()) {
    this.#world = world;
  }

  async add(...[webhook, seal, record]: Parameters<WebhookStore['add']>): Promise<Webhook> {
    this.#refuseTaken(webhook.name, null);
    const id = this.#world.nextId('webhooks');
    const rest = { sealedFormerSecret: null, formerUntil: null, disabledBecause: null, disabledAt: null };
    return this.#write({ ...webhook, ...rest, ...seal(id), id, updatedAt: webhook.createdAt }, record);
  }

  async find(id: number): Promise<Webhook | null> {
    return this.#world.webhooks.get(id) ?? null;
  }

  async findByName(name: string): Promise<Webhook | null> {
    return [...this.#world.webhooks.values()].find((each) => each.name === name) ?? null;
  }

  async list(): Promise<readonly Webhook[]> {
    return [...this.#world.webhooks.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  async change(...[id, change, at, record]: Parameters<WebhookStore['change']>): Promise<Webhook> {
    const before = this.#world.webhooks.get(id);
    if (!before) throw webhookNotFound(`with id ${id}`);
    if (change.name !== undefined) this.#refuseTaken(change.name, id);
    const changed = this.#write({ ...before, ...change, updatedAt: at }, record);
    if (change.enabled === false) cancelPending(this.#world, { channel: 'webhook', id });
    return changed;
  }

  async remove(id: number, record: ChangeRecord): Promise<void> {
    if (!this.#world.webhooks.delete(id)) throw webhookNotFound(`with id ${id}`);
    forgetDeliveries(this.#world, { channel: 'webhook', id });
    this.#world.record.write(record);
  }

  #refuseTaken(name: string, except: number | null): void {
    if ([...this.#world.webhooks.values()].some((each) => each.name === name && each.id !== except))
      throw new DomainError('name_taken', `There is a webhook named "${name}" already; choose another name.`);
  }

  #write(webhook: Webhook, record: (webhook: Webhook) => ChangeRecord): Webhook {
    const left = record(webhook);
    this.#world.webhooks.set(webhook.id, webhook);
    this.#world.record.write(left);
    return webhook;
  }
}

function cancelPending(world: InMemoryWorld, target: Target): void {
  for (const [id, delivery] of world.deliveries)
    if (delivery.status === 'pending' && isFor(delivery.target, target))
      world.deliveries.set(id, { ...delivery, status: 'cancelled', dueAt: null });
}

export function forgetDeliveries(world: InMemoryWorld, target: Target): void {
  for (const [id, delivery] of world.deliveries)
    if (isFor(delivery.target, target)) world.deliveries.delete(id);
}

export const isFor = (a: Target, b: Target): boolean => a.channel === b.channel && a.id === b.id;
