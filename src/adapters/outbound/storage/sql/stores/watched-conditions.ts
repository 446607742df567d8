import type { Knex } from 'knex';
import type { Thresholds } from '../../../../../application/ports/fleet/condition-watch.ts';
import {
  type Condition,
  DISK_NEARLY_FULL,
  type WatchedKind,
} from '../../../../../domain/events/notification.ts';
import { BACKUP_STALE, DISK_FULL } from './fleet-totals.ts';

/** The source of a kind of condition. `c` is the table's name in queries. */
interface ConditionQuery {
  readonly table:
    | 'servers'
    | 'api_tokens'
    | 'approvals'
    | 'webhooks'
    | 'clock_jumps'
    | 'watched_services'
    | 'batches';
  /** Narrows the query to the rows for which it is so. */
  readonly holds: (rows: Knex.QueryBuilder, thresholds: Thresholds) => Knex.QueryBuilder;
  /** SQL for the form that it has. */
  readonly variant: (thresholds: Thresholds) => string;
  /** SQL for its name. */
  readonly name: string;
  /** Columns: the explaining time, the server's and the job's id. */
  readonly at: string | null;
  readonly serverId: string | null;
  readonly jobId: string | null;
}

const ofServers = (
  holds: ConditionQuery['holds'],
  { variant, at }: { readonly variant: string | ConditionQuery['variant']; readonly at: string },
): ConditionQuery => ({
  table: 'servers',
  holds: (rows, thresholds) => holds(rows.whereNotNull('c.name_key'), thresholds),
  variant: typeof variant === 'string' ? () => variant : variant,
  name: 'c.name',
  at,
  serverId: 'id',
  jobId: null,
});

const WATCHED: Record<WatchedKind, ConditionQuery> = {
  'host_key.mismatch': ofServers((rows) => rows.where({ 'c.contact_error': 'host_key_mismatch' }), {
    variant: "'mismatch'",
    at: 'contact_failed_since',
  }),
  'server.unreachable': ofServers((rows) => rows.whereNot({ 'c.contact_error': 'host_key_mismatch' }), {
    variant: 'c.contact_error',
    at: 'contact_failed_since',
  }),
  'backup.stale': ofServers(
    (rows, { backupsStaleBefore }) => rows.whereRaw(BACKUP_STALE, [backupsStaleBefore]),
    {
      variant: "CASE WHEN c.last_backup_at IS NULL THEN 'never' ELSE 'late' END",
      at: 'last_backup_at',
    },
  ),
  'server.reboot_pending': ofServers((rows) => rows.where({ 'c.reboot_pending': 1 }), {
    variant: "'pending'",
    at: 'inventory_at',
  }),
  'updates.available': ofServers(
    (rows) =>
      rows.where(
        (any) =>
          void any
            .where('c.os_updates_count', '>', 0)
            .orWhere('c.security_updates_count', '>', 0)
            .orWhere('c.container_updates_count', '>', 0),
      ),
    {
      variant: "CASE WHEN c.security_updates_count > 0 THEN 'security' ELSE 'ordinary' END",
      at: 'last_os_check_at',
    },
  ),
  'disk.filling': ofServers(
    (rows, { disksFullBefore }) =>
      rows.where((any) => void any.where('c.disk_full_at', '<', disksFullBefore).orWhereRaw(DISK_FULL)),
    // The column of variants has 64 characters.
    {
      variant: `CASE WHEN ${DISK_FULL} THEN '${DISK_NEARLY_FULL}' ELSE SUBSTR(c.disk_full_mount, 1, 64) END`,
      at: 'disk_full_at',
    },
  ),
  'os.end_of_life': ofServers(
    (rows, { supportEndsBefore }) => rows.where('c.support_ends_at', '<', supportEndsBefore),
    {
      variant: ({ now }) => `CASE WHEN c.support_ends_at < ${now} THEN 'ended' ELSE 'ending' END`,
      at: 'support_ends_at',
    },
  ),
  'service.unhealthy': {
    table: 'watched_services',
    holds: (rows) =>
      rows
        .whereNotNull('c.gave_up_at')
        .whereRaw('EXISTS (SELECT 1 FROM servers AS s WHERE s.id = c.server_id AND s.name_key IS NOT NULL)'),
    // The column of variants has 64 characters.
    variant: () => 'SUBSTR(c.label, 1, 64)',
    name: '(SELECT s.name FROM servers AS s WHERE s.id = c.server_id)',
    at: 'gave_up_at',
    serverId: 'server_id',
    jobId: null,
  },
  'updates.stopped': {
    table: 'batches',
    // The next run of the schedule that ends replaces it.
    holds: (rows) =>
      rows
        .where({ 'c.status': 'stopped' })
        .whereNotNull('c.orders')
        .whereRaw('EXISTS (SELECT 1 FROM schedules AS s WHERE s.id = c.schedule_id)')
        .whereRaw(
          "NOT EXISTS (SELECT 1 FROM batches AS n WHERE n.schedule_id = c.schedule_id AND n.id > c.id AND n.finished_at IS NOT NULL AND n.status <> 'cancelled')",
        ),
    variant: () => "'stopped'",
    name: '(SELECT s.name FROM schedules AS s WHERE s.id = c.schedule_id)',
    at: 'finished_at',
    serverId: null,
    jobId: null,
  },
  'token.expiring': {
    table: 'api_tokens',
    holds: (rows, { now, tokensExpireBefore }) =>
      rows
        .whereNull('c.revoked_at')
        .where('c.expires_at', '>', now)
        .where('c.expires_at', '<', tokensExpireBefore),
    variant: () => "'soon'",
    name: 'c.name',
    at: 'expires_at',
    serverId: null,
    jobId: null,
  },
  'approval.requested': {
    table: 'approvals',
    holds: (rows) => rows.where({ 'c.state': 'waiting' }),
    variant: () => 'c.job_type',
    name: 'c.subject',
    at: 'created_at',
    serverId: 'server_id',
    jobId: 'job_id',
  },
  'webhook.disabled': {
    table: 'webhooks',
    holds: (rows) => rows.where({ 'c.enabled': 0, 'c.disabled_because': 'gone' }),
    variant: () => "'gone'",
    name: 'c.name',
    at: 'disabled_at',
    serverId: null,
    jobId: null,
  },
  'clock.jumped': {
    table: 'clock_jumps',
    holds: (rows) => rows.whereNull('c.over_at'),
    variant: () => 'c.kind',
    name: 'c.expected',
    at: 'to_at',
    serverId: null,
    jobId: null,
  },
};

