import {
  addToTable,
  flag,
  instant,
  makeTable,
  reference,
} from '../../src/adapters/outbound/storage/sql/migrations/columns.ts';
import type { Migration } from '../../src/adapters/outbound/storage/sql/migrations/index.ts';

/**
 * Possible schema changes of a later release, of every kind: columns with a default and nullable columns in
 * frequently written tables, an index, and a table that references others.
 */
export const nextSchema: Migration = {
  name: '9999-what-a-later-release-adds',
  up: async (knex) => {
    for (const name of ['jobs', 'servers', 'audit_entries', 'outbox_events', 'api_tokens', 'sessions']) {
      await addToTable(knex, name, 'later_note', (table) => {
        table.string('later_note', 64);
        flag(table, 'later_flag').notNullable().defaultTo(0);
        instant(table, 'later_at').notNullable().defaultTo(0);
      });
    }
    await addToTable(knex, 'deliveries', 'later_count', (table) => {
      table.integer('later_count').notNullable().defaultTo(7);
      table.index(['later_count', 'id']);
    });
    await makeTable(knex, 'later_things', (table) => {
      table.bigIncrements('id');
      reference(table, 'server_id', 'servers').notNullable().onDelete('CASCADE');
      table.string('name', 64).notNullable().unique();
    });
  },
};
