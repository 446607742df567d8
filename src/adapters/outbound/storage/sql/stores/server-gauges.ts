import type { Knex } from 'knex';
import type { GaugeMoments, Gauges, ServerGauges, UpdateKind } from '../../../../../domain/fleet/gauges.ts';
import { SUPPORT_ENDING_MS } from '../../../../../domain/fleet/os-support.ts';
import { BACKED_UP_LONG_AGO, LACKS_BACKUP, NEVER_BACKED_UP, UNREACHABLE } from './fleet-totals.ts';

/** A removed server keeps its facts. */
const THERE = 'removed_at IS NULL';

/** A count over servers: its condition, and the moments that it binds. */
type Count = readonly [condition: string, ...bindings: number[]];

/**
 * Counted separately instead of in one pass over the fleet: each uses an index that groups the exceptions (migrations
 * 0011 and 0021). `attention` is a union, counted as its parts without those of an earlier one; the exclusions are
 * written so that no index seems to help, or SQLite would scan the whole fleet with it.
 */
function counts(moments: GaugeMoments): Readonly<Record<string, Count>> {
  const { backupStaleBefore, unverifiedBefore, now } = moments;
  const noReboot = 'COALESCE(reboot_pending, 0) = 0';
  const otherwiseWell = `${noReboot} AND COALESCE(security_updates_count, 0) = 0`;
  const notStale = `CASE WHEN ${LACKS_BACKUP} THEN 1 ELSE 0 END = 0`;
  return {
    reboot_pending: [`reboot_pending = 1 AND ${THERE}`],
    backup_disabled: [`feature_backup = 0 AND ${THERE}`],
    backup_never: [`${NEVER_BACKED_UP} AND ${THERE}`],
    backup_late: [`${BACKED_UP_LONG_AGO} AND ${THERE}`, backupStaleBefore],
    never_verified: [`feature_backup = 1 AND last_verified_at IS NULL AND ${THERE}`],
    verified_late: [`feature_backup = 1 AND last_verified_at < ? AND ${THERE}`, unverifiedBefore],
    unreachable: [`${UNREACHABLE} AND ${THERE}`],
    never_os: [`feature_os_patch = 1 AND last_os_check_at IS NULL AND ${THERE}`],
    never_container: [`feature_docker = 1 AND last_container_check_at IS NULL AND ${THERE}`],
    support_ended: [`support_ends_at < ? AND ${THERE}`, now],
    support_ending: [
      `support_ends_at >= ? AND support_ends_at < ? AND ${THERE}`,
      now,
      now + SUPPORT_ENDING_MS,
    ],
    only_security: [`security_updates_count > 0 AND ${THERE} AND ${noReboot}`],
    only_never: [`${NEVER_BACKED_UP} AND ${THERE} AND ${otherwiseWell}`],
    only_late: [`${BACKED_UP_LONG_AGO} AND ${THERE} AND ${otherwiseWell}`, backupStaleBefore],
    only_unreachable: [`${UNREACHABLE} AND ${THERE} AND ${otherwiseWell} AND ${notStale}`, backupStaleBefore],
  };
}

export async function serverGauges(
  knex: Knex,
  moments: GaugeMoments,
): Promise<Pick<Gauges, 'servers' | 'updates'>> {
  const number = await readCounts(knex, moments);
  const updates = await pendingUpdates(knex);
  const total = number('ever') - number('removed');
  const each = <T>(take: (kind: UpdateKind) => T): Record<UpdateKind, T> => ({
    os: take('os'),
    security: take('security'),
    container: take('container'),
  });
  return {
    servers: {
      total,
      attention:
        number('reboot_pending') +
        number('only_security') +
        number('only_never') +
        number('only_late') +
        number('only_unreachable'),
      unreachable: number('unreachable'),
      rebootPending: number('reboot_pending'),
      backupEnabled: total - number('backup_disabled'),
      backupStale: number('backup_never') + number('backup_late'),
      backupUnverified: number('never_verified') + number('verified_late'),
      neverChecked: { os: number('never_os'), container: number('never_container') },
      withUpdates: each((kind) => updates[kind].servers),
      bySupport: { ended: number('support_ended'), ending: number('support_ending') },
    },
    updates: each((kind) => updates[kind].updates),
  };
}

async function readCounts(knex: Knex, moments: GaugeMoments): Promise<(name: string) => number> {
  const count = (condition: string, bindings: readonly number[]): Knex.Raw =>
    knex.raw(`(SELECT COUNT(*) FROM servers WHERE ${condition})`, [...bindings]);
  const wanted = Object.entries(counts(moments)).map(
    ([name, [condition, ...bindings]]) => [name, count(condition, bindings)] as const,
  );
  const row = (await knex
    .select({
      // SQLite counts all rows of a table without reading them; removed ones are few.
      ever: knex.raw('(SELECT COUNT(*) FROM servers)'),
      removed: count('name_key IS NULL', []),
      ...Object.fromEntries(wanted),
    })
    .first()) as Readonly<Record<string, number>>;
  return (name) => Number(row[name]);
}

type UpdateCounts = { readonly servers: number; readonly updates: number };

/** By how many updates wait: the same numbers come again and again, and an index counts equal ones fast. */
async function pendingUpdates(knex: Knex): Promise<Readonly<Record<UpdateKind, UpdateCounts>>> {
  const of = async (kind: UpdateKind): Promise<UpdateCounts> => {
    const column = `${kind}_updates_count`;
    const rows = await knex('servers')
      .where(column, '>', 0)
      .whereNull('removed_at')
      .groupBy(column)
      .select<{ waiting: number; servers: number }[]>({ waiting: column }, knex.raw('COUNT(*) AS servers'));
    return rows.reduce<UpdateCounts>(
      ({ servers, updates }, row) => ({
        servers: servers + row.servers,
        updates: updates + row.servers * row.waiting,
      }),
      { servers: 0, updates: 0 },
    );
  };
  return { os: await of('os'), security: await of('security'), container: await of('container') };
}

export async function eachServer(knex: Knex, most: number): Promise<readonly ServerGauges[] | null> {
  const rows = await knex('servers')
    .whereNotNull('name_key')
    .orderBy('id')
    .limit(most + 1)
    .select<Row[]>(COLUMNS);
  if (rows.length > most) return null;
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    osPretty: row.os_pretty,
    lastBackupAt: row.last_backup_at,
    lastSeenAt: row.last_seen_at,
    updates: {
      os: row.os_updates_count,
      security: row.security_updates_count,
      container: row.container_updates_count,
    },
  }));
}

interface Row {
  readonly id: number;
  readonly name: string;
  readonly os_pretty: string | null;
  readonly last_backup_at: number | null;
  readonly last_seen_at: number | null;
  readonly os_updates_count: number | null;
  readonly security_updates_count: number | null;
  readonly container_updates_count: number | null;
}

const COLUMNS = [
  'id',
  'name',
  'os_pretty',
  'last_backup_at',
  'last_seen_at',
  'os_updates_count',
  'security_updates_count',
  'container_updates_count',
] as const satisfies readonly (keyof Row)[];
