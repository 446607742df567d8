import type { Knex } from 'knex';
import type { FleetTotals } from '../../../../../application/ports/fleet/server-store.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { NEARLY_FULL_PART } from '../../../../../domain/fleet/fleet-conditions.ts';
import { ALERT_NEEDS } from '../tables/server-row.ts';

/** The last connection attempt failed. */
export const UNREACHABLE = 'contact_failed_since IS NOT NULL';
/** No inventory yet, and no failed attempt. */
export const UNCHECKED = 'inventory_at IS NULL AND contact_failed_since IS NULL';

/** The domain's `isDiskNearlyFull`; unknown sizes are not full. */
export const DISK_FULL = `COALESCE(disk_total_bytes > 0 AND disk_used_bytes >= ${NEARLY_FULL_PART} * disk_total_bytes, 0)`;

/** The domain's `areUpdatesUnknown`. */
export const UPDATES_UNKNOWN =
  'feature_os_patch = 1 AND inventory_at IS NOT NULL AND security_updates_count IS NULL';

const COUNTED = ['os_updates', 'security_updates', 'container_updates'] as const;
const SUMMED = [
  'security_updates_count',
  'container_count',
  'cpu_cores',
  'memory_total_bytes',
  'memory_used_bytes',
  'disk_total_bytes',
  'disk_used_bytes',
] as const;

/** Counts over the servers that a query selects, in one read. */
export async function fleetTotals(servers: Knex.QueryBuilder, staleBefore: Instant): Promise<FleetTotals> {
  const query = servers
    .count({ hosts: '*' })
    .select(...COUNTED.map((kind) => count(servers, kind, `${kind}_count > 0`)))
    .select(count(servers, 'reboot_pending', 'reboot_pending = 1'))
    .select(count(servers, 'backups_on', 'feature_backup = 1'))
    .select(count(servers, 'disk_full', DISK_FULL))
    .select(count(servers, 'updates_unknown', UPDATES_UNKNOWN))
    .select(count(servers, 'unreachable', UNREACHABLE))
    .select(count(servers, 'unchecked', UNCHECKED))
    .select(count(servers, 'critical_alerts', ALERT_NEEDS.critical_alert))
    .select(count(servers, 'alerts', ALERT_NEEDS.alert))
    .min({ last_seen_oldest_at: 'last_seen_at' })
    .max({ last_seen_newest_at: 'last_seen_at' })
    .select(
      servers.client.raw(
        `COALESCE(SUM(CASE WHEN ${UNREACHABLE} OR ${BACKUP_STALE} OR ${ALERT_NEEDS.critical_alert} THEN 1 ELSE 0 END), 0) AS failing`,
        [staleBefore],
      ),
      servers.client.raw(`COALESCE(SUM(CASE WHEN ${BACKUP_STALE} THEN 1 ELSE 0 END), 0) AS backups_stale`, [
        staleBefore,
      ]),
      servers.client.raw(`COALESCE(SUM(CASE WHEN ${NO_BACKUP} THEN 1 ELSE 0 END), 0) AS no_backup`, [
        staleBefore,
      ]),
      servers.client.raw(
        'MIN(CASE WHEN feature_backup = 1 THEN last_backup_at END) AS last_backup_oldest_at',
      ),
    )
    .select(...SUMMED.map((column) => servers.client.raw('COALESCE(SUM(??), 0) AS ??', [column, column])))
    .first();
  const row = (await query) as Readonly<Record<string, number>> & Moments;
  const number = (name: string): number => Number(row[name]);
  return {
    hosts: number('hosts'),
    osUpdates: number('os_updates'),
    securityUpdates: number('security_updates'),
    securityPackages: number('security_updates_count'),
    containerUpdates: number('container_updates'),
    rebootPending: number('reboot_pending'),
    lastBackupOldestAt: row.last_backup_oldest_at,
    backupsOn: number('backups_on'),
    backupsStale: number('backups_stale'),
    notBackedUpYet: number('no_backup'),
    diskFull: number('disk_full'),
    updatesUnknown: number('updates_unknown'),
    unreachable: number('unreachable'),
    failing: number('failing'),
    unchecked: number('unchecked'),
    criticalAlerts: number('critical_alerts'),
    alerts: number('alerts'),
    lastSeenOldestAt: row.last_seen_oldest_at,
    lastSeenNewestAt: row.last_seen_newest_at,
    containers: number('container_count'),
    cpuCores: number('cpu_cores'),
    memoryTotalBytes: number('memory_total_bytes'),
    memoryUsedBytes: number('memory_used_bytes'),
    diskTotalBytes: number('disk_total_bytes'),
    diskUsedBytes: number('disk_used_bytes'),
  };
}

interface Moments {
  readonly last_backup_oldest_at: number | null;
  readonly last_seen_oldest_at: number | null;
  readonly last_seen_newest_at: number | null;
}

const count = (servers: Knex.QueryBuilder, name: string, condition: string): Knex.Raw =>
  servers.client.raw(`COALESCE(SUM(CASE WHEN ${condition} THEN 1 ELSE 0 END), 0) AS ??`, [name]);

/** Both exclude each other, since an index leads to either but not to both. */
export const NEVER_BACKED_UP = 'feature_backup = 1 AND last_backup_at IS NULL';
/** Binds the moment. */
export const BACKED_UP_LONG_AGO = 'feature_backup = 1 AND last_backup_at < ?';

/** The domain's `lacksBackup`; binds the moment. */
export const LACKS_BACKUP = `((${NEVER_BACKED_UP}) OR (${BACKED_UP_LONG_AGO}))`;

/** The domain's `isBackupStale`; binds the moment. */
export const BACKUP_STALE = '(feature_backup = 1 AND COALESCE(last_backup_at, created_at) < ?)';

/** The domain's `isNotBackedUpYet`; binds the moment. */
export const NO_BACKUP = '(feature_backup = 1 AND last_backup_at IS NULL AND created_at >= ?)';
