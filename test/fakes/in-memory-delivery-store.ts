import type { ChangeRecord } from '../../src/application/ports/events/change-record.ts';
import type {
  DeliveryStore,
  DueDelivery,
  JobNotice,
} from '../../src/application/ports/events/delivery-store.ts';
import type { Instant } from '../../src/domain/base/instant.ts';
import type { Page } from '../../src/domain/base/page.ts';
import {
  type Channel,
  type Delivery,
  deliveryNotFound,
  type Target,
} from '../../src/domain/events/delivery.ts';
import type { WrittenEvent } from '../../src/domain/events/event.ts';
import { openKeyOf } from '../../src/domain/events/notification.ts';
import { newNotification } from './in-memory-condition-watch.ts';
import { isFor } from './in-memory-webhook-store.ts';
import { InMemoryWorld } from './in-memory-world.ts';
import { pageOf } from './page-of.ts';

export class InMemoryDeliveryStore implements DeliveryStore {
  readonly #world: InMemoryWorld;

  constructor(world = new InMemoryWorld()) {
    this.#world = world;
  }

  async waiting(limit: number): Promise<readonly WrittenEvent[]> {
    return this.#outbox
      .filter(({ pending }) => pending)
      .slice(0, limit)
      .map(({ event }) => event);
  }

  async handOut(...[events, notices, at]: Parameters<DeliveryStore['handOut']>): Promise<boolean> {
    const entries = events.map(({ event }) => this.#outbox.find((each) => each.event.id === event.id));
    if (entries.some((entry) => entry?.pending !== true)) return false;
    for (const [index, { event, body, targets }] of events.entries()) {
      const entry = entries[index];
      if (entry) Object.assign(entry, { pending: false, body });
      for (const target of targets) this.#add(event, target, at);
    }
    for (const notice of notices) this.#apply(notice, at);
    return true;
  }

  async send(...[event, body, target, record]: Parameters<DeliveryStore['send']>): Promise<Delivery> {
    const written = this.#world.record.addEvent(event, { pending: false, body });
    this.#world.record.write(record);
    return this.#add(written.event, target, event.at);
  }

  async dueTargets(channel: Channel, now: Instant): Promise<readonly number[]> {
    const targets = channel === 'webhook' ? this.#world.webhooks : this.#world.subscriptions;
    const due = this.#all.filter((each) => each.target.channel === channel && isDue(each, now));
    return [...new Set(due.map(({ target }) => target.id))]
      .filter((id) => targets.has(id))
      .toSorted((a, b) => a - b);
  }

  async due(target: Target, now: Instant, limit: number): Promise<readonly DueDelivery[]> {
    return this.#all
      .filter((each) => isFor(each.target, target) && isDue(each, now))
      .toSorted((a, b) => a.event.id - b.event.id)
      .slice(0, limit)
      .map((each) => {
        const entry = this.#outbox.find(({ event }) => event.id === each.event.id);
        return { ...each, body: entry?.body ?? '' };
      });
  }

  async settle(...[seen, attempt, outcome, at]: Parameters<DeliveryStore['settle']>): Promise<boolean> {
    const now = this.#world.deliveries.get(seen.id);
    if (now?.status !== 'pending' || now.attempts !== seen.attempts || now.dueAt !== seen.dueAt) return false;
    const { statusCode, durationMs } = attempt;
    const tried = { attempts: now.attempts + 1, lastAttemptAt: at, statusCode, durationMs };
    this.#world.deliveries.set(seen.id, { ...now, ...outcome, ...tried });
    return true;
  }

  async list(...[filter, page]: Parameters<DeliveryStore['list']>): Promise<Page<Delivery>> {
    const { target, channel, status } = filter;
    const matching = this.#all.filter(
      (each) =>
        (target === undefined || isFor(each.target, target)) &&
        (channel === undefined || each.target.channel === channel) &&
        (status === undefined || each.status === status),
    );
    return pageOf(
      matching.toSorted((a, b) => b.id - a.id),
      page,
    );
  }

  async find(id: number): Promise<Delivery | null> {
    return this.#world.deliveries.get(id) ?? null;
  }

  async bodyOf(id: number): Promise<string | null> {
    const found = this.#world.deliveries.get(id);
    return this.#outbox.find(({ event }) => event.id === found?.event.id)?.body ?? null;
  }

  async resend(id: number, at: Instant, record: ChangeRecord): Promise<Delivery> {
    const before = this.#world.deliveries.get(id);
    if (!before) throw deliveryNotFound(id);
    const again = { ...before, status: 'pending', attempts: 0, dueAt: at } as const;
    this.#world.deliveries.set(id, again);
    this.#world.record.write(record);
    return again;
  }

  async prune(before: Instant, limit: number): Promise<number> {
    const old = this.#outbox.filter(({ event, pending }) => event.at < before && !pending).slice(0, limit);
    for (const entry of old) {
      this.#outbox.splice(this.#outbox.indexOf(entry), 1);
      for (const { id, event } of this.#all)
        if (event.id === entry.event.id) this.#world.deliveries.delete(id);
    }
    return old.length;
  }

  get #outbox() {
    return this.#world.record.outbox;
  }

  get #all(): readonly Delivery[] {
    return [...this.#world.deliveries.values()];
  }

  #add(event: WrittenEvent, target: Target, at: Instant): Delivery {
    const written = this.#outbox.find((each) => each.event.id === event.id)?.event ?? event;
    const made: Delivery = {
      id: this.#world.nextId('deliveries'),
      target,
      event: written,
      status: 'pending',
      attempts: 0,
      dueAt: at,
      createdAt: at,
      lastAttemptAt: null,
      statusCode: null,
      durationMs: null,
      error: null,
    };
    this.#world.deliveries.set(made.id, made);
    return made;
  }

  #apply({ condition, words }: JobNotice, at: Instant): void {
    const { notifications } = this.#world;
    const open = [...notifications.values()].find(
      (each) => each.state !== 'resolved' && openKeyOf(each) === openKeyOf(condition),
    );
    if (words === null) {
      if (open) notifications.set(open.id, { ...open, state: 'resolved', resolvedAt: at });
      return;
    }
    const { title, message, muted } = words;
    const id = open?.id ?? this.#world.nextId('notifications');
    const added = {
      ...newNotification(id, condition, words, at),
      state: 'open',
      muted,
      openedAt: at,
    } as const;
    notifications.set(id, { ...(open ?? added), title, message, jobId: condition.jobId, toldAt: at });
  }
}

const isDue = ({ dueAt }: Delivery, now: Instant): boolean => dueAt !== null && dueAt <= now;
