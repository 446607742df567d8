import type { Instant } from '../../../domain/base/instant.ts';
import type { DomainEvent } from '../../../domain/events/event.ts';
import type {
  Condition,
  Notification,
  NotificationKind,
  WatchedKind,
  Words,
} from '../../../domain/events/notification.ts';

/** By what time something counts as late or soon. */
export interface Thresholds {
  /** Backups before it are stale. */
  readonly backupsStaleBefore: Instant;
  /** Tokens expire soon that expire before it, and after `now`. */
  readonly tokensExpireBefore: Instant;
  readonly now: Instant;
}

/**
 * Holds what is so against what there are notifications of. Every step handles at most `limit` of one kind in one
 * transaction, with the events that tell of it, and returns how many; when that is `limit` there may be more. Safe for
 * two at once: of both, one comes second and finds it done.
 */
export interface ConditionWatch {
  /** Makes a pending notification for each condition that has none. */
  begin(
    kind: WatchedKind,
    thresholds: Thresholds,
    words: (condition: Condition) => Words,
    limit: number,
  ): Promise<number>;
  /** Gives those whose condition has changed its form the new words. Those that are told get an event where one is given. */
  revise(
    kind: WatchedKind,
    thresholds: Thresholds,
    change: {
      readonly words: (condition: Condition) => Words;
      readonly event: (before: Notification, after: Notification) => DomainEvent | null;
    },
    limit: number,
  ): Promise<number>;
  /** Resolves those whose condition is over; pending ones are forgotten. Muted ones leave no event. */
  end(
    kind: WatchedKind,
    thresholds: Thresholds,
    event: (notification: Notification) => DomainEvent | null,
    limit: number,
  ): Promise<number>;
  /** Opens pending ones that began at `beganUpTo` or before. */
  open(
    kind: NotificationKind,
    terms: {
      readonly beganUpTo: Instant;
      readonly at: Instant;
      readonly isMuted: (notification: Notification) => boolean;
      readonly event: (notification: Notification) => DomainEvent | null;
    },
    limit: number,
  ): Promise<number>;
  /** Tells open ones again that were told last at `toldUpTo` or before; neither acknowledged nor muted ones. */
  remind(
    kind: NotificationKind,
    terms: {
      readonly notifiedUpTo: Instant;
      readonly at: Instant;
      readonly event: (notification: Notification) => DomainEvent;
    },
    limit: number,
  ): Promise<number>;
  /** Tells muted ones that nothing mutes any more. `after`: their ids are greater; returns the last one's, or null. */
  unmute(
    after: number,
    terms: {
      readonly at: Instant;
      readonly isMuted: (notification: Notification) => boolean;
      readonly event: (notification: Notification) => DomainEvent | null;
    },
    limit: number,
  ): Promise<number | null>;
  /** Resolves those about servers that were removed, without a word. */
  endOfRemovedServers(at: Instant, limit: number): Promise<number>;
  /** Forgets resolved ones; returns how many. */
  prune(resolvedBefore: Instant, limit: number): Promise<number>;
}
