import type { Knex } from 'knex';
import type { ChangeRecord } from '../../../../../application/ports/events/change-record.ts';
import type {
  NotificationFilter,
  NotificationStore,
} from '../../../../../application/ports/events/notification-store.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import type { NotificationOrder } from '../../../../../domain/base/list-orders.ts';
import type { Page, PageRequest } from '../../../../../domain/base/page.ts';
import { type AlertPolicy, type Mute, muteNotFound } from '../../../../../domain/events/alert-policy.ts';
import { isAtLeast, SEVERITIES, type Severity } from '../../../../../domain/events/event.ts';
import {
  NOTIFICATION_STATES,
  type Notification,
  type NotificationKind,
  notificationNotFound,
} from '../../../../../domain/events/notification.ts';
import { SqlStore } from '../database.ts';
import { pageOf } from '../page.ts';
import { columns, int, oneOf, orNull, type Row, shortText } from '../tables/columns.ts';
import { NOTIFICATION_COLUMNS, type NotificationRow, toNotification } from '../tables/notification-row.ts';
import { recordChange } from './record-change.ts';

const POLICIES = columns({
  kind: oneOf<NotificationKind>(),
  debounceMs: int,
  remindMs: orNull(int),
  severity: orNull(oneOf<Severity>()),
});
const MUTES = columns({
  id: int,
  kind: orNull(oneOf<NotificationKind>()),
  serverId: orNull(int),
  until: orNull(int),
  createdBy: shortText,
  createdAt: int,
});

const OPEN = ['open', 'acknowledged'];

/** `severity`: the gravest is the largest. */
const ORDERS = {
  since: 'id',
  severity: "CASE severity WHEN 'critical' THEN 2 WHEN 'warning' THEN 1 ELSE 0 END",
} as const satisfies Record<NotificationOrder['by'], string>;

export class SqlNotificationStore extends SqlStore implements NotificationStore {
  async list(
    filter: NotificationFilter,
    page: PageRequest,
    { by, descending }: NotificationOrder = { by: 'since', descending: true },
  ): Promise<Page<Notification>> {
    const query = this.database.knex('notifications').whereIn('state', filter.states ?? NOTIFICATION_STATES);
    const { kind, kinds, muted, minSeverity, serverId, serverIds } = filter;
    if (kind !== undefined) query.where({ kind });
    if (kinds) query.whereIn('kind', kinds);
    if (muted !== undefined) query.where({ muted: muted ? 1 : 0 });
    if (minSeverity !== undefined) {
      query.whereIn(
        'severity',
        SEVERITIES.filter((each) => isAtLeast(each, minSeverity)),
      );
    }
    if (serverId !== undefined) query.where({ server_id: serverId });
    if (serverIds) query.whereIn('server_id', serverIds);
    return pageOf(query, page, async (window) => {
      const rows: NotificationRow[] = await window
        .select(NOTIFICATION_COLUMNS)
        .orderByRaw(`${ORDERS[by]} ${descending ? 'DESC' : 'ASC'}, id DESC`);
      return rows.map(toNotification);
    });
  }

  async countOpen(serverIds: readonly number[] | null, which?: 'unacknowledged'): Promise<number> {
    const states = which === 'unacknowledged' ? ['open'] : OPEN;
    const query = this.database.knex('notifications').whereIn('state', states).where({ muted: 0 });
    if (serverIds) query.whereIn('server_id', serverIds);
    const counted = (await query.count({ total: '*' }).first()) as { total: number };
    return counted.total;
  }

  acknowledge(...[id, by, at, record]: Parameters<NotificationStore['acknowledge']>): Promise<Notification> {
    const after = { state: 'acknowledged', acknowledged_at: at, acknowledged_by: by.slice(0, 255) } as const;
    return this.#move(id, 'open', after, record);
  }

  reopen(...[id, record]: Parameters<NotificationStore['reopen']>): Promise<Notification> {
    const after = { state: 'open', acknowledged_at: null, acknowledged_by: null } as const;
    return this.#move(id, 'acknowledged', after, record);
  }

  /** One in another state stays as it is. */
  #move(
    id: number,
    state: 'open' | 'acknowledged',
    after: object,
    record: (notification: Notification) => ChangeRecord,
  ): Promise<Notification> {
    return this.database.transaction(async (trx) => {
      const changed = await trx('notifications').where({ id, state }).update(after);
      const row = await trx('notifications')
        .where({ id })
        .whereIn('state', OPEN)
        .first<NotificationRow | undefined>(NOTIFICATION_COLUMNS);
      if (!row) throw notificationNotFound(id);
      const notification = toNotification(row);
      if (changed > 0) await recordChange(trx, record(notification));
      return notification;
    });
  }

  async policies(): Promise<readonly AlertPolicy[]> {
    const rows: Row<typeof POLICIES>[] = await this.database
      .knex('notification_policies')
      .select(POLICIES.names)
      .orderBy('kind');
    return rows.map(POLICIES.read);
  }

  async setPolicy(policy: AlertPolicy, record: ChangeRecord): Promise<void> {
    await this.database.transaction(async (trx) => {
      await trx('notification_policies')
        .insert(POLICIES.write(policy))
        // The table's only key, so that MySQL, which ignores the target, does the same.
        .onConflict('kind')
        .merge();
      await recordChange(trx, record);
    });
  }

  async mutes(now: Instant): Promise<readonly Mute[]> {
    return mutesAt(this.database.knex, now);
  }

  async mute(mute: Omit<Mute, 'id'>, record: (mute: Mute) => ChangeRecord): Promise<Mute> {
    return this.database.transaction(async (trx) => {
      await trx('notification_mutes').where('until', '<=', mute.createdAt).delete();
      const row = MUTES.write(mute);
      const [id] = await trx('notification_mutes').insert(row);
      await affected(trx, mute).update({ muted: 1 });
      const added = { ...mute, createdBy: row.created_by, id: Number(id) };
      await recordChange(trx, record(added));
      return added;
    });
  }

  async unmute(id: number, record: ChangeRecord): Promise<void> {
    await this.database.transaction(async (trx) => {
      if ((await trx('notification_mutes').where({ id }).delete()) === 0) throw muteNotFound(id);
      await recordChange(trx, record);
    });
  }
}

/** Those that last at that time. */
export async function mutesAt(knex: Knex, now: Instant): Promise<readonly Mute[]> {
  const rows: Row<typeof MUTES>[] = await knex('notification_mutes')
    .where((lasting) => void lasting.whereNull('until').orWhere('until', '>', now))
    .select(MUTES.names)
    .orderBy('id');
  return rows.map(MUTES.read);
}

function affected(trx: Knex, { kind, serverId }: Omit<Mute, 'id'>): Knex.QueryBuilder {
  const query = trx('notifications').whereIn('state', OPEN);
  if (kind !== null) query.where({ kind });
  if (serverId !== null) query.where({ server_id: serverId });
  return query;
}
