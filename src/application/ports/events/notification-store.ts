import type { Instant } from '../../../domain/base/instant.ts';
import type { NotificationOrder } from '../../../domain/base/list-orders.ts';
import type { Page, PageRequest } from '../../../domain/base/page.ts';
import type { AlertPolicy, Mute } from '../../../domain/events/alert-policy.ts';
import type { Severity } from '../../../domain/events/event.ts';
import type {
  Notification,
  NotificationKind,
  NotificationState,
} from '../../../domain/events/notification.ts';
import type { ChangeRecord } from './change-record.ts';

export interface NotificationFilter {
  /** Only these; absent: every state. Those that are still `pending` are never there. */
  readonly states?: readonly Exclude<NotificationState, 'pending'>[];
  readonly kind?: NotificationKind;
  readonly kinds?: readonly NotificationKind[];
  /** Muted alerts are neither sent nor counted. */
  readonly muted?: boolean;
  readonly minSeverity?: Severity;
  readonly serverId?: number;
  /** Only those about these servers, and then none that is about no server; `null` or absent: all. */
  readonly serverIds?: readonly number[] | null;
}

/** Alerts and mutes. */
export interface NotificationStore {
  /** Newest first unless another order is given. */
  list(filter: NotificationFilter, page: PageRequest, order?: NotificationOrder): Promise<Page<Notification>>;
  /**
   * Those that are open or acknowledged, or only the unacknowledged ones; none that is muted; about these servers
   * (`null`: all, and about none).
   */
  countOpen(serverIds: readonly number[] | null, which?: 'unacknowledged'): Promise<number>;
  /** Ends its reminders. An acknowledged one stays as it is. Throws `notification_not_found` if it is resolved. */
  acknowledge(
    id: number,
    by: string,
    at: Instant,
    record: (notification: Notification) => ChangeRecord,
  ): Promise<Notification>;
  /** Undoes `acknowledge`. An open one stays as it is. Throws `notification_not_found` if it is resolved. */
  reopen(id: number, record: (notification: Notification) => ChangeRecord): Promise<Notification>;
  /** Those that differ from the defaults. */
  policies(): Promise<readonly AlertPolicy[]>;
  setPolicy(policy: AlertPolicy, record: ChangeRecord): Promise<void>;
  /** Those that have not run out, the oldest first. */
  mutes(now: Instant): Promise<readonly Mute[]>;
  /** Also mutes matching open alerts. Deletes expired mutes. */
  mute(mute: Omit<Mute, 'id'>, record: (mute: Mute) => ChangeRecord): Promise<Mute>;
  /** Throws `mute_not_found`. The next check of the conditions sends what it muted. */
  unmute(id: number, record: ChangeRecord): Promise<void>;
}
