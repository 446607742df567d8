import type { Instant } from '../base/instant.ts';

/** Events for webhooks. */
export const EVENT_TYPES = [
  'ping',
  'job.started',
  'job.succeeded',
  'job.failed',
  'job.cancelled',
  'backup.stale',
  'server.unreachable',
  'server.recovered',
  'server.reboot_pending',
  'updates.available',
  'disk.filling',
  'os.end_of_life',
  'service.unhealthy',
  'updates.stopped',
  'host_key.mismatch',
  'token.expiring',
  'approval.requested',
  'approval.given',
] as const;

/** Events for people only: about the notification channels, about the service itself, or about the fleet as a whole. */
const TOLD_TO_PEOPLE = ['webhook.disabled', 'clock.jumped', 'report.weekly'] as const;

export type EventType = (typeof EVENT_TYPES)[number] | (typeof TOLD_TO_PEOPLE)[number];

/** Names of events and alerts for users. */
export const EVENT_TITLES: Readonly<Record<EventType, string>> = {
  ping: 'Test message',
  'job.started': 'Job started',
  'job.succeeded': 'Job succeeded',
  'job.failed': 'Job failed',
  'job.cancelled': 'Job cancelled',
  'backup.stale': 'Backup overdue',
  'disk.filling': 'Disk filling up',
  'os.end_of_life': 'Operating system out of support',
  'service.unhealthy': 'Service unhealthy',
  'updates.stopped': 'Updates stopped',
  'server.unreachable': 'Server unreachable',
  'server.recovered': 'Server recovered',
  'server.reboot_pending': 'Reboot pending',
  'updates.available': 'Updates available',
  'host_key.mismatch': 'Host key changed',
  'token.expiring': 'Token expires soon',
  'approval.requested': 'Approval requested',
  'approval.given': 'Approval given',
  'webhook.disabled': 'Webhook disabled',
  'clock.jumped': 'Clock changed',
  'report.weekly': 'Weekly report',
};

export const isForWebhooks = (type: EventType): boolean => EVENT_TYPES.some((each) => each === type);

/** The least grave first. */
export const SEVERITIES = ['info', 'warning', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

export const isAtLeast = (severity: Severity, least: Severity): boolean =>
  SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(least);

/** Something that happened. Written in the same transaction as the change. */
export interface DomainEvent {
  readonly type: EventType;
  readonly at: Instant;
  readonly severity: Severity;
  readonly title: string;
  readonly message: string;
  readonly serverId: number | null;
  readonly jobId: number | null;
  /** Names the problem that it is about, if another event resolves it: channels keep one message for it. */
  readonly problem?: string | null;
}

/** Events that resolve a problem. */
export const isRecovery = ({ type }: Pick<DomainEvent, 'type'>): boolean =>
  type === 'server.recovered' || type === 'job.succeeded';

/** A stored event, with an id that stays the same for all deliveries. */
export interface WrittenEvent extends DomainEvent {
  readonly id: number;
  readonly uid: string;
}
