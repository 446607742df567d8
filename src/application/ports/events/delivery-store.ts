import type { Instant } from '../../../domain/base/instant.ts';
import type { Page, PageRequest } from '../../../domain/base/page.ts';
import type {
  Attempt,
  AttemptOutcome,
  Channel,
  Delivery,
  DeliveryStatus,
  Target,
} from '../../../domain/events/delivery.ts';
import type { WrittenEvent } from '../../../domain/events/event.ts';
import type { Condition, Words } from '../../../domain/events/notification.ts';
import type { ChangeRecord } from './change-record.ts';

/** An event and its receivers. */
export interface HandedOut {
  readonly event: WrittenEvent;
  /** The content for webhooks; `null` if no target needs it. */
  readonly body: string | null;
  readonly targets: readonly Target[];
}

/** What an event of a job says about its type on its server: whether the last one failed. */
export interface JobNotice {
  readonly condition: Condition;
  /** `null`: it succeeded, which ends the notification that there may be. */
  readonly words: (Words & { readonly muted: boolean }) | null;
}

/** A due delivery, with its content. */
export interface DueDelivery extends Delivery {
  readonly body: string;
}

/** A delivery after an attempt. */
export interface Settlement {
  readonly delivery: Delivery;
  readonly outcome: AttemptOutcome;
}

/** Events on their way out. */
export interface DeliveryStore {
  /** Events that are not handed out yet, in the order of writing; at most `limit`. */
  waiting(limit: number): Promise<readonly WrittenEvent[]>;
  /**
   * Creates the deliveries of waiting events, and opens, renews and resolves alerts about failed jobs, in one
   * transaction; the events then no longer wait. Returns false, and changes nothing, if another process has handed
   * out one of them.
   */
  handOut(events: readonly HandedOut[], notices: readonly JobNotice[], at: Instant): Promise<boolean>;
  /** Writes an event for one target alone. */
  send(
    event: Omit<WrittenEvent, 'id'>,
    body: string,
    target: Target,
    record: ChangeRecord,
  ): Promise<Delivery>;
  /** The ids of the channel's targets with something due. */
  dueTargets(channel: Channel, now: Instant): Promise<readonly number[]>;
  /** Due deliveries of a target, in the order of the events. */
  due(target: Target, now: Instant, limit: number): Promise<readonly DueDelivery[]>;
  /**
   * Records the result of an attempt. False, and nothing is written, if the delivery has changed: another process
   * attempted it too, or it was cancelled or sent again in the meantime.
   */
  settle(delivery: Delivery, attempt: Attempt, outcome: AttemptOutcome, at: Instant): Promise<boolean>;
  /** The same for several that one message delivered, in one transaction; those that have changed stay as they are. */
  settleTogether(outcomes: readonly Settlement[], attempt: Attempt, at: Instant): Promise<void>;
  /** Makes it due later, without an attempt, unless it has changed. */
  postpone(delivery: Delivery, until: Instant): Promise<void>;
  /** Newest first. */
  list(
    filter: { readonly target?: Target; readonly channel?: Channel; readonly status?: DeliveryStatus },
    page: PageRequest,
  ): Promise<Page<Delivery>>;
  find(id: number): Promise<Delivery | null>;
  /** The content of a delivery; `null` if it does not exist, or is for another channel. */
  bodyOf(id: number): Promise<string | null>;
  /** Restarts a delivery, whatever its state. Throws `delivery_not_found`. */
  resend(id: number, at: Instant, record: ChangeRecord): Promise<Delivery>;
  /** Deletes older events that are not waiting, with their deliveries; returns how many. */
  prune(before: Instant, limit: number): Promise<number>;
}
