import type { Knex } from 'knex';
import { instant, makeTable, reference } from './columns.ts';

/** People who sign in, their browsers, and the failures of those who may not. */
export async function up(knex: Knex): Promise<void> {
  await makeTable(knex, 'users', (table) => {
    table.bigIncrements('id');
    table.string('name', 64).notNullable().unique();
    table.string('role', 32).notNullable();
    // Null until the invitation was taken up.
    table.string('password_hash', 255);
    // Sealed.
    table.string('totp_secret', 512);
    table.bigInteger('totp_step').notNullable().defaultTo(0);
    table.string('created_by', 255).notNullable();
    instant(table, 'created_at').notNullable();
    instant(table, 'last_login_at');
    instant(table, 'disabled_at');
  });
  await makeTable(knex, 'recovery_codes', (table) => {
    table.bigIncrements('id');
    reference(table, 'user_id', 'users').notNullable().onDelete('CASCADE');
    table.string('code_hash', 64).notNullable();
    table.unique(['user_id', 'code_hash']);
  });
  await makeTable(knex, 'account_links', (table) => {
    table.bigIncrements('id');
    table.string('link_hash', 64).notNullable().unique();
    // Null: for the first administrator.
    reference(table, 'user_id', 'users').onDelete('CASCADE');
    instant(table, 'expires_at').notNullable();
  });
  await makeTable(knex, 'sessions', (table) => {
    table.bigIncrements('id');
    table.string('secret_hash', 64).notNullable().unique();
    reference(table, 'user_id', 'users').notNullable().onDelete('CASCADE');
    table.string('stage', 16).notNullable();
    instant(table, 'created_at').notNullable();
    instant(table, 'seen_at').notNullable().index();
    instant(table, 'confirmed_at').notNullable();
    table.string('address', 64).notNullable();
    table.string('agent', 255).notNullable();
  });
  await makeTable(knex, 'sign_in_throttles', (table) => {
    table.bigIncrements('id');
    table.string('subject', 191).notNullable().unique();
    table.integer('failures').notNullable();
    instant(table, 'next_at').notNullable();
    instant(table, 'last_at').notNullable().index();
  });
}
