import type { Knex } from 'knex';
import { DAY, HOUR, type Instant, SECOND } from '../../../../../domain/base/instant.ts';
import { MAX_OVERLAP_MS } from '../../../../../domain/events/webhook.ts';
import type { Database } from '../database.ts';

/** RFC 6238. */
const TOTP_STEP_MS = 30 * SECOND;

/** The service never sets a time further ahead than this; later ones were written by a wrong clock. */
interface FutureTime {
  readonly table: string;
  readonly column: string;
  readonly aheadMs: number;
  /** The clock that wrote it. */
  readonly clock: 'service' | 'database';
  /** `now`: it has come. `null`: it never was. `delete`: the row goes. */
  readonly becomes: 'now' | 'null' | 'delete';
  /** The row's expiry, which was counted from this time: it moves by as much, so that it lasts as long as was meant. */
  readonly expiry?: string;
  /** The unit of the column in milliseconds; 1 if absent. */
  readonly unitMs?: number;
  readonly rows?: Readonly<Record<string, string>>;
}

/** Most are written by the service's clock, at most an hour ahead. */
const future = (
  table: string,
  column: string,
  rest: Partial<Omit<FutureTime, 'table' | 'column'>> = {},
): FutureTime => ({ table, column, aheadMs: HOUR, clock: 'service', becomes: 'now', ...rest });

/** Records that would wait until their time comes. Times that only describe the past stay as they are. */
export const FUTURE_TIMES: readonly FutureTime[] = [
  future('leases', 'until', { clock: 'database', becomes: 'delete' }),
  future('jobs', 'lease_until', { clock: 'database', rows: { status: 'running' } }),
  future('jobs', 'next_try_at'),
  future('jobs', 'host_wait_since'),
  future('idempotent_requests', 'created_at', { clock: 'database', becomes: 'delete' }),
  future('replicas', 'seen_at', { clock: 'database', becomes: 'delete' }),
  future('snapshots', 'held_until', { aheadMs: DAY, clock: 'database', becomes: 'null' }),
  future('removed_snapshots', 'removed_at', { clock: 'database' }),
  future('schedule_runs', 'stamped_at', { clock: 'database', rows: { outcome: 'starting' } }),
  // Of a message for a daily digest, and then for the end of quiet hours.
  future('deliveries', 'due_at', { aheadMs: 2 * (DAY + HOUR), rows: { status: 'pending' } }),
  future('alert_channels', 'report_at', { aheadMs: 7 * DAY + HOUR }),
  future('batch_members', 'not_before', { aheadMs: 2 * HOUR, rows: { status: 'waiting' } }),
  future('servers', 'inventory_at', { becomes: 'null' }),
  future('servers', 'contact_failed_since'),
  future('servers', 'last_backup_at', { becomes: 'null' }),
  future('servers', 'last_verified_at', { becomes: 'null' }),
  future('backup_sources', 'last_success_at', { becomes: 'null' }),
  future('sessions', 'seen_at', { becomes: 'delete' }),
  future('sessions', 'created_at', { becomes: 'delete' }),
  future('account_links', 'expires_at', { aheadMs: DAY + HOUR, becomes: 'delete' }),
  future('sso_flows', 'started_at', { becomes: 'delete' }),
  future('passkey_challenges', 'started_at', { becomes: 'delete' }),
  future('sign_in_throttles', 'last_at', { becomes: 'delete' }),
  future('sign_in_devices', 'seen_at'),
  future('api_tokens', 'created_at', { expiry: 'expires_at' }),
  future('notification_mutes', 'created_at', { expiry: 'until' }),
  future('approvals', 'created_at', { expiry: 'expires_at', rows: { state: 'waiting' } }),
  future('webhooks', 'former_until', { aheadMs: MAX_OVERLAP_MS + HOUR }),
  future('users', 'totp_step', { unitMs: TOTP_STEP_MS }),
  future('api_tokens', 'last_used_at', { becomes: 'null' }),
  future('notifications', 'began_at', { rows: { state: 'pending' } }),
  future('notifications', 'told_at', { rows: { state: 'open' } }),
];

/** Returns how many rows were changed. */
export async function bringBackTimes(database: Database, now: Instant): Promise<number> {
  let changed = 0;
  for (const each of FUTURE_TIMES) {
    const at = (ms: number): Knex.Raw | Instant =>
      each.clock === 'database' ? database.nowPlus(ms) : Math.floor((now + ms) / (each.unitMs ?? 1));
    changed += await database.write((knex) => {
      const rows = knex(each.table)
        .where(each.rows ?? {})
        .where(each.column, '>', at(each.aheadMs));
      if (each.becomes === 'delete') return rows.delete();
      const time = { [each.column]: each.becomes === 'now' ? at(0) : null };
      if (each.expiry === undefined) return rows.update(time);
      // First: MySQL assigns from left to right, and this reads the time as it was.
      return rows.update({
        [each.expiry]: knex.raw('?? - (?? - ?)', [each.expiry, each.column, now]),
        ...time,
      });
    });
  }
  return changed;
}
