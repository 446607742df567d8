import { DomainError } from '../base/errors.ts';
import { DAY, type Instant } from '../base/instant.ts';
import type { DomainEvent, EventType, Severity } from './event.ts';

/** Conditions that are opened and resolved from the database. */
export const WATCHED_KINDS = [
  'host_key.mismatch',
  'server.unreachable',
  'backup.stale',
  'server.reboot_pending',
  'updates.available',
  'disk.filling',
  'os.end_of_life',
  'service.unhealthy',
  'updates.stopped',
  'token.expiring',
  'approval.requested',
  'webhook.disabled',
  'clock.jumped',
] as const satisfies readonly EventType[];
export type WatchedKind = (typeof WATCHED_KINDS)[number];

/** The variant of a full disk; otherwise it is the mount point of the one that fills up. */
export const DISK_NEARLY_FULL = 'nearly full';

/** Kinds of alerts. Events of jobs open and resolve the alert about failed jobs of their type. */
export const NOTIFICATION_KINDS = ['job.failed', ...WATCHED_KINDS] as const;
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number];

/** `pending`: has not lasted long enough to notify. Not shown. */
export const NOTIFICATION_STATES = ['open', 'acknowledged', 'resolved'] as const;
export type NotificationState = (typeof NOTIFICATION_STATES)[number] | 'pending';

/** A problem that needs attention. There is one alert for each until it is resolved. */
export interface Notification {
  readonly id: number;
  readonly kind: NotificationKind;
  /** The id of the server, token, job or webhook that the alert is about; the kind says which. */
  readonly subjectId: number;
  /** Its variant, such as never or late; for failed jobs their type. */
  readonly variant: string;
  readonly state: NotificationState;
  readonly severity: Severity;
  /** Not sent to anyone, and not counted. */
  readonly muted: boolean;
  readonly title: string;
  readonly message: string;
  readonly serverId: number | null;
  /** `null` if it is not about a server. */
  readonly serverName: string | null;
  readonly jobId: number | null;
  readonly beganAt: Instant;
  readonly openedAt: Instant | null;
  /** Last notification. */
  readonly toldAt: Instant | null;
  readonly acknowledgedAt: Instant | null;
  readonly acknowledgedBy: string | null;
  readonly resolvedAt: Instant | null;
}

/** What needs of the server, or of its jobs, show already. */
const SHOWN_WITHOUT_ALERT: readonly NotificationKind[] = [
  'host_key.mismatch',
  'server.unreachable',
  'backup.stale',
  'server.reboot_pending',
  'updates.available',
  'approval.requested',
];

/** Kinds of alerts that are a need of their server; a disk that is `DISK_NEARLY_FULL` is one already. */
export const ALERTS_AS_NEEDS = NOTIFICATION_KINDS.filter((kind) => !SHOWN_WITHOUT_ALERT.includes(kind));

export const isAlertANeed = ({ kind, variant, severity }: Notification): boolean =>
  ALERTS_AS_NEEDS.includes(kind) && variant !== DISK_NEARLY_FULL && severity !== 'info';

/** A condition found in the database. */
export interface Condition {
  readonly kind: NotificationKind;
  readonly subjectId: number;
  readonly variant: string;
  readonly serverId: number | null;
  readonly jobId: number | null;
  /** Of the server, token or webhook. */
  readonly name: string;
  /** A time that explains it: of the last backup, of expiry, since when. */
  readonly at: Instant | null;
}

export interface Words {
  readonly severity: Severity;
  readonly title: string;
  readonly message: string;
}

/** Tokens that expire within this time get an alert. */
export const TOKEN_EXPIRING_MS = 7 * DAY;

/** Identifies a condition. Failed jobs of one type on one server are a single condition. */
export const openKeyOf = ({
  kind,
  subjectId,
  variant,
}: Pick<Condition, 'kind' | 'subjectId' | 'variant'>): string =>
  kind === 'job.failed' ? `${kind}:${subjectId}:${variant}` : `${kind}:${subjectId}`;

/** The earliest known time of the condition. */
export const beganAt = ({ kind, at }: Condition, now: Instant): Instant =>
  kind === 'server.unreachable' || kind === 'host_key.mismatch' ? Math.min(at ?? now, now) : now;

/** Opened by the change that caused them. */
const TOLD_BY_THE_CHANGE: readonly NotificationKind[] = ['job.failed', 'approval.requested'];

const eventOf = (notification: Notification, at: Instant): DomainEvent => ({
  type: notification.kind,
  at,
  severity: notification.severity,
  title: notification.title,
  message: notification.message,
  serverId: notification.serverId,
  jobId: notification.jobId,
  problem: problemOf(notification),
});

/** `null` if nothing says that it is over. */
const problemOf = (notification: Notification): string | null =>
  notification.kind === 'job.failed' || OVER[notification.kind] !== undefined
    ? openKeyOf(notification)
    : null;

/** The event when it opens; `null`: it was already sent. */
export const openingEvent = (notification: Notification, at: Instant): DomainEvent | null =>
  TOLD_BY_THE_CHANGE.includes(notification.kind) ? null : eventOf(notification, at);

/** The event when it repeats, or gets worse. */
export const reminderEvent = (notification: Notification, at: Instant): DomainEvent => ({
  ...eventOf(notification, at),
  message: `${notification.message} The problem continues.`,
});

const OVER: Partial<Record<NotificationKind, string>> = {
  'host_key.mismatch': 'presents its confirmed host key again',
  'server.unreachable': 'is reachable again',
  'backup.stale': 'has recent backups again',
  'server.reboot_pending': 'no longer needs a reboot',
  'updates.available': 'has no pending updates',
  'disk.filling': 'has enough disk space again',
  'os.end_of_life': 'runs a supported release again',
  'service.unhealthy': 'has a service that is healthy again',
};

/** The event when it resolves; `null` if the alert was never sent, or is not about a server. */
export function recoveryEvent(notification: Notification, at: Instant): DomainEvent | null {
  const words = OVER[notification.kind];
  const { serverId, serverName, title } = notification;
  if (words === undefined || serverId === null || serverName === null) return null;
  return {
    type: 'server.recovered',
    at,
    severity: 'info',
    title: `${serverName} ${words}`,
    message: `Resolved: ${title}.`,
    serverId,
    jobId: null,
    problem: openKeyOf(notification),
  };
}

export const notificationNotFound = (id: number): DomainError =>
  new DomainError('notification_not_found', `There is no open alert with id ${id}.`);
