import type { Knex } from 'knex';
import { flag, instant, longText, makeTable, reference } from './columns.ts';

/** Everything of the first version. History (jobs, snapshots, audit) outlives what it tells of: servers are never deleted. */
export async function up(knex: Knex): Promise<void> {
  await makeTable(knex, 'ssh_keys', (table) => {
    table.bigIncrements('id');
    table.string('name', 255).notNullable().unique();
    table.string('algorithm', 64).notNullable();
    table.text('public_key').notNullable();
    table.string('fingerprint', 128).notNullable();
    table.text('sealed_private_key').notNullable();
    instant(table, 'created_at').notNullable();
  });
  await servers(knex);
  await makeTable(knex, 'server_inventories', (table) => {
    reference(table, 'server_id', 'servers').notNullable().primary();
    instant(table, 'at').notNullable();
    longText(table, 'inventory').notNullable();
  });
  await backups(knex);
  await jobs(knex);
  await trail(knex);
  await small(knex);
}

async function servers(knex: Knex): Promise<void> {
  await makeTable(knex, 'servers', (table) => {
    table.bigIncrements('id');
    table.string('name', 255).notNullable();
    // The name while the server is there, null once it is removed: unique among those present.
    table.string('name_key', 255).unique();
    // Bumped by every enqueue in its transaction, so that two enqueues for one server always meet here.
    table.bigInteger('lane_version').notNullable().defaultTo(0);
    table.string('connection', 16).notNullable();
    table.string('hostname', 255).notNullable();
    table.integer('ssh_port').notNullable();
    table.string('ssh_username', 255).notNullable();
    reference(table, 'ssh_key_id', 'ssh_keys').nullable();
    table.string('host_key_algorithm', 64);
    table.text('host_key_blob');
    table.string('host_key_fingerprint', 128);
    table.string('become', 16).notNullable();
    reference(table, 'jump_server_id', 'servers').nullable();
    longText(table, 'tags').notNullable();
    // Name, hostname and tags in lower case, a line each: what a search looks through on either database.
    longText(table, 'search_text').notNullable();
    flag(table, 'feature_backup').notNullable();
    flag(table, 'feature_os_patch').notNullable();
    flag(table, 'feature_docker').notNullable();
    table.text('jail');
    facts(table);
    instant(table, 'created_at').notNullable();
    instant(table, 'updated_at').notNullable();
    instant(table, 'removed_at');
  });
}

/** One column for each of the domain's `ServerFacts`; null where it was never learnt. */
function facts(table: Knex.CreateTableBuilder): void {
  // Hosts say what they like about themselves: no length is too much here.
  for (const name of ['os_type', 'os_id', 'os_pretty', 'arch', 'hardware']) table.text(name);
  table.integer('cpu_cores');
  table.double('cpu_load');
  for (const name of ['memory_total_bytes', 'memory_used_bytes', 'disk_total_bytes', 'disk_used_bytes']) {
    table.bigInteger(name);
  }
  table.integer('container_count');
  instant(table, 'last_seen_at');
  for (const name of ['os_updates_count', 'security_updates_count', 'container_updates_count'])
    table.integer(name);
  flag(table, 'reboot_pending');
  for (const name of ['last_os_check_at', 'last_container_check_at', 'inventory_at', 'last_backup_at']) {
    instant(table, name);
  }
}

async function backups(knex: Knex): Promise<void> {
  await makeTable(knex, 'backup_sources', (table) => {
    table.bigIncrements('id');
    reference(table, 'server_id', 'servers').notNullable();
    table.string('name', 64).notNullable();
    // As in servers: null once removed.
    table.string('name_key', 64);
    table.string('kind', 16).notNullable();
    longText(table, 'paths').notNullable();
    longText(table, 'excludes').notNullable();
    table.text('retention').notNullable();
    instant(table, 'last_success_at');
    instant(table, 'created_at').notNullable();
    instant(table, 'removed_at');
    table.unique(['server_id', 'name_key']);
  });
  await makeTable(knex, 'snapshots', (table) => {
    table.bigIncrements('id');
    reference(table, 'server_id', 'servers').notNullable();
    reference(table, 'source_id', 'backup_sources').notNullable();
    table.string('source_name', 64).notNullable();
    table.bigInteger('job_id').unsigned();
    table.string('engine', 32).notNullable();
    table.string('name', 255).notNullable();
    instant(table, 'started_at').notNullable();
    instant(table, 'finished_at').notNullable();
    for (const name of ['file_count', 'total_bytes', 'transferred_bytes', 'vanished_count']) {
      table.bigInteger(name).notNullable();
    }
    table.string('manifest_sha256', 64).notNullable();
    instant(table, 'last_verified_at');
    // By the database's clock.
    instant(table, 'held_until');
    table.unique(['source_id', 'name']);
    table.index(['source_id', 'started_at', 'id']);
    table.index(['server_id', 'started_at', 'id']);
  });
}

