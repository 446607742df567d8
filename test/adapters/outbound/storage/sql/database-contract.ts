import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../../../../src/adapters/outbound/storage/sql/database.ts';
import {
  isForeignKeyViolation,
  isUniqueViolation,
} from '../../../../../src/adapters/outbound/storage/sql/sql-errors.ts';
import type { MakeDatabase, TestDatabase } from '../../../../support/databases.ts';

const SECRET = 'hunter2-in-the-clear';

/** Requirements of the stores on both kinds of database. */
export function databaseContract(name: string, makeDatabase: MakeDatabase): void {
  describe(`a database: ${name}`, () => {
    let made: TestDatabase;
    beforeAll(async () => {
      made = await makeDatabase();
    });
    afterAll(() => made.drop());

    const set = (database: Database, key: string, value: string): Promise<unknown> =>
      database.knex('settings').insert({ name: key, value }).onConflict('name').merge();
    const get = async (key: string): Promise<string | undefined> => {
      const [row]: { value: string }[] = await made.database
        .knex('settings')
        .where({ name: key })
        .select('value');
      return row?.value;
    };

    it('keeps all of a transaction or none', async () => {
      const { database } = made;
      const failing = database.transaction(async (trx) => {
        await trx('settings').insert({ name: 'half', value: '1' });
        throw new Error('stop');
      });
      await expect(failing).rejects.toThrow('stop');
      expect(await get('half')).toBeUndefined();
      const told = await database.transaction(async (trx) => {
        await trx('settings').insert({ name: 'whole', value: '1' });
        return 'done';
      });
      expect(told).toBe('done');
      expect(await get('whole')).toBe('1');
    });

    it('refuses at once a query inside a transaction that is not part of it', async () => {
      const { database } = made;
      const inside = database.transaction(async () => get('whole'));
      await expect(inside).rejects.toThrow('did not go through the transaction');
      const nested = database.transaction(() => database.transaction(async () => 1));
      await expect(nested).rejects.toThrow('did not go through the transaction');
    });

    it('refuses it also when another transaction has come and gone meanwhile', async () => {
      const other = await makeDatabase();
      try {
        const inside = made.database.transaction(async () => {
          await other.database.transaction(async (trx) => trx('settings').select('name'));
          return get('whole');
        });
        await expect(inside).rejects.toThrow('did not go through the transaction');
      } finally {
        await other.drop();
      }
    });

    it('reads rows that are committed, beside a transaction that changes them', async () => {
      const { database } = made;
      const read = () =>
        database.rows<{ value: string }>('SELECT value FROM settings WHERE name = ?', ['changing']);
      await set(database, 'changing', 'before');
      await database.transaction(async (trx) => {
        await trx('settings').where({ name: 'changing' }).update({ value: 'after' });
        await expect(read()).rejects.toThrow('did not go through the transaction');
        const another = made.another();
        expect(await another.rows('SELECT value FROM settings WHERE name = ?', ['changing'])).toEqual([
          { value: 'before' },
        ]);
        await another.close();
      });
      expect(await read()).toEqual([{ value: 'after' }]);
      expect(
        await database.rowsOf(database.knex('settings').where({ name: 'changing' }).select('value')),
      ).toEqual([{ value: 'after' }]);
    });

    it('reads no rows once it is closed', async () => {
      const another = made.another();
      expect(await another.rows('SELECT 1 AS one', [])).toEqual([{ one: 1 }]);
      await another.close();
      await expect(another.rows('SELECT 1 AS one', [])).rejects.toThrow();
    });

    it('lets what a transaction left behind continue separately', async () => {
      const { database } = made;
      let later: Promise<string | undefined> | undefined;
      let proceed = (): void => {};
      const ended = new Promise<void>((resolve) => {
        proceed = resolve;
      });
      await database.transaction(async () => {
        later = ended.then(() => get('whole'));
      });
      proceed();
      expect(await later).toBe('1');
    });

    it('loses no update over several connections', async () => {
      await set(made.database, 'count', '0');
      const increment = (database: Database): Promise<void> =>
        database.transaction(async (trx) => {
          const query = trx('settings').where({ name: 'count' });
          const [row]: { value: string }[] = await query.clone().forUpdate().select('value');
          await query.update({ value: String(Number(row?.value) + 1) });
        });
      const databases = [made.database, made.another(), made.another()];
      await Promise.all(
        databases.flatMap((database) => Array.from({ length: 20 }, () => increment(database))),
      );
      expect(await get('count')).toBe('60');
    });

    it('tells a unique key and a foreign key from each other, and which', async () => {
      const { knex } = made.database;
      const token = { name: 'a', secret_hash: 'h', prefix: 'p', scopes: '[]', allowed_cidrs: '[]' };
      const row = { ...token, require_approval: 0, created_by: 'x', created_at: 1 };
      await knex('api_tokens').insert(row);
      const taken = await knex('api_tokens')
        .insert(row)
        .then(
          () => null,
          (error: unknown) => error,
        );
      expect(isUniqueViolation(taken)).toBe(true);
      expect(isUniqueViolation(taken, 'api_tokens', ['secret_hash'])).toBe(true);
      expect(isUniqueViolation(taken, 'api_tokens', ['name'])).toBe(false);
      expect(isForeignKeyViolation(taken)).toBe(false);
      const homeless = await knex('server_inventories')
        .insert({ server_id: 99, at: 1, inventory: '{}' })
        .then(
          () => null,
          (error: unknown) => error,
        );
      expect(isForeignKeyViolation(homeless)).toBe(true);
      expect(isUniqueViolation(homeless)).toBe(false);
    });

    it('says in an error what failed and never with which values', async () => {
      const failure = await made.database
        .knex('no_such_table')
        .insert({ value: SECRET })
        .then(
          () => null,
          (error: unknown) => error,
        );
      expect(failure).toBeInstanceOf(Error);
      expect((failure as Error).message).toContain('no_such_table');
      expect(JSON.stringify([{ ...(failure as object) }, (failure as Error).message])).not.toContain(SECRET);
    });

    it('tells its own time, the same over the queries of now and a second later', async () => {
      const { database } = made;
      const rows = await database.knex.select({ now: database.nowMs(), later: database.nowPlus(1_000) });
      const [{ now, later }] = rows as unknown as [{ now: number; later: number }];
      expect(Number.isInteger(now)).toBe(true);
      expect(later - now).toBeGreaterThanOrEqual(1_000);
      expect(Math.abs(now - Date.now())).toBeLessThan(60_000);
    });

    it('returns whole numbers unchanged up to 2^53', async () => {
      await made.database.knex('audit_entries').insert({
        at: Number.MAX_SAFE_INTEGER,
        actor_kind: 'x',
        actor_name: 'x',
        action: 'x',
        object: 'big',
        outcome: 'x',
        detail: '{}',
      });
      const [row] = await made.database.knex('audit_entries').where({ object: 'big' }).select('at');
      expect(row.at).toBe(Number.MAX_SAFE_INTEGER);
    });
  });
}
