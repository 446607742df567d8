import type { Database } from '../../src/adapters/outbound/storage/sql/database.ts';
import { DAY, HOUR } from '../../src/domain/base/instant.ts';

/** How many jobs of all are not over. */
const RUNNING = 200;
const AWAITING = 50;
const HISTORY = 90 * DAY;

/** `i` from 1 to 1,000,000 in one statement: rows are created in the database. */
const DIGITS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => `SELECT ${n} AS d`).join(' UNION ALL ');
const NUMBERS = `(SELECT 1 + a.d + 10 * b.d + 100 * c.d + 1000 * e.d + 10000 * f.d + 100000 * g.d AS i
  FROM (${DIGITS}) g, (${DIGITS}) f, (${DIGITS}) e, (${DIGITS}) c, (${DIGITS}) b, (${DIGITS}) a) numbers`;

/** A value that looks random, from 0 to 99, the same in every run. */
const chance = (salt: number): string => `((i * 7919 + (i - i % 100) / 100 * ${salt} + ${salt}) % 100)`;

/**
 * Fills the fleet up to this many servers. Of each hundred ten have a reboot pending, 30 updates, 15 security
 * updates, five a stale backup, two are unreachable, and ten are not backed up.
 */
export async function seedServers(database: Database, count: number): Promise<void> {
  const now = Date.now();
  const columns = {
    name: "CONCAT('host-', i)",
    name_key: "CONCAT('host-', i)",
    connection: "'ssh'",
    hostname: "CONCAT('host-', i, '.example.org')",
    ssh_port: '22',
    ssh_username: "'drover'",
    become: "'sudo'",
    tags: `'["web","production"]'`,
    search_text: "CONCAT('host-', i, '\n', 'host-', i, '.example.org\nweb')",
    feature_backup: `CASE WHEN ${chance(3)} < 10 THEN 0 ELSE 1 END`,
    feature_os_patch: '1',
    feature_docker: '0',
    os_type: "'linux'",
    os_pretty: "'Debian GNU/Linux 12 (bookworm)'",
    arch: "'x86_64'",
    cpu_cores: '4',
    last_seen_at: `${now} - CASE WHEN ${chance(5)} < 2 THEN ${9 * HOUR} ELSE 0 END`,
    os_updates_count: `CASE WHEN ${chance(7)} < 30 THEN 1 + i % 60 ELSE 0 END`,
    security_updates_count: `CASE WHEN ${chance(11)} < 15 THEN 1 + i % 12 ELSE 0 END`,
    reboot_pending: `CASE WHEN ${chance(13)} < 10 THEN 1 ELSE 0 END`,
    last_os_check_at: String(now),
    inventory_at: String(now),
    last_backup_at: `${now} - CASE WHEN ${chance(17)} < 5 THEN ${9 * DAY} ELSE ${HOUR} END`,
    created_at: String(now - 400 * DAY),
    updated_at: String(now),
  };
  await insert(database, 'servers', columns, await have(database, 'servers'), count);
}

/** Fills the history up to this many jobs, spread over 90 days; three of each hundred failed. */
export async function seedJobs(database: Database, count: number): Promise<void> {
  const now = Date.now();
  const created = `${now - HISTORY} + i * ${Math.floor(HISTORY / count)}`;
  const running = `i > ${count - RUNNING}`;
  const open = `i > ${count - RUNNING - AWAITING}`;
  const columns = {
    server_id: '1 + i % 1000',
    server_name: "CONCAT('host-', 1 + i % 1000)",
    job_type: "CASE WHEN i % 3 = 0 THEN 'backup' WHEN i % 3 = 1 THEN 'retention' ELSE 'os_update_check' END",
    lane: "'backup'",
    lane_key: `CASE WHEN ${running} THEN CONCAT('bench-', i) END`,
    status: `CASE WHEN ${running} THEN 'running' WHEN ${open} THEN 'awaiting_approval'
      WHEN ${chance(19)} < 3 THEN 'failed' WHEN ${chance(19)} < 4 THEN 'cancelled' ELSE 'success' END`,
    owner: `CASE WHEN ${running} THEN 'elsewhere' END`,
    lease_until: `CASE WHEN ${running} THEN ${now + 30 * DAY} END`,
    params: `'{"sourceFilter":null,"service":null,"osSteps":null,"dryRun":false}'`,
    created_at: created,
    started_at: `CASE WHEN ${open} THEN NULL ELSE ${created} END`,
    finished_at: `CASE WHEN ${open} THEN NULL ELSE ${created} + 60000 END`,
    summary: "'Backed up 2,000 files of 5.2 GB; 12 MB were new.'",
    scheduled: '1',
    requested_by: "'schedule nightly'",
    log_tail: `'["12:00:01 Looking for what has changed since the last snapshot.","12:00:59 Done: 2,000 files."]'`,
  };
  await insert(database, 'jobs', columns, await have(database, 'jobs'), count);
}

async function have({ knex }: Database, table: string): Promise<number> {
  const row = (await knex(table).count({ n: '*' }).first()) as { n: number };
  return row.n;
}

async function insert(
  database: Database,
  table: string,
  columns: Readonly<Record<string, string>>,
  from: number,
  to: number,
): Promise<void> {
  const names = Object.keys(columns).join(', ');
  // In parts: MariaDB ends a statement after 30 s.
  for (let first = from; first < to; first += 50_000) {
    const last = Math.min(first + 50_000, to);
    await database.knex.raw(
      `INSERT INTO ${table} (${names}) SELECT ${Object.values(columns).join(', ')} FROM ${NUMBERS}
       WHERE i > ${first} AND i <= ${last}`,
    );
  }
}
