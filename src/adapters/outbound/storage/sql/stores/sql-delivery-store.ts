import type { Knex } from 'knex';
import type { ChangeRecord } from '../../../../../application/ports/events/change-record.ts';
import type {
  DeliveryStore,
  DueDelivery,
  Settlement,
} from '../../../../../application/ports/events/delivery-store.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import type { Page } from '../../../../../domain/base/page.ts';
import {
  type Attempt,
  type Channel,
  type Delivery,
  type DeliveryStatus,
  deliveryNotFound,
  type Target,
} from '../../../../../domain/events/delivery.ts';
import type { WrittenEvent } from '../../../../../domain/events/event.ts';
import { SqlStore } from '../database.ts';
import { byIndex } from '../index-hint.ts';
import { pageOf } from '../page.ts';
import { columns, int, named, oneOf, orNull, type Row, text } from '../tables/columns.ts';
import { addDeliveries, applyNotices, EVENTS, sendTo } from './delivery-writes.ts';
import { recordChange } from './record-change.ts';

type EventRow = Row<typeof EVENTS>;
const toEvent: (row: EventRow) => WrittenEvent = EVENTS.read;

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
const DELIVERY_COLUMNS = [
  ...EVENTS.names.map((name) => `e.${name} as event_${name}`),
  ...DELIVERIES.names.map((name) => `d.${name}`),
];

type EventOfDelivery = { readonly [K in keyof EventRow as `event_${K}`]: EventRow[K] };
type DeliveryRow = EventOfDelivery & Row<typeof DELIVERIES>;

const toDelivery = (row: DeliveryRow): Delivery => ({
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
    problem: row.event_problem,
    at: row.event_at,
  }),
});

const TARGETS: Record<Channel, string> = {
  webhook: 'webhooks',
  push: 'push_subscriptions',
  channel: 'alert_channels',
};

export class SqlDeliveryStore extends SqlStore implements DeliveryStore {
  async waiting(limit: number): Promise<readonly WrittenEvent[]> {
    const rows: EventRow[] = await byIndex(this.database.knex, 'outbox_events', ['pending', 'id'])
      .where({ pending: 1 })
      .orderBy('id')
      .limit(limit)
      .select(EVENTS.names);
    return rows.map(toEvent);
  }

  async handOut(...[events, notices, at]: Parameters<DeliveryStore['handOut']>): Promise<boolean> {
    const ids = events.map(({ event }) => event.id);
    return this.database.transaction(async (trx) => {
      const still = await trx('outbox_events')
        .whereIn('id', ids)
        .where({ pending: 1 })
        .forUpdate()
        .select('id');
      if (still.length < ids.length) return false;
      await trx('outbox_events').whereIn('id', ids).update({ pending: null });
      await addDeliveries(trx, events, at);
      await applyNotices(trx, notices, at);
      return true;
    });
  }

  async send(...[event, body, target, record]: Parameters<DeliveryStore['send']>): Promise<Delivery> {
    return this.database.transaction(async (trx) => {
      const id = await sendTo(trx, target, event, body);
      await recordChange(trx, record);
      return existing(trx, id);
    });
  }

  async dueTargets(channel: Channel, now: Instant): Promise<readonly number[]> {
    const { knex } = this.database;
    const due = knex('deliveries as d')
      .select(knex.raw('1'))
      .where({ 'd.channel': channel })
      .whereRaw('d.target_id = t.id')
      .where('d.due_at', '<=', now);
    const rows: { id: number }[] = await knex({ t: TARGETS[channel] })
      .whereExists(due)
      .select('t.id')
      .orderBy('t.id');
    return rows.map(({ id }) => id);
  }

  async due({ channel, id }: Target, now: Instant, limit: number): Promise<readonly DueDelivery[]> {
    const rows: (DeliveryRow & { body: string | null })[] = await joined(this.database.knex)
      .where({ 'd.channel': channel, 'd.target_id': id })
      .where('d.due_at', '<=', now)
      .orderBy('d.event_id')
      .limit(limit)
      .select([...DELIVERY_COLUMNS, 'e.body']);
    return rows.map((row) => ({ ...toDelivery(row), body: row.body ?? '' }));
  }

  async settle(...[delivery, attempt, outcome, at]: Parameters<DeliveryStore['settle']>): Promise<boolean> {
    return this.database.write((knex) => settleOne(knex, { delivery, outcome }, attempt, at));
  }