async function jobs(knex: Knex): Promise<void> {
  await makeTable(knex, 'jobs', (table) => {
    table.bigIncrements('id');
    reference(table, 'server_id', 'servers').notNullable();
    table.string('server_name', 255).notNullable();
    table.string('job_type', 64).notNullable();
    table.text('lane').notNullable();
    // Names server and lane while the job is active, null otherwise: one active job a lane.
    table.string('lane_key', 255).unique();
    table.string('status', 32).notNullable();
    longText(table, 'params').notNullable();
    instant(table, 'created_at').notNullable();
    instant(table, 'started_at');
    instant(table, 'finished_at');
    table.text('current');
    table.double('percent');
    table.text('summary');
    flag(table, 'scheduled').notNullable();
    table.string('requested_by', 255).notNullable();
    table.string('error_code', 64);
    table.text('error_detail');
    longText(table, 'result');
    longText(table, 'log_tail').notNullable();
    // What was ever logged, where the kept head ends and where the kept tail begins: byte offsets.
    for (const name of ['log_bytes', 'log_head_end', 'log_tail_start']) {
      table.bigInteger(name).notNullable().defaultTo(0);
    }
    table.string('owner', 255);
    // By the database's clock.
    instant(table, 'lease_until');
    table.bigInteger('fence').notNullable().defaultTo(0);
    table.text('run_marker');
    instant(table, 'cancel_requested_at');
    // In this order: InnoDB takes the first for the foreign key, and locks the server's row whenever that index changes.
    table.index(['server_id', 'id']);
    table.index(['server_id', 'status', 'id']);
    table.index(['status', 'id']);
    table.index(['job_type', 'id']);
    table.check("(status IN ('pending', 'running')) = (lane_key IS NOT NULL)", {}, 'jobs_lane_held');
    table.check("(status = 'running') = (owner IS NOT NULL)", {}, 'jobs_owner_runs');
  });
  await makeTable(knex, 'job_log_chunks', (table) => {
    reference(table, 'job_id', 'jobs').notNullable().onDelete('CASCADE');
    // Byte offset in the log. The same stretch cannot be written twice.
    table.bigInteger('position').notNullable();
    instant(table, 'at').notNullable();
    // UTF-8, as bytes: positions count them, and no character set gets in between.
    table.specificType('content', 'mediumblob').notNullable();
    table.primary(['job_id', 'position']);
  });
}

async function trail(knex: Knex): Promise<void> {
  await makeTable(knex, 'audit_entries', (table) => {
    table.bigIncrements('id');
    instant(table, 'at').notNullable();
    table.string('actor_kind', 16).notNullable();
    table.bigInteger('actor_id').unsigned();
    table.string('actor_name', 255).notNullable();
    table.string('address', 64);
    table.string('action', 128).notNullable();
    table.string('object', 255).notNullable();
    table.string('outcome', 64).notNullable();
    longText(table, 'detail').notNullable();
    table.index(['object', 'id']);
    table.index(['actor_kind', 'actor_id', 'id']);
  });
  await makeTable(knex, 'outbox_events', (table) => {
    table.bigIncrements('id');
    table.string('uid', 36).notNullable().unique();
    table.string('type', 64).notNullable();
    table.string('severity', 16).notNullable();
    table.text('title').notNullable();
    table.text('message').notNullable();
    table.bigInteger('server_id').unsigned();
    table.bigInteger('job_id').unsigned();
    instant(table, 'at').notNullable();
  });
}

async function small(knex: Knex): Promise<void> {
  await makeTable(knex, 'api_tokens', (table) => {
    table.bigIncrements('id');
    table.string('name', 255).notNullable();
    table.string('secret_hash', 64).notNullable().unique();
    table.string('prefix', 32).notNullable();
    longText(table, 'scopes').notNullable();
    longText(table, 'allowed_cidrs').notNullable();
    longText(table, 'allowed_server_ids');
    flag(table, 'require_approval').notNullable();
    table.string('created_by', 255).notNullable();
    instant(table, 'created_at').notNullable();
    for (const name of ['last_used_at', 'expires_at', 'revoked_at']) instant(table, name);
  });
  await makeTable(knex, 'replicas', (table) => {
    table.string('owner', 255).notNullable().primary();
    table.string('version', 64).notNullable();
    instant(table, 'started_at').notNullable();
    // By the database's clock.
    instant(table, 'seen_at').notNullable();
  });
  await makeTable(knex, 'settings', (table) => {
    table.string('name', 255).notNullable().primary();
    longText(table, 'value').notNullable();
  });
}
