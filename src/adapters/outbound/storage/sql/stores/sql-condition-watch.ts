import type { Knex } from 'knex';
import type { ConditionWatch } from '../../../../../application/ports/fleet/condition-watch.ts';
import { batches } from '../../../../../domain/base/batches.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import type { DomainEvent } from '../../../../../domain/events/event.ts';
import type { Notification } from '../../../../../domain/events/notification.ts';
import { SqlStore } from '../database.ts';
import {
  NOTIFICATION_COLUMNS,
  type NotificationRow,
  newNotificationColumns,
  toNotification,
} from '../tables/notification-row.ts';
import { recordChange } from './record-change.ts';
import { mutesAt } from './sql-notification-store.ts';
import {
  type ConditionRow,
  outlived,
  reshaped,
  toCondition,
  UNRESOLVED,
  unnoticed,
} from './watched-conditions.ts';

/** Rows a statement; SQLite takes 32,766 values in one. */
const BATCH = 500;

export class SqlConditionWatch extends SqlStore implements ConditionWatch {
  async begin(...[kind, thresholds, words, limit]: Parameters<ConditionWatch['begin']>): Promise<number> {
    return this.database.transaction(async (trx) => {
      const rows: ConditionRow[] = await unnoticed(trx, kind, thresholds).orderBy('c.id').limit(limit);
      const added = rows.map((row) => {
        const condition = toCondition(kind, row);
        return newNotificationColumns(condition, words(condition), thresholds.now);
      });
      for (const each of batches(added, BATCH)) await trx('notifications').insert(each);
      return rows.length;
    });
  }

  async revise(...[kind, thresholds, change, limit]: Parameters<ConditionWatch['revise']>): Promise<number> {
    return this.database.transaction(async (trx) => {
      const found: (ConditionRow & { id: number })[] = await reshaped(trx, kind, thresholds).limit(limit);
      const before = await locked(
        trx,
        found.map(({ id }) => id),
        UNRESOLVED,
      );
      const conditions = new Map(found.map((row) => [row.id, toCondition(kind, row)]));
      const events: DomainEvent[] = [];
      const notified: number[] = [];
      for (const notification of before) {
        const condition = conditions.get(notification.id);
        if (!condition) continue;
        const { severity, title, message } = change.words(condition);
        const { variant } = condition;
        const after = { ...notification, variant, severity, title, message };
        await trx('notifications')
          .where({ id: notification.id })
          .update({ variant, severity, title, message });
        const event = isNotified(notification) ? change.event(notification, after) : null;
        if (event === null) continue;
        events.push(event);
        notified.push(notification.id);
      }
      await update(trx, notified, { told_at: thresholds.now, state: 'open' });
      await recordChange(trx, { events });
      return found.length;
    });
  }

  async end(...[kind, thresholds, event, limit]: Parameters<ConditionWatch['end']>): Promise<number> {
    const { now } = thresholds;
    return this.database.transaction(async (trx) => {
      const found: { id: number }[] = await outlived(trx, kind, thresholds).limit(limit);
      return resolve(trx, found, now, event);
    });
  }

  async open(...[kind, terms, limit]: Parameters<ConditionWatch['open']>): Promise<number> {
    const { beganUpTo, at, isMuted, event } = terms;
    return this.database.transaction(async (trx) => {
      const found: { id: number }[] = await trx('notifications')
        .where({ kind, state: 'pending' })
        .where('began_at', '<=', beganUpTo)
        .orderBy('id')
        .limit(limit)
        .select('id');
      const ripe = await locked(trx, ids(found), ['pending']);
      const mutes = await mutesAt(trx, at);
      const opened = ripe.map((each) => ({ ...each, muted: isMuted(each, mutes) }));
      for (const muted of [false, true]) {
        const those = opened.filter((each) => each.muted === muted);
        const columns = { state: 'open', muted: Number(muted), opened_at: at, told_at: at };
        await update(trx, ids(those), columns);
      }
      await recordChange(trx, { events: eventsOf(opened, event) });
      return found.length;
    });
  }

