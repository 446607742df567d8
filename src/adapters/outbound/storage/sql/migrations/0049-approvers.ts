import type { Knex } from 'knex';
import { addToTable, longText } from './columns.ts';

/**
 * Who has to approve the requests of a token, who replaced its secret, and who approved a request and started its dry
 * run, as JSON; null: the rule for all, and no one. An older replica lets any operator approve.
 */
export async function up(knex: Knex): Promise<void> {
  await addToTable(knex, 'api_tokens', 'approval_rule', (table) => {
    table.text('approval_rule');
    longText(table, 'rotated_by');
  });
  await addToTable(knex, 'approvals', 'votes', (table) => {
    longText(table, 'votes');
    longText(table, 'planners');
  });
  await rotatedBefore(knex);
}

/** Those whom the audit log names. Safe to repeat: tokens that have a list keep it. */
async function rotatedBefore(knex: Knex): Promise<void> {
  const tokens: { readonly id: number }[] = await knex('api_tokens').whereNull('rotated_by').select('id');
  for (const { id } of tokens) {
    const users: { readonly actor_name: string }[] = await knex('audit_entries')
      .where({ object: `token:${id}`, action: 'token.rotate', outcome: 'done', actor_kind: 'user' })
      .distinct('actor_name');
    if (users.length === 0) continue;
    const rotated_by = JSON.stringify(users.map(({ actor_name }) => `user:${actor_name}`));
    await knex('api_tokens').where({ id }).whereNull('rotated_by').update({ rotated_by });
  }
}
