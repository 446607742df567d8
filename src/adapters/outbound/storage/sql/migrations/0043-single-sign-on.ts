import type { Knex } from 'knex';
import { addToTable, flag, instant, longText, makeTable } from './columns.ts';

/**
 * Providers of single sign-on, sign-ins that wait for their answer, and which account and session belongs to one. For
 * older replicas such an account has no password yet, and such a session is like any other.
 */
export async function up(knex: Knex): Promise<void> {
  await makeTable(knex, 'sso_providers', (table) => {
    table.bigIncrements('id');
    table.string('name', 32).notNullable().unique();
    table.string('label', 255).notNullable();
    table.string('issuer', 255).notNullable();
    table.string('client_id', 255).notNullable();
    table.text('sealed_secret').notNullable();
    table.string('scopes', 255).notNullable();
    table.string('groups_claim', 255).notNullable();
    // JSON.
    longText(table, 'roles').notNullable();
    table.string('two_factor', 16).notNullable();
    flag(table, 'allow_private').notNullable();
    flag(table, 'enabled').notNullable();
    table.string('created_by', 255).notNullable();
    instant(table, 'created_at').notNullable();
    instant(table, 'updated_at').notNullable();
  });
  await makeTable(knex, 'sso_flows', (table) => {
    table.bigIncrements('id');
    table.string('secret_hash', 64).notNullable().unique();
    table.string('provider', 32).notNullable();
    table.string('purpose', 16).notNullable();
    table.text('next').notNullable();
    instant(table, 'started_at').notNullable().index();
  });
  await addToTable(knex, 'users', 'sso_issuer', (table) => {
    table.string('sso_issuer', 255);
    table.string('sso_subject', 255);
    table.unique(['sso_issuer', 'sso_subject']);
  });
  await addToTable(knex, 'sessions', 'provider', (table) => {
    table.string('provider', 32);
    flag(table, 'two_factors').notNullable().defaultTo(0);
  });
}
