import type { ChangeRecord } from '../../src/application/ports/events/change-record.ts';
import type {
  NotificationFilter,
  NotificationStore,
} from '../../src/application/ports/events/notification-store.ts';
import type { Instant } from '../../src/domain/base/instant.ts';
import type { Page, PageRequest } from '../../src/domain/base/page.ts';
import { type AlertPolicy, type Mute, muteNotFound } from '../../src/domain/events/alert-policy.ts';
import { isAtLeast } from '../../src/domain/events/event.ts';
import { type Notification, notificationNotFound } from '../../src/domain/events/notification.ts';
import { InMemoryWorld } from './in-memory-world.ts';
import { pageOf } from './page-of.ts';

export class InMemoryNotificationStore implements NotificationStore {
  readonly #world: InMemoryWorld;
  readonly #policies = new Map<string, AlertPolicy>();
  #mutes: readonly Mute[] = [];

  constructor(world = new InMemoryWorld()) {
    this.#world = world;
  }

  async list(filter: NotificationFilter, page: PageRequest): Promise<Page<Notification>> {
    const { states, kind, kinds, muted, minSeverity, serverId, serverIds } = filter;
    const matching = [...this.#world.notifications.values()].filter(
      (each) =>
        each.state !== 'pending' &&
        (states?.includes(each.state) ?? true) &&
        (kind === undefined || each.kind === kind) &&
        (kinds?.includes(each.kind) ?? true) &&
        (muted === undefined || each.muted === muted) &&
        (minSeverity === undefined || isAtLeast(each.severity, minSeverity)) &&
        (serverId === undefined || each.serverId === serverId) &&
        (!serverIds || (each.serverId !== null && serverIds.includes(each.serverId))),
    );
    return pageOf(
      matching.toSorted((a, b) => b.id - a.id),
      page,
    );
  }

  async countOpen(serverIds: readonly number[] | null): Promise<number> {
    return this.#world.openAlerts(serverIds);
  }

  async acknowledge(
    ...[id, by, at, record]: Parameters<NotificationStore['acknowledge']>
  ): Promise<Notification> {
    const before = this.#world.notifications.get(id);
    if (before?.state === 'acknowledged') return before;
    if (before?.state !== 'open') throw notificationNotFound(id);
    const changed = { ...before, state: 'acknowledged', acknowledgedAt: at, acknowledgedBy: by } as const;
    const left = record(changed);
    this.#world.notifications.set(id, changed);
    this.#world.record.write(left);
    return changed;
  }

  async policies(): Promise<readonly AlertPolicy[]> {
    return [...this.#policies.values()].toSorted((a, b) => (a.kind < b.kind ? -1 : 1));
  }

  async setPolicy(policy: AlertPolicy, record: ChangeRecord): Promise<void> {
    this.#policies.set(policy.kind, policy);
    this.#world.record.write(record);
  }

  async mutes(now: Instant): Promise<readonly Mute[]> {
    return this.#mutes.filter(({ until }) => until === null || until > now);
  }

  async mute(mute: Omit<Mute, 'id'>, record: (mute: Mute) => ChangeRecord): Promise<Mute> {
    const added = { ...mute, id: this.#world.nextId('notification_mutes') };
    const left = record(added);
    this.#mutes = [...(await this.mutes(mute.createdAt)), added];
    for (const [id, each] of this.#world.notifications) {
      const isMeant =
        (each.state === 'open' || each.state === 'acknowledged') &&
        (mute.kind === null || mute.kind === each.kind) &&
        (mute.serverId === null || mute.serverId === each.serverId);
      if (isMeant) this.#world.notifications.set(id, { ...each, muted: true });
    }
    this.#world.record.write(left);
    return added;
  }

  async unmute(id: number, record: ChangeRecord): Promise<void> {
    if (!this.#mutes.some((each) => each.id === id)) throw muteNotFound(id);
    this.#mutes = this.#mutes.filter((each) => each.id !== id);
    this.#world.record.write(record);
  }
}
