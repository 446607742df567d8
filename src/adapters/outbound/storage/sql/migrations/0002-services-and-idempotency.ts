import type { Knex } from 'knex';
import { instant, longText, makeTable, reference } from './columns.ts';

/** What servers run, and the first replies to requests that may be sent again. */
export async function up(knex: Knex): Promise<void> {
  await makeTable(knex, 'services', (table) => {
    table.bigIncrements('id');
    reference(table, 'server_id', 'servers').notNullable();
    table.string('kind', 16).notNullable();
    table.string('label', 255).notNullable();
    // The place of the state in the domain's list, worst first, so that an index gives rows in the order of the list.
    table.tinyint('severity').notNullable();
    table.text('message').notNullable();
    table.text('project');
    table.text('container');
    // Label, project and container in lower case, a line each, as in servers.
    longText(table, 'search_text').notNullable();
    instant(table, 'checked_at').notNullable();
    table.unique(['server_id', 'kind', 'label']);
    table.index(['severity', 'server_id', 'label']);
  });
  await makeTable(knex, 'idempotent_requests', (table) => {
    // SHA-256 over token, route and key.
    table.string('id', 64).notNullable().primary();
    table.string('request_hash', 64).notNullable();
    // The attempt under way and its lease by the database's clock; null once there is a reply.
    table.string('owner', 64);
    instant(table, 'lease_until');
    table.integer('status');
    longText(table, 'body');
    // By the database's clock.
    instant(table, 'created_at').notNullable();
    table.index(['created_at']);
  });
}
