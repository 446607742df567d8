import type { ConditionWatch, Thresholds } from '../../src/application/ports/fleet/condition-watch.ts';
import { type Instant, toIso } from '../../src/domain/base/instant.ts';
import type { DomainEvent } from '../../src/domain/events/event.ts';
import {
  beganAt,
  type Condition,
  type Notification,
  openKeyOf,
  type WatchedKind,
  type Words,
} from '../../src/domain/events/notification.ts';
import type { Server } from '../../src/domain/fleet/server.ts';
import { InMemoryWorld } from './in-memory-world.ts';

type Told = (notification: Notification) => DomainEvent | null;

export class InMemoryConditionWatch implements ConditionWatch {
  readonly #world: InMemoryWorld;

  constructor(world = new InMemoryWorld()) {
    this.#world = world;
  }

  async begin(...[kind, thresholds, words, limit]: Parameters<ConditionWatch['begin']>): Promise<number> {
    const noticed = new Set(this.#unresolved(kind).map(openKeyOf));
    const found = this.#holding(kind, thresholds)
      .filter((each) => !noticed.has(openKeyOf(each)))
      .slice(0, limit);
    for (const condition of found) {
      const id = this.#world.nextId('notifications');
      this.#put(newNotification(id, condition, words(condition), thresholds.now));
    }
    return found.length;
  }

  async revise(...[kind, thresholds, change, limit]: Parameters<ConditionWatch['revise']>): Promise<number> {
    const now = new Map(this.#holding(kind, thresholds).map((each) => [openKeyOf(each), each]));
    const found = this.#unresolved(kind)
      .filter((each) => (now.get(openKeyOf(each))?.variant ?? each.variant) !== each.variant)
      .slice(0, limit);
    const events: DomainEvent[] = [];
    for (const before of found) {
      const condition = now.get(openKeyOf(before));
      if (!condition) continue;
      const after = { ...before, ...change.words(condition), variant: condition.variant };
      const isTold = before.state !== 'pending' && !before.muted;
      const event = isTold ? change.event(before, after) : null;
      this.#put(event === null ? after : { ...after, state: 'open', toldAt: thresholds.now });
      if (event) events.push(event);
    }
    this.#world.record.write({ events });
    return found.length;
  }

  async end(...[kind, thresholds, event, limit]: Parameters<ConditionWatch['end']>): Promise<number> {
    const now = new Set(this.#holding(kind, thresholds).map(openKeyOf));
    const over = this.#unresolved(kind).filter((each) => !now.has(openKeyOf(each)));
    return this.#resolve(over.slice(0, limit), thresholds.now, event);
  }

  async open(...[kind, terms, limit]: Parameters<ConditionWatch['open']>): Promise<number> {
    const { beganUpTo, at, isMuted, event } = terms;
    const ripe = this.#unresolved(kind)
      .filter((each) => each.state === 'pending' && each.beganAt <= beganUpTo)
      .slice(0, limit)
      .map((each) => ({ ...each, state: 'open', muted: isMuted(each), openedAt: at, toldAt: at }) as const);
    return this.#tell(ripe, event);
  }

  async remind(...[kind, terms, limit]: Parameters<ConditionWatch['remind']>): Promise<number> {
    const { notifiedUpTo: toldUpTo, at, event } = terms;
    const due = this.#unresolved(kind)
      .filter(({ state, muted, toldAt }) => state === 'open' && !muted && (toldAt ?? at) <= toldUpTo)
      .slice(0, limit)
      .map((each) => ({ ...each, toldAt: at }));
    return this.#tell(due, event);
  }

  async unmute(...[after, terms, limit]: Parameters<ConditionWatch['unmute']>): Promise<number | null> {
    const { at, isMuted, event } = terms;
    const muted = [...this.#world.notifications.values()]
      .filter(
        ({ id, state, muted: is }) => id > after && is && (state === 'open' || state === 'acknowledged'),
      )
      .slice(0, limit);
    const heard = muted.filter((each) => !isMuted(each));
    this.#tell(
      heard.map((each) => ({ ...each, muted: false, toldAt: at })),
      event,
    );
    return muted.at(-1)?.id ?? null;
  }

  async endOfRemovedServers(at: Instant, limit: number): Promise<number> {
    const gone = [...this.#world.notifications.values()].filter(
      ({ state, serverId }) =>
        state !== 'resolved' && serverId !== null && !this.#world.servers.has(serverId),
    );
    return this.#resolve(gone.slice(0, limit), at, () => null);
  }

  async prune(resolvedBefore: Instant, limit: number): Promise<number> {
    const old = [...this.#world.notifications.values()]
      .filter(({ resolvedAt }) => resolvedAt !== null && resolvedAt < resolvedBefore)
      .slice(0, limit);
    for (const { id } of old) this.#world.notifications.delete(id);
    return old.length;
  }

  #unresolved(kind: string): readonly Notification[] {
    return [...this.#world.notifications.values()].filter(
      (each) => each.kind === kind && each.state !== 'resolved',
    );
  }

  #resolve(over: readonly Notification[], at: Instant, event: Told): number {
    for (const { id, state } of over) if (state === 'pending') this.#world.notifications.delete(id);
    const told = over.filter(({ state }) => state !== 'pending');
    this.#tell(
      told.map((each) => ({ ...each, state: 'resolved', resolvedAt: at }) as const),
      event,
    );
    return over.length;
  }

  /** Keeps them, and writes the events of those that are not muted. */
  #tell(notifications: readonly Notification[], event: Told): number {
    const heard = notifications.filter(({ muted }) => !muted);
    const events = heard.flatMap((each) => event(each) ?? []);
    for (const each of notifications) this.#put(each);
    this.#world.record.write({ events });
    return notifications.length;
  }

