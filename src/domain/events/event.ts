import type { Instant } from '../base/instant.ts';

/** What webhooks can be sent. */
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
  'host_key.mismatch',
  'token.expiring',
  'approval.requested',
] as const;

/** What people alone are told: it is about the ways on which others are, or about the service itself. */
const TOLD_TO_PEOPLE = ['webhook.disabled', 'clock.jumped'] as const;

export type EventType = (typeof EVENT_TYPES)[number] | (typeof TOLD_TO_PEOPLE)[number];

export const isForWebhooks = (type: EventType): boolean => EVENT_TYPES.some((each) => each === type);

/** The least grave first. */
export const SEVERITIES = ['info', 'warning', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

export const isAtLeast = (severity: Severity, least: Severity): boolean =>
  SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(least);

/** Something that others may want to hear of. Written in the transaction of the change that it tells. */
export interface DomainEvent {
  readonly type: EventType;
  readonly at: Instant;
  readonly severity: Severity;
  readonly title: string;
  readonly message: string;
  readonly serverId: number | null;
  readonly jobId: number | null;
}

/** An event as it was written, with the name that it keeps wherever and however often it is sent. */
export interface WrittenEvent extends DomainEvent {
  readonly id: number;
  readonly uid: string;
}