  async remind(...[kind, terms, limit]: Parameters<ConditionWatch['remind']>): Promise<number> {
    const { notifiedUpTo, at, event } = terms;
    return this.database.transaction(async (trx) => {
      const due = (query: Knex.QueryBuilder): Knex.QueryBuilder =>
        query.where({ kind, state: 'open', muted: 0 }).where('told_at', '<=', notifiedUpTo);
      const found: { id: number }[] = await due(trx('notifications')).orderBy('id').limit(limit).select('id');
      const open = await locked(trx, ids(found), ['open'], (query) =>
        query.where('told_at', '<=', notifiedUpTo),
      );
      await update(trx, ids(open), { told_at: at });
      await recordChange(trx, { events: eventsOf(open, event) });
      return found.length;
    });
  }

  async unmute(...[after, terms, limit]: Parameters<ConditionWatch['unmute']>): Promise<number | null> {
    const { at, isMuted, event } = terms;
    return this.database.transaction(async (trx) => {
      const found: { id: number }[] = await trx('notifications')
        .whereIn('state', ['open', 'acknowledged'])
        .where({ muted: 1 })
        .where('id', '>', after)
        .orderBy('id')
        .limit(limit)
        .select('id');
      const muted = await locked(trx, ids(found), ['open', 'acknowledged']);
      const mutes = await mutesAt(trx, at);
      const heard = muted
        .filter((each) => each.muted && !isMuted(each, mutes))
        .map((each) => ({ ...each, muted: false }));
      await update(trx, ids(heard), { muted: 0, told_at: at });
      await recordChange(trx, { events: eventsOf(heard, event) });
      return found.at(-1)?.id ?? null;
    });
  }

  async endOfRemovedServers(at: Instant, limit: number): Promise<number> {
    return this.database.transaction(async (trx) => {
      const found: { id: number }[] = await trx('notifications as n')
        .join('servers as s', 's.id', 'n.server_id')
        .whereIn('n.state', UNRESOLVED)
        .whereNull('s.name_key')
        .orderBy('n.id')
        .limit(limit)
        .select('n.id');
      return resolve(trx, found, at, () => null);
    });
  }

  async prune(resolvedBefore: Instant, limit: number): Promise<number> {
    const { knex } = this.database;
    const found: { id: number }[] = await knex('notifications')
      .where('resolved_at', '<', resolvedBefore)
      .orderBy('resolved_at')
      .limit(limit)
      .select('id');
    if (found.length === 0) return 0;
    return this.database.write((k) => k('notifications').whereIn('id', ids(found)).delete());
  }
}

async function resolve(
  trx: Knex,
  found: readonly { id: number }[],
  at: Instant,
  event: (notification: Notification) => DomainEvent | null,
): Promise<number> {
  const over = await locked(trx, ids(found), UNRESOLVED);
  const notified = over.filter(({ state }) => state !== 'pending');
  for (const each of batches(ids(over.filter(({ state }) => state === 'pending')), BATCH))
    await trx('notifications').whereIn('id', each).delete();
  await update(trx, ids(notified), { state: 'resolved', open_key: null, resolved_at: at });
  await recordChange(trx, { events: eventsOf(notified, event) });
  return found.length;
}

/** Those that still are as they were found, held until the transaction ends. */
async function locked(
  trx: Knex,
  found: readonly number[],
  states: readonly string[],
  still: (query: Knex.QueryBuilder) => Knex.QueryBuilder = (query) => query,
): Promise<readonly Notification[]> {
  const all: Notification[] = [];
  for (const each of batches(found, BATCH)) {
    const query = trx('notifications').whereIn('id', each).whereIn('state', states).orderBy('id');
    const rows: NotificationRow[] = await still(query).select(NOTIFICATION_COLUMNS).forUpdate();
    all.push(...rows.map(toNotification));
  }
  return all;
}

async function update(trx: Knex, which: readonly number[], columns: object): Promise<void> {
  for (const each of batches(which, BATCH)) await trx('notifications').whereIn('id', each).update(columns);
}

const isNotified = ({ state, muted }: Notification): boolean => state !== 'pending' && !muted;

const eventsOf = (
  notifications: readonly Notification[],
  event: (notification: Notification) => DomainEvent | null,
): readonly DomainEvent[] =>
  notifications.filter(({ muted }) => !muted).flatMap((notification) => event(notification) ?? []);

const ids = (rows: readonly { readonly id: number }[]): readonly number[] => rows.map(({ id }) => id);