  #put(notification: Notification): void {
    this.#world.notifications.set(notification.id, notification);
  }

  #holding(kind: WatchedKind, thresholds: Thresholds): readonly Condition[] {
    const { servers, tokens, approvals, webhooks, clockJumps } = this.#world;
    const none = { serverId: null, jobId: null };
    if (kind === 'token.expiring') {
      return [...tokens.values()]
        .map(({ token }) => token)
        .filter(({ revokedAt, expiresAt: at }) => revokedAt === null && at !== null && at > thresholds.now)
        .filter(({ expiresAt }) => (expiresAt ?? 0) < thresholds.tokensExpireBefore)
        .map(({ id, name, expiresAt }) => ({
          ...none,
          kind,
          subjectId: id,
          variant: 'soon',
          name,
          at: expiresAt,
        }));
    }
    if (kind === 'webhook.disabled') {
      return [...webhooks.values()]
        .filter(({ enabled, disabledBecause }) => !enabled && disabledBecause === 'gone')
        .map(({ id, name, disabledAt }) => ({
          ...none,
          kind,
          subjectId: id,
          variant: 'gone',
          name,
          at: disabledAt,
        }));
    }
    if (kind === 'clock.jumped') {
      return [...clockJumps.values()].map(({ id, kind: variant, fromAt, toAt }) => ({
        ...none,
        kind,
        subjectId: id,
        variant,
        name: toIso(fromAt),
        at: toAt,
      }));
    }
    if (kind === 'approval.requested') {
      return [...approvals.values()]
        .filter(({ state }) => state === 'waiting')
        .map(({ id, jobType, serverId, jobId, subject, createdAt }) => ({
          kind,
          subjectId: id,
          variant: jobType,
          serverId,
          jobId,
          name: subject,
          at: createdAt,
        }));
    }
    return [...servers.values()].flatMap((server) => {
      const found = OF_SERVERS[kind](server, thresholds);
      const { id, name } = server;
      return found === null ? [] : [{ kind, subjectId: id, serverId: id, jobId: null, name, ...found }];
    });
  }
}

type Found = Pick<Condition, 'variant' | 'at'> | null;
type ServerKind = Exclude<
  WatchedKind,
  'token.expiring' | 'webhook.disabled' | 'approval.requested' | 'clock.jumped'
>;

const OF_SERVERS: Record<ServerKind, (server: Server, thresholds: Thresholds) => Found> = {
  'host_key.mismatch': ({ facts: { contactError, contactFailedSince: at } }) =>
    contactError === 'host_key_mismatch' ? { variant: 'mismatch', at } : null,
  'server.unreachable': ({ facts: { contactError, contactFailedSince: at } }) =>
    contactError === null || contactError === 'host_key_mismatch' ? null : { variant: contactError, at },
  'backup.stale': ({ features, facts: { lastBackupAt: at } }, { backupsStaleBefore }) => {
    if (!features.backup || (at !== null && at >= backupsStaleBefore)) return null;
    return { variant: at === null ? 'never' : 'late', at };
  },
  'server.reboot_pending': ({ facts: { rebootPending, inventoryAt: at } }) =>
    rebootPending ? { variant: 'pending', at } : null,
  'disk.filling': ({ facts: { diskFullAt: at, diskFullMount } }, { disksFullBefore }) =>
    at === null || at >= disksFullBefore ? null : { variant: (diskFullMount ?? '').slice(0, 64), at },
  'updates.available': ({ facts }) => {
    const security = (facts.securityUpdatesCount ?? 0) > 0;
    const others = (facts.osUpdatesCount ?? 0) > 0 || (facts.containerUpdatesCount ?? 0) > 0;
    if (!security && !others) return null;
    return { variant: security ? 'security' : 'ordinary', at: facts.lastOsCheckAt };
  },
};

export const newNotification = (
  id: number,
  condition: Condition,
  { severity, title, message }: Words,
  now: Instant,
): Notification => ({
  id,
  kind: condition.kind,
  subjectId: condition.subjectId,
  variant: condition.variant,
  state: 'pending',
  severity,
  muted: false,
  title,
  message,
  serverId: condition.serverId,
  serverName: condition.serverId === null ? null : condition.name,
  jobId: condition.jobId,
  beganAt: beganAt(condition, now),
  openedAt: null,
  toldAt: null,
  acknowledgedAt: null,
  acknowledgedBy: null,
  resolvedAt: null,
});
