import type { Knex } from 'knex';
import { instant, longText, makeTable, reference } from './columns.ts';

/** Databases that are dumped with each backup of a source. */
export const up = (knex: Knex): Promise<void> =>
  makeTable(knex, 'backup_dumps', (table) => {
    table.bigIncrements('id');
    reference(table, 'source_id', 'backup_sources').notNullable();
    table.string('name', 63).notNullable();
    table.string('kind', 16).notNullable();
    // How to connect, as JSON, without the password.
    longText(table, 'connection').notNullable();
    longText(table, 'sealed_password');
    instant(table, 'created_at').notNullable();
    table.unique(['source_id', 'name']);
  });
