import type { Severity } from '../../../../../domain/events/event.ts';
import {
  beganAt,
  type Condition,
  type Notification,
  type NotificationKind,
  type NotificationState,
  openKeyOf,
  type Words,
} from '../../../../../domain/events/notification.ts';
import { hostText } from './host-text.ts';

export const NOTIFICATION_COLUMNS = [
  'id',
  'kind',
  'subject_id',
  'variant',
  'state',
  'severity',
  'muted',
  'title',
  'message',
  'server_id',
  'server_name',
  'job_id',
  'began_at',
  'opened_at',
  'told_at',
  'acknowledged_at',
  'acknowledged_by',
  'resolved_at',
] as const;

export interface NotificationRow {
  readonly id: number;
  readonly kind: NotificationKind;
  readonly subject_id: number;
  readonly variant: string;
  readonly state: NotificationState;
  readonly severity: Severity;
  readonly muted: number;
  readonly title: string;
  readonly message: string;
  readonly server_id: number | null;
  readonly server_name: string | null;
  readonly job_id: number | null;
  readonly began_at: number;
  readonly opened_at: number | null;
  readonly told_at: number | null;
  readonly acknowledged_at: number | null;
  readonly acknowledged_by: string | null;
  readonly resolved_at: number | null;
}

export const toNotification = (row: NotificationRow): Notification => ({
  id: row.id,
  kind: row.kind,
  subjectId: row.subject_id,
  variant: row.variant,
  state: row.state,
  severity: row.severity,
  muted: row.muted === 1,
  title: hostText(row.title),
  message: hostText(row.message),
  serverId: row.server_id,
  serverName: row.server_name,
  jobId: row.job_id,
  beganAt: row.began_at,
  openedAt: row.opened_at,
  toldAt: row.told_at,
  acknowledgedAt: row.acknowledged_at,
  acknowledgedBy: row.acknowledged_by,
  resolvedAt: row.resolved_at,
});

/** A condition that was just found, told to nobody yet. */
export const newNotificationColumns = (
  condition: Condition,
  { severity, title, message }: Words,
  now: number,
): object => ({
  kind: condition.kind,
  subject_id: condition.subjectId,
  open_key: openKeyOf(condition),
  variant: condition.variant,
  state: 'pending',
  severity,
  muted: 0,
  title,
  message,
  server_id: condition.serverId,
  server_name: condition.serverId === null ? null : condition.name,
  job_id: condition.jobId,
  began_at: beganAt(condition, now),
});
