import type { Knex } from 'knex';
import { DAY, HOUR, type Instant } from '../../../../../domain/base/instant.ts';
import type { Database } from '../database.ts';

/** The service never sets a time further ahead than this; later ones were written by a wrong clock. */
interface FutureTime {
  readonly table: string;
  readonly column: string;
  readonly aheadMs: number;
  /** The clock that wrote it. */
  readonly clock: 'service' | 'database';
  /** `now`: it has come. `null`: it never was. `delete`: the row goes. */
  readonly becomes: 'now' | 'null' | 'delete';
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
    aheadMs: DAY + HOUR,
    clock: 'service',
    becomes: 'now',
    rows: { status: 'pending' },
  },
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
  { table: 'sign_in_throttles', column: 'last_at', aheadMs: HOUR, clock: 'service', becomes: 'delete' },
  { table: 'sign_in_devices', column: 'seen_at', aheadMs: HOUR, clock: 'service', becomes: 'now' },
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
      each.clock === 'database' ? database.nowPlus(ms) : now + ms;
    changed += await database.write((knex) => {
      const rows = knex(each.table)
        .where(each.rows ?? {})
        .where(each.column, '>', at(each.aheadMs));
      if (each.becomes === 'delete') return rows.delete();
      return rows.update({ [each.column]: each.becomes === 'now' ? at(0) : null });
    });
  }
  return changed;
}
