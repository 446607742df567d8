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

/** An event, and where it goes. */
export interface HandedOut {
  readonly event: WrittenEvent;
  /** What webhooks are sent; `null` where no target needs it. */
  readonly body: string | null;
  readonly targets: readonly Target[];
}

/** What an event of a job says about its type on its server: the last one failed, or did not. */
export interface JobNotice {
  readonly condition: Condition;
  /** `null`: it succeeded, which ends the notification that there may be. */
  readonly words: (Words & { readonly muted: boolean }) | null;
}

/** A delivery whose time has come, with what is sent. */
export interface DueDelivery extends Delivery {
  readonly body: string;
}

/** Events on their way out. */
export interface DeliveryStore {
  /** Events that nobody has handed out, in the order in which they were written; at most `limit`. */
  waiting(limit: number): Promise<readonly WrittenEvent[]>;
  /**
   * Makes the deliveries of waiting events, and opens, renews and ends notifications of failed jobs, in one transaction;
   * the events wait no more. Returns false, and changes nothing, where another process has handed out one of them.
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
  /** What is due to a target, in the order of the events. */
  due(target: Target, now: Instant, limit: number): Promise<readonly DueDelivery[]>;
  /**
   * Writes what a try came to. False, and nothing is written, where the delivery is not as it was: another process tried
   * it too, or it was cancelled or sent again meanwhile.
   */
  settle(delivery: Delivery, attempt: Attempt, outcome: AttemptOutcome, at: Instant): Promise<boolean>;
  /** Newest first. */
  list(
    filter: { readonly target?: Target; readonly channel?: Channel; readonly status?: DeliveryStatus },
    page: PageRequest,
  ): Promise<Page<Delivery>>;
  find(id: number): Promise<Delivery | null>;
  /** What is sent by a delivery; `null` where it is not there, or its channel sends something else. */
  bodyOf(id: number): Promise<string | null>;
  /** Lets a delivery begin again, whatever became of it. Throws `delivery_not_found`. */
  resend(id: number, at: Instant, record: ChangeRecord): Promise<Delivery>;
  /** Forgets events from before that are not waiting, with their deliveries; returns how many. */
  prune(before: Instant, limit: number): Promise<number>;
}
