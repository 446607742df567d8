import type { Knex } from 'knex';
import type { ThrottleStore } from '../../application/ports/throttle-store.ts';
import type { Instant } from '../../domain/instant.ts';
import { countTry, type Throttle, type ThrottleRule } from '../../domain/login-throttle.ts';
import type { Database } from './database.ts';

interface ThrottleRow {
  readonly failures: number;
  readonly next_at: number;
  readonly last_at: number;
}

export class SqlThrottleStore implements ThrottleStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async count(subject: string, now: Instant, rule: ThrottleRule): Promise<number> {
    return this.#database.transaction(async (trx) => {
      // Makes the row, so that there is one to lock: two first tries at once must see each other.
      await trx('sign_in_throttles')
        .insert({ subject, failures: 0, next_at: 0, last_at: now })
        .onConflict('subject')
        .ignore();
      const before = await read(trx, subject);
      const after = countTry(before, now, rule);
      if (after === null) return (before?.nextAt ?? now) - now;
      await trx('sign_in_throttles')
        .where({ subject })
        .update({ failures: after.failures, next_at: after.nextAt, last_at: after.lastAt });
      return 0;
    });
  }

  async forgive(subject: string): Promise<void> {
    await this.#database.write((knex) =>
      knex('sign_in_throttles')
        .where({ subject })
        .where('failures', '>', 0)
        .update({ failures: knex.raw('failures - 1'), next_at: 0 }),
    );
  }

  async clear(subject: string): Promise<void> {
    await this.#database.write((knex) => knex('sign_in_throttles').where({ subject }).delete());
  }

  async forgetBefore(at: Instant, most: number): Promise<number> {
    return this.#database.write(async (knex) => {
      const ids: number[] = await knex('sign_in_throttles').where('last_at', '<', at).limit(most).pluck('id');
      if (ids.length === 0) return 0;
      return knex('sign_in_throttles').whereIn('id', ids).where('last_at', '<', at).delete();
    });
  }
}

async function read(trx: Knex.Transaction, subject: string): Promise<Throttle | null> {
  const rows = trx('sign_in_throttles').where({ subject });
  const locked = trx.client.dialect === 'mysql' ? rows.forUpdate() : rows;
  const row = await locked.first<ThrottleRow | undefined>('failures', 'next_at', 'last_at');
  return row ? { failures: row.failures, nextAt: row.next_at, lastAt: row.last_at } : null;
}
