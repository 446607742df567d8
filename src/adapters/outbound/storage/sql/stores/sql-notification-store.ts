import type { Knex } from 'knex';
import type { ChangeRecord } from '../../../../../application/ports/events/change-record.ts';
import type {
  NotificationFilter,
  NotificationStore,
} from '../../../../../application/ports/events/notification-store.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import type { Page, PageRequest } from '../../../../../domain/base/page.ts';
import { type AlertPolicy, type Mute, muteNotFound } from '../../../../../domain/events/alert-policy.ts';
import { isAtLeast, SEVERITIES, type Severity } from '../../../../../domain/events/event.ts';
import {
  NOTIFICATION_STATES,
  type Notification,
  type NotificationKind,
  notificationNotFound,
} from '../../../../../domain/events/notification.ts';
import type { Database } from '../database.ts';
import { pageOf } from '../page.ts';
import { NOTIFICATION_COLUMNS, type NotificationRow, toNotification } from '../tables/notification-row.ts';
import { recordChange } from './record-change.ts';

interface PolicyRow {
  readonly kind: NotificationKind;
  readonly debounce_ms: number;
  readonly remind_ms: number | null;
  readonly severity: Severity | null;
}

interface MuteRow {
  readonly id: number;
  readonly kind: NotificationKind | null;
  readonly server_id: number | null;
  readonly until: number | null;
  readonly created_by: string;
  readonly created_at: number;
}

const OPEN = ['open', 'acknowledged'];

export class SqlNotificationStore implements NotificationStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async list(filter: NotificationFilter, page: PageRequest): Promise<Page<Notification>> {
    const query = this.#database.knex('notifications').whereIn('state', filter.states ?? NOTIFICATION_STATES);
    const { kind, kinds, unmuted, minSeverity, serverId, serverIds } = filter;
    if (kind !== undefined) query.where({ kind });
    if (kinds) query.whereIn('kind', kinds);
    if (unmuted) query.where({ muted: 0 });
    if (minSeverity !== undefined) {
      query.whereIn(
        'severity',
        SEVERITIES.filter((each) => isAtLeast(each, minSeverity)),
      );
    }
    if (serverId !== undefined) query.where({ server_id: serverId });
    if (serverIds) query.whereIn('server_id', serverIds);
    return pageOf(query, page, async (window) => {
      const rows: NotificationRow[] = await window.select(NOTIFICATION_COLUMNS).orderBy('id', 'desc');
      return rows.map(toNotification);
    });
  }

  async countOpen(serverIds: readonly number[] | null): Promise<number> {
    const query = this.#database.knex('notifications').whereIn('state', OPEN).where({ muted: 0 });
    if (serverIds) query.whereIn('server_id', serverIds);
    const counted = (await query.count({ total: '*' }).first()) as { total: number };
    return counted.total;
  }

  async acknowledge(
    ...[id, by, at, record]: Parameters<NotificationStore['acknowledge']>
  ): Promise<Notification> {
    return this.#database.transaction(async (trx) => {
      const changed = await trx('notifications')
        .where({ id, state: 'open' })
        .update({ state: 'acknowledged', acknowledged_at: at, acknowledged_by: by.slice(0, 255) });
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
    const rows: PolicyRow[] = await this.#database
      .knex('notification_policies')
      .select('kind', 'debounce_ms', 'remind_ms', 'severity')
      .orderBy('kind');
    return rows.map((row) => ({
      kind: row.kind,
      debounceMs: row.debounce_ms,
      remindMs: row.remind_ms,
      severity: row.severity,
    }));
  }

  async setPolicy(
    { kind, debounceMs, remindMs, severity }: AlertPolicy,
    record: ChangeRecord,
  ): Promise<void> {
    await this.#database.transaction(async (trx) => {
      await trx('notification_policies')
        .insert({ kind, debounce_ms: debounceMs, remind_ms: remindMs, severity })
        // The table's only key, so that MySQL, which ignores the target, does the same.
        .onConflict('kind')
        .merge();
      await recordChange(trx, record);
    });
  }

  async mutes(now: Instant): Promise<readonly Mute[]> {
    const rows: MuteRow[] = await this.#database
      .knex('notification_mutes')
      .where((lasting) => void lasting.whereNull('until').orWhere('until', '>', now))
      .select('id', 'kind', 'server_id', 'until', 'created_by', 'created_at')
      .orderBy('id');
    return rows.map((row) => ({
      id: row.id,
      kind: row.kind,
      serverId: row.server_id,
      until: row.until,
      createdBy: row.created_by,
      createdAt: row.created_at,
    }));
  }

  async mute(mute: Omit<Mute, 'id'>, record: (mute: Mute) => ChangeRecord): Promise<Mute> {
    const { kind, serverId, until, createdAt } = mute;
    const createdBy = mute.createdBy.slice(0, 255);
    return this.#database.transaction(async (trx) => {
      await trx('notification_mutes').where('until', '<=', createdAt).delete();
      const row = { kind, server_id: serverId, until, created_by: createdBy, created_at: createdAt };
      const [id] = await trx('notification_mutes').insert(row);
      await affected(trx, mute).update({ muted: 1 });
      const added = { ...mute, createdBy, id: Number(id) };
      await recordChange(trx, record(added));
      return added;
    });
  }

  async unmute(id: number, record: ChangeRecord): Promise<void> {
    await this.#database.transaction(async (trx) => {
      if ((await trx('notification_mutes').where({ id }).delete()) === 0) throw muteNotFound(id);
      await recordChange(trx, record);
    });
  }
}

function affected(trx: Knex, { kind, serverId }: Omit<Mute, 'id'>): Knex.QueryBuilder {
  const query = trx('notifications').whereIn('state', OPEN);
  if (kind !== null) query.where({ kind });
  if (serverId !== null) query.where({ server_id: serverId });
  return query;
}
