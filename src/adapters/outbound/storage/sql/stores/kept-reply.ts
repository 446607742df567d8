import type { Knex } from 'knex';
import type { ReplyToKeep } from '../../../../../domain/base/kept-reply.ts';

/** Keeps the reply to a request with a key. False where another attempt at the request took over, or was faster. */
export async function keepReply(knex: Knex, { id, owner, reply }: ReplyToKeep): Promise<boolean> {
  const { status, body } = reply;
  const columns = { status, body, owner: null, lease_until: null };
  return (await knex('idempotent_requests').where({ id, owner }).update(columns)) > 0;
}
