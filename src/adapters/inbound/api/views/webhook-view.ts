import * as z from 'zod';
import { type Instant, toIso, toIsoOrNull } from '../../../../domain/base/instant.ts';
import { DELIVERY_STATUSES, type Delivery } from '../../../../domain/events/delivery.ts';
import { SEVERITIES } from '../../../../domain/events/event.ts';
import { formerSigns, type Webhook } from '../../../../domain/events/webhook.ts';
import { count, countOrNull, id, text, textOrNull, time, timeOrNull } from './values.ts';

/** Neither its secret nor the whole of its address. */
const webhookSchema = z.strictObject({
  id,
  name: text,
  origin: z.enum(['settings', 'environment']),
  url: text,
  events: z.array(text).nullable(),
  min_severity: z.enum(SEVERITIES),
  tags: z.array(text).nullable(),
  enabled: z.boolean(),
  disabled_because: z.enum(['operator', 'gone']).nullable(),
  disabled_at: timeOrNull,
  former_secret_until: timeOrNull,
  created_by: text,
  created_at: time,
  updated_at: time,
});

export const webhookView = (webhook: Webhook, now: Instant): z.output<typeof webhookSchema> => ({
  id: webhook.id,
  name: webhook.name,
  origin: webhook.origin,
  url: webhook.shownUrl,
  events: webhook.filter.events === null ? null : [...webhook.filter.events],
  min_severity: webhook.filter.minSeverity,
  tags: webhook.filter.tags === null ? null : [...webhook.filter.tags],
  enabled: webhook.enabled,
  disabled_because: webhook.disabledBecause,
  disabled_at: toIsoOrNull(webhook.disabledAt),
  former_secret_until: formerSigns(webhook, now) ? toIsoOrNull(webhook.formerUntil) : null,
  created_by: webhook.createdBy,
  created_at: toIso(webhook.createdAt),
  updated_at: toIso(webhook.updatedAt),
});

const deliverySchema = z.strictObject({
  id,
  /** The webhook or channel. */
  webhook_id: id.nullable(),
  channel_id: id.nullable(),
  event_id: text,
  type: text,
  severity: z.enum(SEVERITIES),
  title: text,
  status: z.enum(DELIVERY_STATUSES),
  attempts: count,
  next_attempt_at: timeOrNull,
  created_at: time,
  last_attempt_at: timeOrNull,
  status_code: countOrNull,
  duration_ms: countOrNull,
  error: textOrNull,
});

export const deliveryView = (delivery: Delivery): z.output<typeof deliverySchema> => ({
  id: delivery.id,
  webhook_id: delivery.target.channel === 'webhook' ? delivery.target.id : null,
  channel_id: delivery.target.channel === 'channel' ? delivery.target.id : null,
  event_id: delivery.event.uid,
  type: delivery.event.type,
  severity: delivery.event.severity,
  title: delivery.event.title,
  status: delivery.status,
  attempts: delivery.attempts,
  next_attempt_at: toIsoOrNull(delivery.dueAt),
  created_at: toIso(delivery.createdAt),
  last_attempt_at: toIsoOrNull(delivery.lastAttemptAt),
  status_code: delivery.statusCode,
  duration_ms: delivery.durationMs,
  error: delivery.error,
});
