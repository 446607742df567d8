import type { Instant } from '../../../domain/base/instant.ts';
import type { Mute } from '../../../domain/events/alert-policy.ts';
import type { DomainEvent } from '../../../domain/events/event.ts';
import type {
  Condition,
  Notification,
  NotificationKind,
  WatchedKind,
  Words,
} from '../../../domain/events/notification.ts';

/** The limits after which something counts as late or soon. */
export interface Thresholds {
  /** Backups before it are stale. */
  readonly backupsStaleBefore: Instant;
  /** Tokens expire soon that expire before it, and after `now`. */
  readonly tokensExpireBefore: Instant;
  /** File systems run out of space soon if growth fills them before it. */
  readonly disksFullBefore: Instant;
  /** Support of releases ends soon that ends before it. */
  readonly supportEndsBefore: Instant;
  readonly now: Instant;
}

/**
 * Compares conditions with alerts. Every step handles at most `limit` of one kind in one transaction, with their
 * events, and returns how many; if that is `limit` there may be more. Safe to run twice at the same time: the second
 * finds nothing left.
 */
export interface ConditionWatch {
  /** Makes a pending notification for each condition that has none. */
  begin(
    kind: WatchedKind,
    thresholds: Thresholds,
    words: (condition: Condition) => Words,
    limit: number,
  ): Promise<number>;
  /**
   * Updates the text of alerts whose condition has changed its variant. Those that are sent get an event if one is
   * given.
   */
  revise(
    kind: WatchedKind,
    thresholds: Thresholds,
    change: {
      readonly words: (condition: Condition) => Words;
      readonly event: (before: Notification, after: Notification) => DomainEvent | null;
    },
    limit: number,
  ): Promise<number>;
  /** Resolves alerts whose condition is over; deletes pending ones. Muted ones cause no event. */
  end(
    kind: WatchedKind,
    thresholds: Thresholds,
    event: (notification: Notification) => DomainEvent | null,
    limit: number,
  ): Promise<number>;
  /** Opens pending ones that started at `beganUpTo` or before. */
  open(
    kind: NotificationKind,
    terms: {
      readonly beganUpTo: Instant;
      readonly at: Instant;
      /** Asked with the mutes of that moment. */
      readonly isMuted: (notification: Notification, mutes: readonly Mute[]) => boolean;
      readonly event: (notification: Notification) => DomainEvent | null;
    },
    limit: number,
  ): Promise<number>;
  /** Repeats open alerts that were last sent at `notifiedUpTo` or before, unless acknowledged or muted. */
  remind(
    kind: NotificationKind,
    terms: {
      readonly notifiedUpTo: Instant;
      readonly at: Instant;
      readonly event: (notification: Notification) => DomainEvent;
    },
    limit: number,
  ): Promise<number>;
  /** Sends alerts that are no longer muted. `after`: only greater ids; returns the last id, or null. */
  unmute(
    after: number,
    terms: {
      readonly at: Instant;
      /** Asked with the mutes of that moment. */
      readonly isMuted: (notification: Notification, mutes: readonly Mute[]) => boolean;
      readonly event: (notification: Notification) => DomainEvent | null;
    },
    limit: number,
  ): Promise<number | null>;
  /** Resolves those about servers that were removed, without a word. */
  endOfRemovedServers(at: Instant, limit: number): Promise<number>;
  /** Deletes resolved ones; returns how many. */
  prune(resolvedBefore: Instant, limit: number): Promise<number>;
}
