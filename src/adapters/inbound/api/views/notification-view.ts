import * as z from 'zod';
import { toIso, toIsoOrNull } from '../../../../domain/base/instant.ts';
import { SEVERITIES } from '../../../../domain/events/event.ts';
import {
  NOTIFICATION_KINDS,
  NOTIFICATION_STATES,
  type Notification,
} from '../../../../domain/events/notification.ts';
import { id, text, textOrNull, time, timeOrNull } from './values.ts';

export const notificationSchema = z.strictObject({
  id,
  kind: z.enum(NOTIFICATION_KINDS),
  state: z.enum(NOTIFICATION_STATES),
  severity: z.enum(SEVERITIES),
  muted: z.boolean().describe('No notifications are sent, and it does not count as open'),
  title: text,
  message: text,
  server_id: id.nullable(),
  server_name: textOrNull,
  job_id: id.nullable(),
  began_at: time.describe('When the problem started'),
  opened_at: timeOrNull.describe('When the alert opened'),
  acknowledged_at: timeOrNull,
  acknowledged_by: textOrNull,
  resolved_at: timeOrNull,
});

export const notificationView = (notification: Notification): z.output<typeof notificationSchema> => ({
  id: notification.id,
  kind: notification.kind,
  // Pending ones are never shown.
  state: notification.state === 'pending' ? 'open' : notification.state,
  severity: notification.severity,
  muted: notification.muted,
  title: notification.title,
  message: notification.message,
  server_id: notification.serverId,
  server_name: notification.serverName,
  job_id: notification.jobId,
  began_at: toIso(notification.beganAt),
  opened_at: toIsoOrNull(notification.openedAt),
  acknowledged_at: toIsoOrNull(notification.acknowledgedAt),
  acknowledged_by: notification.acknowledgedBy,
  resolved_at: toIsoOrNull(notification.resolvedAt),
});
