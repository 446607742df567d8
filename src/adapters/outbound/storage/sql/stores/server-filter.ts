import type { Knex } from 'knex';
import type { ServerFilter } from '../../../../../application/ports/fleet/server-store.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import type { ServerOrder } from '../../../../../domain/fleet/server-list.ts';
import { ALERT_NEEDS, SEARCH_SEPARATOR } from '../tables/server-row.ts';
import {
  BACKUP_STALE,
  DISK_FULL,
  LACKS_BACKUP,
  NO_BACKUP,
  UNCHECKED,
  UNREACHABLE,
  UPDATES_UNKNOWN,
} from './fleet-totals.ts';

export const isNarrowed = ({ q, tag, ids, needs, feature, supportEnds }: ServerFilter): boolean =>
  Boolean(q) ||
  supportEnds !== undefined ||
  tag !== undefined ||
  feature !== undefined ||
  (ids ?? null) !== null ||
  needs !== undefined;

/** `INSTR` takes `%` and `_` as they are. */
export function narrowed(
  query: Knex.QueryBuilder,
  { q, tag, ids, needs, feature, supportEnds }: ServerFilter,
): Knex.QueryBuilder {
  if (ids !== undefined && ids !== null) query.whereIn('id', ids);
  if (needs) onlyNeeding(query, needs);
  if (supportEnds) {
    query.where('support_ends_at', '<', supportEnds.before);
    if (supportEnds.from !== undefined) query.where('support_ends_at', '>=', supportEnds.from);
  }
  if (feature !== undefined) query.where({ [`feature_${feature}`]: 1 });
  // Tags are kept as JSON: with its quotes a tag is found whole.
  if (tag !== undefined) query.whereRaw('INSTR(tags, ?) > 0', [JSON.stringify(tag)]);
  if (q?.includes(SEARCH_SEPARATOR)) query.whereRaw('1 = 0');
  else if (q) query.whereRaw('INSTR(search_text, ?) > 0', [q.toLowerCase()]);
  return query;
}

/** The conditions by which `fleetTotals` counts. */
function onlyNeeding(
  query: Knex.QueryBuilder,
  { need, staleBefore }: NonNullable<ServerFilter['needs']>,
): void {
  if (need === 'reboot') query.where({ reboot_pending: 1 });
  else if (need === 'unreachable') query.whereRaw(UNREACHABLE);
  else if (need === 'disk_full') query.whereRaw(`${DISK_FULL} = 1`);
  else if (need === 'updates_unknown') query.whereRaw(UPDATES_UNKNOWN);
  else if (need === 'unchecked') query.whereRaw(UNCHECKED);
  else if (need === 'critical_alert' || need === 'alert') query.whereRaw(ALERT_NEEDS[need]);
  else if (need === 'stale_backup') query.whereRaw(BACKUP_STALE, [staleBefore]);
  else if (need === 'no_backup') query.whereRaw(NO_BACKUP, [staleBefore]);
  else if (need === 'lacks_backup') query.whereRaw(LACKS_BACKUP, [staleBefore]);
  else query.where(`${need}_count`, '>', 0);
}

export const BY_NAME: ServerOrder = { by: 'name', descending: false };

/**
 * Neither database has a value that sorts before or after all others: unknown values are written as a number or text.
 */
const ORDERS: Readonly<Record<Exclude<ServerOrder['by'], 'status'>, readonly string[]>> = {
  name: ['name_key'],
  system: ["COALESCE(os_pretty, '')"],
  updates: ['COALESCE(security_updates_count, -1)', 'COALESCE(os_updates_count, -1)'],
  last_backup: ['CASE WHEN feature_backup = 0 THEN 1 ELSE 0 END', 'COALESCE(last_backup_at, -1)'],
  last_seen: ['COALESCE(last_seen_at, -1)'],
  disk: [
    'CASE WHEN disk_total_bytes > 0 THEN COALESCE(disk_used_bytes * 1.0 / disk_total_bytes, -1) ELSE -1 END',
  ],
};

/** The needs of `urgentNeeds`, the worst first. */
const statusSql = (staleBefore: Instant): string => {
  const before = String(Math.trunc(staleBefore));
  const worst = [
    UNREACHABLE,
    ALERT_NEEDS.critical_alert,
    BACKUP_STALE.replace('?', before),
    `${DISK_FULL} = 1`,
    'security_updates_count > 0',
    ALERT_NEEDS.alert,
    'reboot_pending = 1',
    UPDATES_UNKNOWN,
    UNCHECKED,
    NO_BACKUP.replace('?', before),
  ];
  const cases = worst.map((condition, index) => `WHEN ${condition} THEN ${worst.length - index}`);
  return `CASE ${cases.join(' ')} ELSE 0 END`;
};

export function orderSql({ by, descending }: ServerOrder, { statusAt }: ServerFilter): string {
  const values = by === 'status' ? [statusSql(statusAt?.staleBefore ?? 0)] : ORDERS[by];
  const keys = values.map((key) => `${key} ${descending ? 'DESC' : 'ASC'}`);
  return (by === 'name' ? keys : [...keys, 'name_key']).join(', ');
}
