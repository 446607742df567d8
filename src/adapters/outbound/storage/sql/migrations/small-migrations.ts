import type { Knex } from 'knex';
import { adoptOwners } from '../stores/schedule-owners.ts';
import { addToTable, flag, instant, longText, makeTable, reference } from './columns.ts';
import { makeGaugeIndex } from './gauge-index.ts';

type Migrate = (knex: Knex) => Promise<void>;

/** Migrations of a few lines, in order; longer ones have their own files. */
export const SMALL_MIGRATIONS = {
  /** What an operator denies to the file tools of a server: a JSON list of patterns, null for none. */
  '0003-denied-files': async (knex) => {
    if (await knex.schema.hasColumn('servers', 'jail_deny')) return;
    await knex.schema.alterTable('servers', (table) => void longText(table, 'jail_deny'));
  },

  /** The dry run whose plan a job does: a second job by the same plan is refused by the index. */
  '0004-plans-used-once': async (knex) => {
    if (!(await knex.schema.hasColumn('jobs', 'plan_key'))) {
      await knex.schema.alterTable('jobs', (table) => {
        table.bigInteger('plan_key').unsigned();
      });
    }
    await knex.schema
      .alterTable('jobs', (table) => {
        table.unique(['plan_key']);
      })
      .catch((error: { errno?: number; message: string }) => {
        // ER_DUP_KEYNAME; SQLite says it in words. It died half-way before.
        if (error.errno !== 1061 && !error.message.includes('already exists')) throw error;
      });
  },

  /** Where an operator said that compose projects lie: a JSON list of directories, null for none. */
  '0007-compose-directories': async (knex) => {
    if (await knex.schema.hasColumn('servers', 'compose_dirs')) return;
    await knex.schema.alterTable('servers', (table) => void longText(table, 'compose_dirs'));
  },

  /** A maintenance window may be switched off for a while; those that are there are on, and so are those of an older replica. */
  '0020-windows-switched-off': (knex) =>
    addToTable(knex, 'maintenance_windows', 'enabled', (table) => {
      flag(table, 'enabled').notNullable().defaultTo(1);
    }),

  /** Servers that nobody gets onto are counted as the page counts them: by the last try, not by when they were seen. */
  '0021-unreachable-index': (knex) =>
    makeGaugeIndex(knex, 'servers', [
      'contact_failed_since',
      'removed_at',
      'reboot_pending',
      'security_updates_count',
      'feature_backup',
      'last_backup_at',
    ]),

  /**
   * Who named the servers that a token is limited to. Unknown for tokens that are there, and for those that an older replica
   * makes: such a token does not get the service's own machine.
   */
  '0022-granted-servers': (knex) =>
    addToTable(knex, 'api_tokens', 'servers_granted_by', (table) => {
      table.string('servers_granted_by', 255).nullable();
      table.bigInteger('servers_granted_user_id').unsigned().nullable();
    }),

  /** Schedules run with the rights of their owner, and jobs say who asked for them by more than a name. */
  '0023-schedule-owners': async (knex) => {
    await addToTable(knex, 'schedules', 'owner_kind', (table) => {
      table.string('owner_kind', 16);
      table.bigInteger('owner_id');
      table.string('owner_name', 255);
      table.text('off_reason');
    });
    await addToTable(knex, 'jobs', 'requester_kind', (table) => {
      table.string('requester_kind', 16);
      table.bigInteger('requester_id');
    });
    await adoptOwners(knex);
  },

  /** Which master keys a process has; a replica of an earlier version does not say. */
  '0026-master-key-ids': (knex) =>
    addToTable(knex, 'replicas', 'key_ids', (table) => {
      table.string('key_ids', 255);
    }),

  /**
   * Snapshots that were taken off the list and whose data may still be there. Removals by a replica of an earlier version leave
   * none: what is left of one that was cut off is listed again, and removed by the next retention.
   */
  '0027-removed-snapshots': (knex) =>
    makeTable(knex, 'removed_snapshots', (table) => {
      table.bigIncrements('id');
      reference(table, 'source_id', 'backup_sources').notNullable();
      table.string('name', 255).notNullable();
      // By the database's clock.
      instant(table, 'removed_at').notNullable();
      table.unique(['source_id', 'name']);
    }),

  /** When the clock was set. Those that are not over have an alert. */
  '0028-clock-jumps': (knex) =>
    makeTable(knex, 'clock_jumps', (table) => {
      table.bigIncrements('id');
      table.string('kind', 16).notNullable();
      instant(table, 'from_at').notNullable();
      instant(table, 'to_at').notNullable();
      // The expected time once more, as alerts show it.
      table.string('expected', 32).notNullable();
      instant(table, 'over_at').index();
    }),

  /** Databases that are dumped with each backup of a source. */
  '0029-dumps': (knex) =>
    makeTable(knex, 'backup_dumps', (table) => {
      table.bigIncrements('id');
      reference(table, 'source_id', 'backup_sources').notNullable();
      table.string('name', 63).notNullable();
      table.string('kind', 16).notNullable();
      // How to connect, as JSON, without the password.
      longText(table, 'connection').notNullable();
      longText(table, 'sealed_password');
      instant(table, 'created_at').notNullable();
      table.unique(['source_id', 'name']);
    }),

  /** What is stopped while a source is backed up, as JSON; null: nothing. */
  '0030-backup-hooks': (knex) =>
    addToTable(knex, 'backup_sources', 'hooks', (table) => void longText(table, 'hooks')),

  /** Servers that were seen to be the machine that the service runs on. An older replica leaves this alone. */
  '0031-own-machine-servers': (knex) =>
    addToTable(knex, 'servers', 'on_own_machine', (table) => {
      flag(table, 'on_own_machine').nullable();
    }),

  /** How often a source compares the contents of its files; a replica of an earlier version knows only never. */
  '0032-content-comparison': (knex) =>
    addToTable(knex, 'backup_sources', 'compare_content_every', (table) => {
      table.integer('compare_content_every').notNullable().defaultTo(0);
    }),

  /** Why a job was requested; an older replica writes none. */
  '0034-job-reasons': (knex) =>
    addToTable(knex, 'jobs', 'reason', (table) => void table.string('reason', 500)),

  /** Since when a snapshot is pinned; the retention of an older replica does not know it. */
  '0035-pinned-snapshots': (knex) =>
    addToTable(knex, 'snapshots', 'pinned_at', (table) => void instant(table, 'pinned_at')),

  /** Changes that wait for approval, other than jobs and batches. Contents are encrypted, and deleted with the decision. */
  '0036-requested-changes': (knex) =>
    addToTable(knex, 'approvals', 'change_kind', (table) => {
      table.string('change_kind', 32);
      table.text('change_summary');
      table.string('change_basis', 64);
      longText(table, 'change_sealed');
      table.string('change_outcome', 16);
      table.text('change_detail');
      table.index(['change_outcome', 'decided_at']);
    }),

  /** The steps of a job as JSON; an older replica writes none. */
  '0037-job-phases': (knex) => addToTable(knex, 'jobs', 'phases', (table) => void longText(table, 'phases')),

  /** The calls with a token, in all and by hour, as JSON; an older replica counts none. */
  '0040-token-calls': (knex) =>
    addToTable(knex, 'api_tokens', 'calls', (table) => void longText(table, 'calls')),

  /** Whether the user of an agent may approve what a token asks for; an older replica leaves all of that to reviewers. */
  '0057-approval-in-client': (knex) =>
    addToTable(knex, 'api_tokens', 'approval_in_client', (table) => {
      flag(table, 'approval_in_client').notNullable().defaultTo(0);
    }),

  /** Finds the batch of a job. */
  '0041-batches-by-job': (knex) => makeGaugeIndex(knex, 'batch_members', ['job_id']),

  /** What updates may change on which servers. */
  '0042-patch-policies': async (knex) => {
    await makeTable(knex, 'patch_policies', (table) => {
      table.bigIncrements('id');
      table.string('name', 255).notNullable().unique();
      longText(table, 'selector').notNullable();
      // JSON of `PolicyRules`.
      longText(table, 'rules').notNullable();
      table.string('created_by', 255).notNullable();
      instant(table, 'created_at').notNullable();
    });
  },

  /** The snapshot that found a change of files; no reference: snapshots are removed sooner. */
  '0048-file-changes': (knex) =>
    addToTable(knex, 'host_changes', 'snapshot_id', (table) => {
      table.bigInteger('snapshot_id').unsigned();
      table.index(['server_id', 'snapshot_id']);
    }),

  /** Services that a policy restarts if they are unhealthy. */
  '0048-watched-services': (knex) =>
    makeTable(knex, 'watched_services', (table) => {
      table.bigIncrements('id');
      reference(table, 'server_id', 'servers').notNullable().index();
      table.text('directory').notNullable();
      table.text('service').notNullable();
      // As an alert names it.
      table.string('label', 255).notNullable();
      table.integer('checks').notNullable();
      // JSON.
      longText(table, 'restarts').notNullable();
      instant(table, 'gave_up_at');
    }),

  /** Checks of guarded package updates: a JSON list of texts, null for none. */
  '0052-update-checks': (knex) =>
    addToTable(knex, 'servers', 'update_checks', (table) => void longText(table, 'update_checks')),

  /** Jobs that wait for a host that is down; an older replica tries without a pause. */
  '0047-jobs-await-hosts': (knex) =>
    addToTable(knex, 'jobs', 'next_try_at', (table) => {
      instant(table, 'next_try_at');
      instant(table, 'host_wait_since');
      table.integer('host_tries').notNullable().defaultTo(0);
    }),

  /** The order in which policies update servers. An older replica starts waiting servers of such a batch regardless. */
  '0051-update-order': async (knex) => {
    // JSON.
    await addToTable(knex, 'batches', 'orders', (table) => void longText(table, 'orders'));
    await addToTable(knex, 'batch_members', 'place', (table) => void longText(table, 'place'));
    await addToTable(knex, 'jobs', 'group_uses', (table) => void longText(table, 'group_uses'));
    // Claims of jobs on servers of a limited group write its row, and so decide one after the other.
    await makeTable(knex, 'update_groups', (table) => {
      table.string('tag', 64).primary();
      table.bigInteger('version').notNullable();
    });
  },

  /** Roles on servers with a tag, as JSON. An older replica knows only the role on all servers. */
  '0053-tag-roles': (knex) =>
    addToTable(knex, 'users', 'tag_roles', (table) => void longText(table, 'tag_roles')),

  /** How publishers rate CVEs; null for rows of an older replica. */
  '0060-cve-severities': (knex) =>
    addToTable(knex, 'vulnerabilities', 'severity', (table) => void table.string('severity', 16)),

  /** Counters of networks and disks, and swap, as JSON. An older replica leaves them unknown. */
  '0063-sample-activity': (knex) =>
    addToTable(knex, 'server_samples', 'activity', (table) => void table.text('activity')),
} satisfies Record<string, Migrate>;