export interface ConditionRow {
  readonly subject_id: number;
  readonly variant: string;
  readonly name: string;
  readonly at: number | null;
  readonly of_server: number | null;
  readonly of_job: number | null;
}

export const toCondition = (kind: WatchedKind, row: ConditionRow): Condition => ({
  kind,
  subjectId: row.subject_id,
  variant: row.variant,
  name: row.name,
  at: row.at,
  serverId: row.of_server,
  jobId: row.of_job,
});

export const UNRESOLVED = ['pending', 'open', 'acknowledged'];

/** Conditions without an alert. */
export const unnoticed = (knex: Knex, kind: WatchedKind, thresholds: Thresholds): Knex.QueryBuilder =>
  selected(knex, kind, thresholds).whereNotExists(
    knex('notifications as n')
      .select(knex.raw('1'))
      .where({ 'n.kind': kind })
      .whereIn('n.state', UNRESOLVED)
      .whereRaw('n.subject_id = c.id'),
  );

/** Conditions whose alert shows a different variant; `id` is the alert's. */
export const reshaped = (knex: Knex, kind: WatchedKind, thresholds: Thresholds): Knex.QueryBuilder =>
  selected(knex, kind, thresholds)
    .join('notifications as n', 'n.subject_id', 'c.id')
    .where({ 'n.kind': kind })
    .whereIn('n.state', UNRESOLVED)
    .whereRaw(`n.variant <> ${WATCHED[kind].variant(thresholds)}`)
    .select('n.id');

/** The ids of notifications whose condition is over. */
export const outlived = (knex: Knex, kind: WatchedKind, thresholds: Thresholds): Knex.QueryBuilder => {
  const { table, holds } = WATCHED[kind];
  const condition = knex({ c: table }).select(knex.raw('1')).whereRaw('c.id = n.subject_id');
  return knex('notifications as n')
    .where({ 'n.kind': kind })
    .whereIn('n.state', UNRESOLVED)
    .whereNotExists(holds(condition, thresholds))
    .select('n.id');
};

function selected(knex: Knex, kind: WatchedKind, thresholds: Thresholds): Knex.QueryBuilder {
  const { table, holds, variant, name, at, serverId, jobId } = WATCHED[kind];
  const column = (of: string | null): Knex.Raw =>
    of === null ? knex.raw('NULL') : knex.raw('??', [`c.${of}`]);
  return holds(knex({ c: table }), thresholds).select({
    subject_id: 'c.id',
    variant: knex.raw(variant(thresholds)),
    name: knex.raw(name),
    at: column(at),
    of_server: column(serverId),
    of_job: column(jobId),
  });
}
