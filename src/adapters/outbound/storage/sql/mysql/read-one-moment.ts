import type { Knex } from 'knex';
import { limitStatements, STATEMENT_MS } from './session.ts';

/**
 * Runs long reads, streams among them, that all see the database as it is at the first of them. Rejects with the error of
 * `read`; a connection that stopped amid a stream still has the rest of it to send, and is never used again.
 */
export async function readOneMoment(
  knex: Knex,
  read: (trx: Knex.Transaction) => Promise<void>,
): Promise<void> {
  let failure: { readonly error: unknown } | undefined;
  const unhurried = async (trx: Knex.Transaction): Promise<void> => {
    await limitStatements((sql) => trx.raw(sql), 0);
    try {
      await read(trx);
    } catch (error) {
      failure = { error };
      const connection = await trx.client.acquireConnection();
      connection.__knex__disposed = error;
      connection.destroy();
      throw error;
    }
    await limitStatements((sql) => trx.raw(sql), STATEMENT_MS);
  };
  try {
    await knex.transaction(unhurried, { isolationLevel: 'repeatable read' });
  } catch (error) {
    // The rollback fails on the connection that was given up; why it was is what counts.
    throw failure?.error ?? error;
  }
}
