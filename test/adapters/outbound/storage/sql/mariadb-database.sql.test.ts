import mysql from 'mysql2/promise';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../../../../src/adapters/outbound/storage/sql/database.ts';
import { SqlDatabaseHealth } from '../../../../../src/adapters/outbound/storage/sql/stores/sql-database-health.ts';
import { databaseHealthContract } from '../../../../contracts/database-health.contract.ts';
import { describeWith } from '../../../../support/capabilities.ts';
import { mariaDbDatabase, type TestDatabase } from '../../../../support/databases.ts';
import { expectRefusal } from '../../../../support/expect-refusal.ts';
import { eventually } from '../../../../support/processes.ts';
import { sqlStores } from '../../../../support/sql-stores.ts';
import { addServer } from '../../../../support/stores-subject.ts';
import { databaseContract } from './database-contract.ts';

describeWith('mariadb', 'MariaDB', () => {
  databaseContract('MariaDB', mariaDbDatabase);

  databaseHealthContract('MariaDB', async () => {
    const made = await mariaDbDatabase({ empty: true });
    return {
      health: new SqlDatabaseHealth(made.database),
      now: Date.now,
      breakDatabase: async () => {
        const ids = await connectionIds(made);
        await asRoot(made.url ?? '', `DROP DATABASE ${new URL(made.url ?? '').pathname.slice(1)}`);
        await kill(made, ids);
      },
      close: made.drop,
    };
  });

  connections();
  conflicts();
});

/** The server's ids of the connections to a test's database, except the querying one. */
async function connectionIds({ url }: TestDatabase): Promise<readonly number[]> {
  const { pathname } = new URL(url ?? '');
  const [rows] = await asRoot(url ?? '', 'SELECT id FROM information_schema.processlist WHERE db = ?', [
    pathname.slice(1),
  ]);
  return (rows as { id: number }[]).map(({ id }) => id);
}

async function kill({ url }: TestDatabase, ids: readonly number[]): Promise<void> {
  for (const id of ids) await asRoot(url ?? '', `KILL ${id}`);
}

async function asRoot(url: string, sql: string, values: unknown[] = []): Promise<unknown[]> {
  const { protocol, username, password, host } = new URL(url);
  const connection = await mysql.createConnection({ uri: `${protocol}//${username}:${password}@${host}` });
  try {
    return await connection.query(sql, values);
  } finally {
    await connection.end();
  }
}

const failureOf = (work: PromiseLike<unknown>): PromiseLike<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

function connections(): void {
  describe('connections', () => {
    let made: TestDatabase;
    beforeAll(async () => {
      made = await mariaDbDatabase();
      return made.drop;
    });

    it('are set up alike, whatever the server says', async () => {
      const [rows] = await made.database.knex.raw(
        'SELECT @@time_zone zone, @@sql_mode mode, @@tx_isolation isolation, @@collation_connection collation, @@max_statement_time seconds',
      );
      expect(rows[0]).toMatchObject({
        zone: '+00:00',
        isolation: 'READ-COMMITTED',
        collation: 'utf8mb4_bin',
        seconds: 30,
      });
      expect(rows[0].mode).toContain('STRICT_ALL_TABLES');
    });

    it('are reopened after the server ended them', async () => {
      const { knex } = made.database;
      await knex('settings').select('name');
      await kill(made, await connectionIds(made));
      // The pool finds out when it uses them, one after the other.
      for (let attempt = 0; attempt < 3; attempt += 1) {
        const failure = await failureOf(knex('settings').select('name'));
        if (failure !== null) expect(failure).toMatchObject({ code: 'database_unavailable' });
      }
      expect(await knex('settings').select('name')).toEqual([]);
    });

    it('are not tried again where one ends in the middle of a transaction', async () => {
      let runs = 0;
      const broken = made.database.transaction(async (trx) => {
        runs += 1;
        await trx('settings').insert({ name: 'unsure', value: '1' });
        await kill(made, await connectionIds(made));
        await trx('settings').select('name');
      });
      await expectRefusal(broken, 'database_unavailable');
      expect(runs).toBe(1);
      expect(await made.database.knex('settings').where({ name: 'unsure' }).select('name')).toEqual([]);
    });

    it.each([
      ['no such host', (url: URL) => Object.assign(url, { hostname: 'nowhere.invalid' })],
      ['nobody there', (url: URL) => Object.assign(url, { port: '1' })],
      ['a wrong password', (url: URL) => Object.assign(url, { password: 'wrong-password' })],
      ['no such database', (url: URL) => Object.assign(url, { pathname: '/no_such_database' })],
    ])('are refused as unavailable, with the reason and without the password: %s', async (_, change) => {
      const url = change(new URL(made.url ?? '')).href;
      const database = openDatabase({ url, dataDir: made.dataDir });
      onTestFinished(() => database.close());
      const refusal = await expectRefusal(
        database
          .knex('settings')
          .select('name')
          .then(() => {}),
        'database_unavailable',
      );
      expect(refusal.message).not.toContain(new URL(url).password);
    });
  });
}

