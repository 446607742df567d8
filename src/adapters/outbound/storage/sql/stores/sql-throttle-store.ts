import type { Knex } from 'knex';
import type { ThrottleStore } from '../../../../../application/ports/access/throttle-store.ts';
import {
  type CountedTry,
  countTry,
  type Throttle,
  type ThrottleRule,
} from '../../../../../domain/access/login-throttle.ts';
import type { Instant } from '../../../../../domain/base/instant.ts';
import { SqlStore } from '../database.ts';

interface ThrottleRow {
  readonly failures: number;
  readonly next_at: number;
  readonly last_at: number;
  readonly reported_until: number;
}

export class SqlThrottleStore extends SqlStore implements ThrottleStore {
  async count(subject: string, now: Instant, rule: ThrottleRule): Promise<CountedTry> {
    return this.database.transaction(async (trx) => {
      // Creates the row, so that there is one to lock: two concurrent first tries must see each other.
      await trx('sign_in_throttles')
        .insert({ subject, failures: 0, next_at: 0, last_at: now })
        .onConflict('subject')
        .ignore();
      const { after, ...counted } = countTry(await read(trx, subject), now, rule);
      if (counted.wait === 0 || counted.isFirstRefusal) {
        await trx('sign_in_throttles').where({ subject }).update({
          failures: after.failures,
          next_at: after.nextAt,
          last_at: after.lastAt,
          reported_until: after.reportedUntil,
        });
      }
      return counted;
    });
  }

  async forgive(subject: string): Promise<void> {
    await this.database.write((knex) =>
      knex('sign_in_throttles')
        .where({ subject })
        .where('failures', '>', 0)
        .update({ failures: knex.raw('failures - 1'), next_at: 0 }),
    );
  }

  async clear(subject: string): Promise<void> {
    await this.database.write((knex) => knex('sign_in_throttles').where({ subject }).delete());
  }

  async forgetBefore(at: Instant, most: number): Promise<number> {
    return this.database.write(async (knex) => {
      const ids: number[] = await knex('sign_in_throttles').where('last_at', '<', at).limit(most).pluck('id');
      if (ids.length === 0) return 0;
      return knex('sign_in_throttles').whereIn('id', ids).where('last_at', '<', at).delete();
    });
  }

  async keepLatest(prefix: string, keep: number, most: number): Promise<number> {
    const { knex } = this.database;
    // The character after the prefix's last one ends the range: an index finds it, as it could not for LIKE.
    const end = prefix.slice(0, -1) + String.fromCodePoint((prefix.codePointAt(prefix.length - 1) ?? 0) + 1);
    const ids: number[] = await knex('sign_in_throttles')
      .where('subject', '>=', prefix)
      .where('subject', '<', end)
      .orderBy([
        { column: 'last_at', order: 'desc' },
        { column: 'id', order: 'desc' },
      ])
      .offset(keep)
      .limit(most)
      .pluck('id');
    if (ids.length === 0) return 0;
    return this.database.write(() => knex('sign_in_throttles').whereIn('id', ids).delete());
  }
}

async function read(trx: Knex.Transaction, subject: string): Promise<Throttle | null> {
  const rows = trx('sign_in_throttles').where({ subject });
  const locked = trx.client.dialect === 'mysql' ? rows.forUpdate() : rows;
  const row = await locked.first<ThrottleRow | undefined>('failures', 'next_at', 'last_at', 'reported_until');
  return row
    ? {
        failures: row.failures,
        nextAt: row.next_at,
        lastAt: row.last_at,
        reportedUntil: row.reported_until,
      }
    : null;
}
