import type { Knex } from 'knex';
import { addToTable, flag, instant, longText, makeTable } from './columns.ts';

/** Channels of alerts beside webhooks and browsers, and the tags that receivers want; an older replica sends all. */
export async function up(knex: Knex): Promise<void> {
  await makeTable(knex, 'alert_channels', (table) => {
    table.bigIncrements('id');
    table.string('name', 64).notNullable().unique();
    table.string('kind', 32).notNullable();
    // JSON of the fields that are no secrets.
    table.text('fields').notNullable();
    table.text('sealed_secrets').notNullable();
    table.text('shown_target').notNullable();
    // JSON; null: all.
    longText(table, 'events');
    table.string('min_severity', 16).notNullable();
    longText(table, 'tags');
    flag(table, 'allow_private').notNullable();
    flag(table, 'enabled').notNullable();
    table.string('created_by', 255).notNullable();
    instant(table, 'created_at').notNullable();
    instant(table, 'updated_at').notNullable();
  });
  for (const name of ['webhooks', 'push_subscriptions'])
    await addToTable(knex, name, 'tags', (table) => void longText(table, 'tags'));
}
