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

/** Records that would wait until their time comes. Times that only describe the past stay as they are. */
export const FUTURE_TIMES: readonly FutureTime[] = [
  { table: 'leases', column: 'until', aheadMs: HOUR, clock: 'database', becomes: 'delete' },
  {
    table: 'jobs',
    column: 'lease_until',
    aheadMs: HOUR,
    clock: 'database',
    becomes: 'now',
    rows: { status: 'running' },
  },
  { table: 'jobs', column: 'next_try_at', aheadMs: HOUR, clock: 'service', becomes: 'now' },
  { table: 'jobs', column: 'host_wait_since', aheadMs: HOUR, clock: 'service', becomes: 'now' },
  { table: 'idempotent_requests', column: 'created_at', aheadMs: HOUR, clock: 'database', becomes: 'delete' },
  { table: 'replicas', column: 'seen_at', aheadMs: HOUR, clock: 'database', becomes: 'delete' },
  { table: 'snapshots', column: 'held_until', aheadMs: DAY, clock: 'database', becomes: 'null' },
  { table: 'removed_snapshots', column: 'removed_at', aheadMs: HOUR, clock: 'database', becomes: 'now' },
  {
    table: 'schedule_runs',
    column: 'stamped_at',
    aheadMs: HOUR,
    clock: 'database',
    becomes: 'now',
    rows: { outcome: 'starting' },
  },
  {
    table: 'deliveries',
    column: 'due_at',
    // Of a message for a daily digest, and then for the end of quiet hours.
    aheadMs: 2 * (DAY + HOUR),
    clock: 'service',
    becomes: 'now',
    rows: { status: 'pending' },
  },
  { table: 'alert_channels', column: 'report_at', aheadMs: 7 * DAY + HOUR, clock: 'service', becomes: 'now' },
  {
    table: 'batch_members',
    column: 'not_before',
    aheadMs: 2 * HOUR,
    clock: 'service',
    becomes: 'now',
    rows: { status: 'waiting' },
  },
  { table: 'servers', column: 'inventory_at', aheadMs: HOUR, clock: 'service', becomes: 'null' },
  { table: 'servers', column: 'contact_failed_since', aheadMs: HOUR, clock: 'service', becomes: 'now' },
  { table: 'servers', column: 'last_backup_at', aheadMs: HOUR, clock: 'service', becomes: 'null' },
  { table: 'servers', column: 'last_verified_at', aheadMs: HOUR, clock: 'service', becomes: 'null' },
  { table: 'backup_sources', column: 'last_success_at', aheadMs: HOUR, clock: 'service', becomes: 'null' },
  { table: 'sessions', column: 'seen_at', aheadMs: HOUR, clock: 'service', becomes: 'delete' },
  { table: 'sessions', column: 'created_at', aheadMs: HOUR, clock: 'service', becomes: 'delete' },
  { table: 'account_links', column: 'expires_at', aheadMs: DAY + HOUR, clock: 'service', becomes: 'delete' },
  { table: 'sso_flows', column: 'started_at', aheadMs: HOUR, clock: 'service', becomes: 'delete' },
  { table: 'passkey_challenges', column: 'started_at', aheadMs: HOUR, clock: 'service', becomes: 'delete' },
  { table: 'sign_in_throttles', column: 'last_at', aheadMs: HOUR, clock: 'service', becomes: 'delete' },
  { table: 'sign_in_devices', column: 'seen_at', aheadMs: HOUR, clock: 'service', becomes: 'now' },
  {
    table: 'api_tokens',
    column: 'created_at',
    aheadMs: HOUR,
    clock: 'service',
    becomes: 'now',
    expiry: 'expires_at',
  },
  {
    table: 'notification_mutes',
    column: 'created_at',
    aheadMs: HOUR,
    clock: 'service',
    becomes: 'now',
    expiry: 'until',
  },
  {
    table: 'approvals',
    column: 'created_at',
    aheadMs: HOUR,
    clock: 'service',
    becomes: 'now',
    expiry: 'expires_at',
    rows: { state: 'waiting' },
  },
  {
    table: 'webhooks',
    column: 'former_until',
    aheadMs: MAX_OVERLAP_MS + HOUR,
    clock: 'service',
    becomes: 'now',
  },
  {
    table: 'users',
    column: 'totp_step',
    aheadMs: HOUR,
    clock: 'service',
    becomes: 'now',
    unitMs: TOTP_STEP_MS,
  },
  { table: 'api_tokens', column: 'last_used_at', aheadMs: HOUR, clock: 'service', becomes: 'null' },
  {
    table: 'notifications',
    column: 'began_at',
    aheadMs: HOUR,
    clock: 'service',
    becomes: 'now',
    rows: { state: 'pending' },
  },
  {
    table: 'notifications',
    column: 'told_at',
    aheadMs: HOUR,
    clock: 'service',
    becomes: 'now',
    rows: { state: 'open' },
  },
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
