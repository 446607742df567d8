import { DomainError } from '../base/errors.ts';
import { DAY, type Instant } from '../base/instant.ts';
import type { DomainEvent, EventType, Severity } from './event.ts';

/** Conditions that a look at the database finds, and finds to be over. */
export const WATCHED_KINDS = [
  'host_key.mismatch',
  'server.unreachable',
  'backup.stale',
  'server.reboot_pending',
  'updates.available',
  'token.expiring',
  'approval.requested',
  'webhook.disabled',
  'clock.jumped',
] as const satisfies readonly EventType[];
export type WatchedKind = (typeof WATCHED_KINDS)[number];

/** What there are notifications of. A failed job's begins and ends with events of jobs of its type. */
export const NOTIFICATION_KINDS = ['job.failed', ...WATCHED_KINDS] as const;
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number];

/** `pending`: for too short a while yet to tell anybody. Those are not shown. */
export const NOTIFICATION_STATES = ['open', 'acknowledged', 'resolved'] as const;
export type NotificationState = (typeof NOTIFICATION_STATES)[number] | 'pending';

/** A condition that asks for somebody's attention. There is one of each until it is over. */
export interface Notification {
  readonly id: number;
  readonly kind: NotificationKind;
  /** The id of the server, token, job or webhook that it is about; the kind says which. */
  readonly subjectId: number;
  /** Which of its forms it has, such as never or late; of failed jobs their type. */
  readonly variant: string;
  readonly state: NotificationState;
  readonly severity: Severity;
  /** Told to nobody, and counted nowhere. */
  readonly muted: boolean;
  readonly title: string;
  readonly message: string;
  readonly serverId: number | null;
  /** `null` where it is about no server. */
  readonly serverName: string | null;
  readonly jobId: number | null;
  readonly beganAt: Instant;
  readonly openedAt: Instant | null;
  /** When it was told last. */
  readonly toldAt: Instant | null;
  readonly acknowledgedAt: Instant | null;
  readonly acknowledgedBy: string | null;
  readonly resolvedAt: Instant | null;
}

/** Something that is so, as the database tells it. */
export interface Condition {
  readonly kind: NotificationKind;
  readonly subjectId: number;
  readonly variant: string;
  readonly serverId: number | null;
  readonly jobId: number | null;
  /** Of the server, token or webhook. */
  readonly name: string;
  /** The time that tells more about it: of the last backup, of expiry, since when. */
  readonly at: Instant | null;
}

export interface Words {
  readonly severity: Severity;
  readonly title: string;
  readonly message: string;
}

/** Tokens that expire within this are told of. */
export const TOKEN_EXPIRING_MS = 7 * DAY;

/** Names a condition. Failed jobs of one type on one server are one, whichever job it is. */
export const openKeyOf = ({
  kind,
  subjectId,
  variant,
}: Pick<Condition, 'kind' | 'subjectId' | 'variant'>): string =>
  kind === 'job.failed' ? `${kind}:${subjectId}:${variant}` : `${kind}:${subjectId}`;

/** Since when it is so, as far as anybody knows. */
export const beganAt = ({ kind, at }: Condition, now: Instant): Instant =>
  kind === 'server.unreachable' || kind === 'host_key.mismatch' ? Math.min(at ?? now, now) : now;

/** Their beginning was told by the change that brought it about. */
const TOLD_BY_THE_CHANGE: readonly NotificationKind[] = ['job.failed', 'approval.requested'];

const eventOf = (notification: Notification, at: Instant): DomainEvent => ({
  type: notification.kind,
  at,
  severity: notification.severity,
  title: notification.title,
  message: notification.message,
  serverId: notification.serverId,
  jobId: notification.jobId,
});

/** What is told when it is opened; `null`: it was told before. */
export const openingEvent = (notification: Notification, at: Instant): DomainEvent | null =>
  TOLD_BY_THE_CHANGE.includes(notification.kind) ? null : eventOf(notification, at);

/** What is told when it goes on, or turns worse. */
export const reminderEvent = (notification: Notification, at: Instant): DomainEvent => ({
  ...eventOf(notification, at),
  message: `${notification.message} This goes on.`,
});

const OVER: Partial<Record<NotificationKind, string>> = {
  'host_key.mismatch': 'shows its confirmed host key again',
  'server.unreachable': 'can be reached again',
  'backup.stale': 'has fresh backups again',
  'server.reboot_pending': 'no longer needs a reboot',
  'updates.available': 'has no pending updates',
};

/** What is told when it is over; `null` where nobody was told of it, or it is about no server. */
export function recoveryEvent(notification: Notification, at: Instant): DomainEvent | null {
  const words = OVER[notification.kind];
  const { serverId, serverName, title } = notification;
  if (words === undefined || serverId === null || serverName === null) return null;
  return {
    type: 'server.recovered',
    at,
    severity: 'info',
    title: `${serverName} ${words}`,
    message: `It is over: ${title}.`,
    serverId,
    jobId: null,
  };
}

export const notificationNotFound = (id: number): DomainError =>
  new DomainError('notification_not_found', `There is no open notification with id ${id}.`);
