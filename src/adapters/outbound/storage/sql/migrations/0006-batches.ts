import type { Knex } from 'knex';
import { bounds } from './0005-schedules-and-windows.ts';
import { flag, instant, longText, makeTable, reference } from './columns.ts';

/** One job on each of many hosts. */
export async function up(knex: Knex): Promise<void> {
  await makeTable(knex, 'batches', (table) => {
    table.bigIncrements('id');
    table.string('job_type', 64).notNullable();
    longText(table, 'params').notNullable();
    longText(table, 'selector').notNullable();
    bounds(table);
    table.string('status', 16).notNullable();
    // Goes up with every step, in its transaction: of two processes that take the same step one fails.
    table.bigInteger('version').notNullable().defaultTo(0);
    // How many members are in each state, so that nobody has to count them.
    for (const status of ['waiting', 'active', 'success', 'failed', 'cancelled', 'skipped', 'left_out']) {
      table.integer(`members_${status}`).notNullable().defaultTo(0);
    }
    table.string('requester_kind', 16).notNullable();
    table.bigInteger('requester_id').unsigned();
    table.string('requester_name', 255).notNullable();
    table.string('requester_address', 64);
    table.string('requested_by', 255).notNullable();
    flag(table, 'scheduled').notNullable();
    table.bigInteger('schedule_id').unsigned();
    flag(table, 'require_approval').notNullable();
    flag(table, 'outside_window').notNullable();
    instant(table, 'created_at').notNullable();
    instant(table, 'finished_at');
    instant(table, 'cancel_requested_at');
    table.text('stop_reason');
    table.index(['status', 'id']);
    table.index(['schedule_id', 'id']);
    table.index(['requester_kind', 'requester_id', 'id']);
  });
  await makeTable(knex, 'batch_members', (table) => {
    reference(table, 'batch_id', 'batches').notNullable().onDelete('CASCADE');
    // Its turn.
    table.integer('position').notNullable();
    reference(table, 'server_id', 'servers').notNullable();
    table.string('server_name', 255).notNullable();
    table.string('status', 16).notNullable();
    table.bigInteger('job_id').unsigned();
    instant(table, 'not_before');
    table.string('code', 64);
    table.text('detail');
    table.primary(['batch_id', 'position']);
    table.unique(['batch_id', 'server_id']);
    table.index(['batch_id', 'status', 'position']);
  });
}