function conflicts(): void {
  describe('transactions that stand in each other’s way', () => {
    let made: TestDatabase;
    beforeAll(async () => {
      made = await mariaDbDatabase();
      await made.database.knex('settings').insert(['a', 'b'].map((name) => ({ name, value: '0' })));
      return made.drop;
    });

    it('are run again until each is done, where each waits for the other', async () => {
      const { database } = made;
      let runs = 0;
      let holding = 0;
      let release = (): void => {};
      const bothHold = new Promise<void>((resolve) => {
        release = resolve;
      });
      const bump = (first: string, second: string): Promise<void> =>
        database.transaction(async (trx) => {
          runs += 1;
          const add = (name: string): Promise<number> =>
            trx('settings')
              .where({ name })
              .update({ value: trx.raw('value + 1') })
              .then((rows) => rows);
          await add(first);
          holding += 1;
          if (holding === 2) release();
          await bothHold;
          await add(second);
        });
      await Promise.all([bump('a', 'b'), bump('b', 'a')]);
      const rows = await database.knex('settings').orderBy('name').select('name', 'value');
      expect(rows).toEqual([
        { name: 'a', value: '2' },
        { name: 'b', value: '2' },
      ]);
      expect(runs).toBe(3);
    });

    it('are run again where one of them is a single statement', async () => {
      const { database } = made;
      await database.knex('settings').insert(['c', 'd', 'e'].map((name) => ({ name, value: '0' })));
      let writes = 0;
      const bumpAll = (): Promise<number> =>
        database.write((knex) => {
          writes += 1;
          return knex('settings')
            .whereIn('name', ['a', 'b'])
            .update({ value: knex.raw('value + 1') });
        });
      let held = (): void => {};
      let goOn = (): void => {};
      const holds = new Promise<void>((resolve) => {
        held = resolve;
      });
      const mayGoOn = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      // It has changed more, so that the database gives up the other one.
      const transaction = database.transaction(async (trx) => {
        const bump = async (names: string[]): Promise<void> =>
          void (await trx('settings')
            .whereIn('name', names)
            .update({ value: trx.raw('value + 1') }));
        await bump(['b', 'c', 'd', 'e']);
        held();
        await mayGoOn;
        await bump(['a']);
      });
      await holds;
      const bumped = bumpAll();
      await eventually('the statement waits', 60_000, async () => {
        const [rows] = await database.knex.raw(
          "SELECT trx_id FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'",
        );
        return rows.length > 0 ? true : undefined;
      });
      goOn();
      await transaction;
      expect(await bumped).toBe(2);
      expect(writes).toBe(2);
      const rows = await database.knex('settings').orderBy('name').select('name', 'value').limit(2);
      expect(rows).toEqual([
        { name: 'a', value: '4' },
        { name: 'b', value: '4' },
      ]);
    });

    it('wait on where another holds a row for longer than a statement waits, as when its process is halted', async () => {
      const stores = sqlStores(made.database);
      const id = await addServer(stores, 'held');
      const waiting = made.another();
      await waiting.knex.raw('SET SESSION innodb_lock_wait_timeout = 1');
      let held = (): void => {};
      const holds = new Promise<void>((resolve) => {
        held = resolve;
      });
      const refused = new Promise<void>((resolve) => {
        waiting.knex.once('query-error', () => resolve());
      });
      const halted = made.database.transaction(async (trx) => {
        await trx('servers').where({ id }).forUpdate().first();
        held();
        await refused;
      });
      await holds;
      await sqlStores(waiting).servers.learn(id, { contactError: 'host_timeout' });
      await halted;
      expect(await stores.servers.find(id)).toMatchObject({ facts: { contactError: 'host_timeout' } });
    });
  });
}
