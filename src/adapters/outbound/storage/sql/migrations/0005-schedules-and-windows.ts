import type { Knex } from 'knex';
import { flag, instant, longText, makeTable, reference } from './columns.ts';

/** Work that starts by itself, and the times in which servers may be changed. */
export async function up(knex: Knex): Promise<void> {
  await makeTable(knex, 'schedules', (table) => {
    table.bigIncrements('id');
    table.string('name', 255).notNullable().unique();
    longText(table, 'selector').notNullable();
    table.string('cron', 255).notNullable();
    table.string('time_zone', 64).notNullable();
    table.string('job_type', 64).notNullable();
    longText(table, 'params').notNullable();
    bounds(table);
    table.integer('jitter_ms').notNullable();
    flag(table, 'enabled').notNullable();
    flag(table, 'require_approval').notNullable();
    instant(table, 'handled_to').notNullable();
    // Null while it is off, so that the index leads to what is due.
    instant(table, 'due_at').index();
    table.bigInteger('revision').notNullable().defaultTo(0);
    table.string('created_by', 255).notNullable();
    instant(table, 'created_at').notNullable();
    instant(table, 'updated_at').notNullable();
  });
  await makeTable(knex, 'schedule_runs', (table) => {
    table.bigIncrements('id');
    reference(table, 'schedule_id', 'schedules').notNullable().onDelete('CASCADE');
    instant(table, 'slot_at').notNullable();
    flag(table, 'manual').notNullable();
    table.string('outcome', 16).notNullable();
    // By the database's clock.
    instant(table, 'stamped_at').notNullable();
    table.bigInteger('job_id').unsigned();
    table.bigInteger('batch_id').unsigned();
    table.string('code', 64);
    table.text('detail');
    table.unique(['schedule_id', 'slot_at']);
    table.index(['outcome', 'stamped_at']);
  });
  await makeTable(knex, 'maintenance_windows', (table) => {
    table.bigIncrements('id');
    table.string('name', 255).notNullable().unique();
    longText(table, 'selector').notNullable();
    table.string('cron', 255).notNullable();
    table.string('time_zone', 64).notNullable();
    table.integer('duration_ms').notNullable();
    table.string('created_by', 255).notNullable();
    instant(table, 'created_at').notNullable();
  });
}

/** As batches have them. */
export function bounds(table: Knex.CreateTableBuilder): void {
  table.integer('max_parallel').notNullable();
  table.integer('canary').notNullable();
  table.integer('stop_after_failures');
}
