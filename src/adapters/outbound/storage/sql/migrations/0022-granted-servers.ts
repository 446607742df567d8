import type { Knex } from 'knex';
import { addToTable } from './columns.ts';

/**
 * Who named the servers that a token is limited to. Unknown for tokens that are there, and for those that an older replica
 * makes: such a token does not get the service's own machine.
 */
export const up = (knex: Knex): Promise<void> =>
  addToTable(knex, 'api_tokens', 'servers_granted_by', (table) => {
    table.string('servers_granted_by', 255).nullable();
    table.bigInteger('servers_granted_user_id').unsigned().nullable();
  });
