import type { Knex } from 'knex';
import { addToTable, instant, makeTable, reference } from './columns.ts';

/**
 * Browsers that signed in before, so that others' failures do not keep them out; and which refusals of a sign-in the
 * audit log has. Older replicas know of neither: what they add is a browser that is not recognised.
 */
export async function up(knex: Knex): Promise<void> {
  await makeTable(knex, 'sign_in_devices', (table) => {
    table.bigIncrements('id');
    table.string('secret_hash', 64).notNullable();
    reference(table, 'user_id', 'users').notNullable().onDelete('CASCADE');
    instant(table, 'created_at').notNullable();
    instant(table, 'seen_at').notNullable().index();
    // A browser that several people use has one secret for all their accounts.
    table.unique(['secret_hash', 'user_id']);
  });
  await addToTable(knex, 'sessions', 'device_id', (table) => {
    table.bigInteger('device_id');
  });
  await addToTable(knex, 'sign_in_throttles', 'reported_until', (table) => {
    instant(table, 'reported_until').notNullable().defaultTo(0);
  });
}