  async settleTogether(
    ...[outcomes, attempt, at]: Parameters<DeliveryStore['settleTogether']>
  ): Promise<void> {
    await this.database.transaction(async (trx) => {
      for (const each of outcomes) await settleOne(trx, each, attempt, at);
    });
  }

  async postpone(delivery: Delivery, until: Instant): Promise<void> {
    await this.database.write((knex) => unchanged(knex, delivery).update({ due_at: until }));
  }

  async list(...[filter, page]: Parameters<DeliveryStore['list']>): Promise<Page<Delivery>> {
    const query = this.database.knex('deliveries as d');
    const { target, channel, status } = filter;
    if (target !== undefined) query.where({ 'd.channel': target.channel, 'd.target_id': target.id });
    if (channel !== undefined) query.where({ 'd.channel': channel });
    if (status !== undefined) query.where({ 'd.status': status });
    return pageOf(query, page, async (window) => {
      const rows: DeliveryRow[] = await window
        .join('outbox_events as e', 'e.id', 'd.event_id')
        .select(DELIVERY_COLUMNS)
        .orderBy('d.id', 'desc');
      return rows.map(toDelivery);
    });
  }

  async find(id: number): Promise<Delivery | null> {
    return one(this.database.knex, id);
  }

  async bodyOf(id: number): Promise<string | null> {
    const row = await joined(this.database.knex)
      .where({ 'd.id': id })
      .first<{ body: string | null } | undefined>('e.body');
    return row?.body ?? null;
  }

  async resend(id: number, at: Instant, record: ChangeRecord): Promise<Delivery> {
    return this.database.transaction(async (trx) => {
      // With an attempt that does not count: it was asked for, and waits for nothing.
      const again = { status: 'pending', attempts: 0, due_at: at, last_attempt_at: at };
      if ((await trx('deliveries').where({ id }).update(again)) === 0) throw deliveryNotFound(id);
      await recordChange(trx, record);
      return existing(trx, id);
    });
  }

  async prune(before: Instant, limit: number): Promise<number> {
    const { knex } = this.database;
    const rows: { id: number }[] = await knex('outbox_events')
      .where('at', '<', before)
      .whereNull('pending')
      .orderBy('at')
      .limit(limit)
      .select('id');
    const ids = rows.map(({ id }) => id);
    if (ids.length === 0) return 0;
    await this.#pruneDeliveriesOf(ids, limit);
    return this.database.write((k) => k('outbox_events').whereIn('id', ids).delete());
  }

  /** First and a part at a time: the events would take all of theirs with them in one go, however many targets there are. */
  async #pruneDeliveriesOf(events: readonly number[], limit: number): Promise<void> {
    for (let removed = limit; removed === limit; ) {
      const ids: number[] = await this.database
        .knex('deliveries')
        .whereIn('event_id', events)
        .limit(limit)
        .pluck('id');
      removed = ids.length;
      if (removed > 0) await this.database.write((k) => k('deliveries').whereIn('id', ids).delete());
    }
  }
}

/** A delivery, unless it has changed. */
const unchanged = (knex: Knex, { id, attempts, dueAt }: Delivery): Knex.QueryBuilder =>
  knex('deliveries').where({ id, status: 'pending', attempts, due_at: dueAt });

async function settleOne(
  knex: Knex,
  { delivery, outcome }: Settlement,
  attempt: Attempt,
  at: Instant,
): Promise<boolean> {
  const settled = await unchanged(knex, delivery).update({
    status: outcome.status,
    due_at: outcome.dueAt,
    attempts: delivery.attempts + 1,
    last_attempt_at: at,
    status_code: attempt.statusCode,
    duration_ms: attempt.durationMs,
    error: outcome.error,
  });
  return settled > 0;
}

const joined = (knex: Knex): Knex.QueryBuilder =>
  knex('deliveries as d').join('outbox_events as e', 'e.id', 'd.event_id');

async function one(knex: Knex, id: number): Promise<Delivery | null> {
  const row = await joined(knex)
    .where({ 'd.id': id })
    .first<DeliveryRow | undefined>([...DELIVERY_COLUMNS]);
  return row ? toDelivery(row) : null;
}

async function existing(knex: Knex, id: number): Promise<Delivery> {
  const delivery = await one(knex, id);
  if (!delivery) throw deliveryNotFound(id);
  return delivery;
}
