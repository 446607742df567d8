import type { Knex } from 'knex';
import { addToTable, instant, longText, makeTable, reference } from './columns.ts';

/** Passkeys, challenges that wait for their answer, and how many passkeys a user has: older replicas ask for none. */
export async function up(knex: Knex): Promise<void> {
  await makeTable(knex, 'passkeys', (table) => {
    table.bigIncrements('id');
    reference(table, 'user_id', 'users').notNullable().index();
    table.string('name', 255).notNullable();
    // Credential ids are longer than what MySQL can index.
    table.string('credential_hash', 64).notNullable().unique();
    table.text('credential_id').notNullable();
    table.text('public_key').notNullable();
    table.string('rp_id', 255).notNullable();
    table.bigInteger('counter').notNullable();
    // JSON.
    longText(table, 'transports').notNullable();
    instant(table, 'created_at').notNullable();
    instant(table, 'last_used_at');
  });
  await makeTable(knex, 'passkey_challenges', (table) => {
    table.bigIncrements('id');
    table.string('challenge_hash', 64).notNullable().unique();
    table.string('purpose', 16).notNullable();
    table.string('bound_to', 80).notNullable().index();
    instant(table, 'started_at').notNullable().index();
  });
  await addToTable(knex, 'users', 'passkeys', (table) => {
    table.integer('passkeys').notNullable().defaultTo(0);
  });
}
