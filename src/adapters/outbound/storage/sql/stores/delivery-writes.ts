import type { Knex } from 'knex';
import type { HandedOut, JobNotice } from '../../../../../application/ports/events/delivery-store.ts';
import { batches } from '../../../../../domain/base/batches.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import type { Target } from '../../../../../domain/events/delivery.ts';
import type { EventType, Severity, WrittenEvent } from '../../../../../domain/events/event.ts';
import { openKeyOf } from '../../../../../domain/events/notification.ts';
import { columns, int, oneOf, orNull, text } from '../tables/columns.ts';
import { newNotificationColumns } from '../tables/notification-row.ts';

export const EVENTS = columns({
  id: int,
  uid: text,
  type: oneOf<EventType>(),
  severity: oneOf<Severity>(),
  title: text,
  message: text,
  serverId: orNull(int),
  jobId: orNull(int),
  problem: orNull(text),
  at: int,
});

/** Rows a statement; SQLite takes 32,766 values in one. */
const BATCH = 500;

/** Cancels pending deliveries to a target. */
export async function cancelPending(trx: Knex, { channel, id }: Target): Promise<void> {
  await trx('deliveries')
    .where({ channel, target_id: id, status: 'pending' })
    .update({ status: 'cancelled', due_at: null });
}

export async function addDeliveries(trx: Knex, events: readonly HandedOut[], at: Instant): Promise<void> {
  const rows = events.flatMap(({ event, targets }) =>
    targets.map(({ channel, id }) => ({ ...newDelivery(event.id, at), channel, target_id: id })),
  );
  for (const each of batches(rows, BATCH)) await trx('deliveries').insert(each);
  for (const { event, body } of events)
    if (body !== null) await trx('outbox_events').where({ id: event.id }).update({ body });
}

/** Writes an event for one target alone; returns the delivery's id. */
export async function sendTo(
  trx: Knex,
  target: Target,
  event: Omit<WrittenEvent, 'id'>,
  body: string,
): Promise<number> {
  const [eventId] = await trx('outbox_events').insert({ ...EVENTS.write(event), pending: null, body });
  const [id] = await trx('deliveries').insert({
    ...newDelivery(Number(eventId), event.at),
    channel: target.channel,
    target_id: target.id,
  });
  return Number(id);
}

const newDelivery = (eventId: number, at: Instant): object => ({
  event_id: eventId,
  status: 'pending',
  attempts: 0,
  due_at: at,
  created_at: at,
});

/** Notifications of failed jobs: the last word on a type on its server counts. */
export async function applyNotices(trx: Knex, notices: readonly JobNotice[], at: Instant): Promise<void> {
  const last = new Map(notices.map((notice) => [openKeyOf(notice.condition), notice]));
  if (last.size === 0) return;
  const open = await trx('notifications')
    .whereIn('open_key', [...last.keys()])
    .forUpdate()
    .select<{ id: number; open_key: string }[]>('id', 'open_key');
  const idOf = new Map(open.map(({ id, open_key }) => [open_key, id]));
  const over: number[] = [];
  const added: object[] = [];
  for (const [key, { condition, words }] of last) {
    const id = idOf.get(key);
    if (words === null) {
      if (id !== undefined) over.push(id);
      continue;
    }
    const { title, message } = words;
    if (id === undefined) {
      const opened = { state: 'open', muted: Number(words.muted), opened_at: at, told_at: at };
      added.push({ ...newNotificationColumns(condition, words, at), ...opened });
    } else {
      // It failed again, which its event reported.
      await trx('notifications')
        .where({ id })
        .update({ title, message, job_id: condition.jobId, told_at: at });
    }
  }
  if (over.length > 0)
    await trx('notifications')
      .whereIn('id', over)
      .update({ state: 'resolved', open_key: null, resolved_at: at });
  if (added.length > 0) await trx('notifications').insert(added);
}
