import type { Instant } from './instant.ts';

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
export type EventType = (typeof EVENT_TYPES)[number];

export type Severity = 'info' | 'warning' | 'critical';

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
