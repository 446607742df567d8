import type { Channel, Delivery, DeliveryStatus } from '../../../../../domain/events/delivery.ts';
import type { EventType, Severity, WrittenEvent } from '../../../../../domain/events/event.ts';
import { columns, int, named, oneOf, orNull, type Row, text } from './columns.ts';

export const EVENTS = columns({
  id: int,
  uid: text,
  type: oneOf<EventType>(),
  severity: oneOf<Severity>(),
  title: text,
  message: text,
  serverId: orNull(int),
  jobId: orNull(int),
  at: int,
});

export type EventRow = Row<typeof EVENTS>;
export const toEvent: (row: EventRow) => WrittenEvent = EVENTS.read;

const DELIVERIES = columns({
  id: int,
  target: { channel: oneOf<Channel>(), id: named('target_id', int) },
  status: oneOf<DeliveryStatus>(),
  attempts: int,
  dueAt: orNull(int),
  createdAt: int,
  lastAttemptAt: orNull(int),
  statusCode: orNull(int),
  durationMs: orNull(int),
  error: orNull(text),
});

/** A delivery `d` with its event `e`. */
export const DELIVERY_COLUMNS = [
  ...EVENTS.names.map((name) => `e.${name} as event_${name}`),
  ...DELIVERIES.names.map((name) => `d.${name}`),
];

type EventOfDelivery = { readonly [K in keyof EventRow as `event_${K}`]: EventRow[K] };
export type DeliveryRow = EventOfDelivery & Row<typeof DELIVERIES>;

export const toDelivery = (row: DeliveryRow): Delivery => ({
  ...DELIVERIES.read(row),
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
});
