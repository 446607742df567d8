import type { Knex } from 'knex';
import { adoptOwners } from '../stores/schedule-owners.ts';
import { addToTable } from './columns.ts';

/** Schedules run with the rights of their owner, and jobs say who asked for them by more than a name. */
export async function up(knex: Knex): Promise<void> {
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
}
