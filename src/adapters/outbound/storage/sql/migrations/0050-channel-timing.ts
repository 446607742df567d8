import type { Knex } from 'knex';
import { addToTable, instant, longText, makeTable, reference } from './columns.ts';

/** When channels send, and their messages about problems; an older replica sends everything at once, and as new messages. */
export async function up(knex: Knex): Promise<void> {
  await addToTable(knex, 'alert_channels', 'timing', (table) => {
    // JSON.
    longText(table, 'timing');
    // When the next weekly report is due.
    instant(table, 'report_at');
  });
  await addToTable(knex, 'outbox_events', 'problem', (table) => void table.string('problem', 255));
  await makeTable(knex, 'channel_messages', (table) => {
    reference(table, 'channel_id', 'alert_channels').notNullable().onDelete('CASCADE');
    table.string('problem', 255).notNullable();
    // How the service calls the message.
    table.string('ref', 255).notNullable();
    table.string('severity', 16).notNullable();
    instant(table, 'at').notNullable();
    table.primary(['channel_id', 'problem']);
    table.index(['problem']);
  });
}
