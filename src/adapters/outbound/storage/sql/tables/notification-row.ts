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
import { columns, flag, hostWritten, int, oneOf, orNull, type Row, text } from './columns.ts';

const NOTIFICATIONS = columns({
  id: int,
  kind: oneOf<NotificationKind>(),
  subjectId: int,
  variant: text,
  state: oneOf<NotificationState>(),
  severity: oneOf<Severity>(),
  muted: flag,
  title: hostWritten,
  message: hostWritten,
  serverId: orNull(int),
  serverName: orNull(text),
  jobId: orNull(int),
  beganAt: int,
  openedAt: orNull(int),
  toldAt: orNull(int),
  acknowledgedAt: orNull(int),
  acknowledgedBy: orNull(text),
  resolvedAt: orNull(int),
});

export type NotificationRow = Row<typeof NOTIFICATIONS>;
export const NOTIFICATION_COLUMNS = NOTIFICATIONS.names;
export const toNotification: (row: NotificationRow) => Notification = NOTIFICATIONS.read;

/** A new condition that has not been sent yet. */
export const newNotificationColumns = (
  condition: Condition,
  { severity, title, message }: Words,
  now: number,
): object => {
  const { kind, subjectId, variant, serverId, jobId, name } = condition;
  const subject = { kind, subjectId, variant, serverId, jobId, serverName: serverId === null ? null : name };
  const words = { severity, title, message };
  return {
    ...NOTIFICATIONS.write({
      ...subject,
      ...words,
      state: 'pending',
      muted: false,
      beganAt: beganAt(condition, now),
    }),
    open_key: openKeyOf(condition),
  };
};
