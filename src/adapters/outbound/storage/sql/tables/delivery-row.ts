import type { Channel, Delivery, DeliveryStatus } from '../../../../../domain/events/delivery.ts';
import type { EventType, Severity, WrittenEvent } from '../../../../../domain/events/event.ts';

/** Of an event by itself. */
export const EVENT_COLUMNS = [
  'id',
  'uid',
  'type',
  'severity',
  'title',
  'message',
  'server_id',
  'job_id',
  'at',
] as const;

export interface EventRow {
  readonly id: number;
  readonly uid: string;
  readonly type: EventType;
  readonly severity: Severity;
  readonly title: string;
  readonly message: string;
  readonly server_id: number | null;
  readonly job_id: number | null;
  readonly at: number;
}

export const toEvent = (row: EventRow): WrittenEvent => ({
  id: row.id,
  uid: row.uid,
  type: row.type,
  severity: row.severity,
  title: row.title,
  message: row.message,
  serverId: row.server_id,
  jobId: row.job_id,
  at: row.at,
});

/** A delivery `d` with its event `e`. */
export const DELIVERY_COLUMNS = [
  ...EVENT_COLUMNS.map((name) => `e.${name} as event_${name}`),
  'd.id',
  'd.channel',
  'd.target_id',
  'd.status',
  'd.attempts',
  'd.due_at',
  'd.created_at',
  'd.last_attempt_at',
  'd.status_code',
  'd.duration_ms',
  'd.error',
] as const;

type EventOfDelivery = { readonly [K in keyof EventRow as `event_${K}`]: EventRow[K] };

export interface DeliveryRow extends EventOfDelivery {
  readonly id: number;
  readonly channel: Channel;
  readonly target_id: number;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly due_at: number | null;
  readonly created_at: number;
  readonly last_attempt_at: number | null;
  readonly status_code: number | null;
  readonly duration_ms: number | null;
  readonly error: string | null;
}

export const toDelivery = (row: DeliveryRow): Delivery => ({
  id: row.id,
  target: { channel: row.channel, id: row.target_id },
  event: toEvent({
    id: row.event_id,
    uid: row.event_uid,
    type: row.event_type,
    severity: row.event_severity,
    title: row.event_title,
    message: row.event_message,
    server_id: row.event_server_id,
    job_id: row.event_job_id,
    at: row.event_at,
  }),
  status: row.status,
  attempts: row.attempts,
  dueAt: row.due_at,
  createdAt: row.created_at,
  lastAttemptAt: row.last_attempt_at,
  statusCode: row.status_code,
  durationMs: row.duration_ms,
  error: row.error,
});
