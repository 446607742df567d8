import { dirname } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Knex } from 'knex';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  type Database,
  openDatabase,
  UnchangedReads,
} from '../../../../../src/adapters/outbound/storage/sql/database.ts';
import { Actor } from '../../../../../src/domain/access/actor.ts';
import { auditEntry } from '../../../../../src/domain/events/audit-entry.ts';
import { sqliteDatabase } from '../../../../support/databases.ts';
import { sqlStores } from '../../../../support/sql-stores.ts';
import { AT, newServer, noRecord, type StoresSubject } from '../../../../support/stores-subject.ts';

const PAGE = { limit: 10, offset: 0 };
let database: Database;
let drop: () => Promise<void>;
let stores: StoresSubject;
let other: Database;

beforeEach(async () => {
  ({ database, drop } = await sqliteDatabase());
  stores = sqlStores(database);
  await stores.servers.add(newServer('web'), AT, noRecord);
  other = openDatabase({ url: null, dataDir: dirname(database.file ?? '') });
});
afterEach(async () => {
  await other.close();
  await drop();
});

test('rows without a change are not read again', async () => {
  const queries: string[] = [];
  const read = async (): Promise<readonly unknown[]> => [
    await stores.servers.find(1),
    (await stores.servers.list({}, PAGE)).items,
    (await stores.audit.list({ serverId: 1 }, PAGE)).items,
  ];
  const first = await read();
  database.knex.on('query', ({ sql }: { sql: string }) => queries.push(sql));
  const second = await read();
  expect(queries).toEqual([]);
  for (const [at, value] of second.entries()) expect(value).toBe(first[at]);
});

test('a change of this process or of another is there at once', async () => {
  const there = sqlStores(other);
  await stores.servers.find(1);
  await stores.servers.list({}, PAGE);
  await stores.servers.learn(1, { cpuCores: 7 });
  expect((await stores.servers.find(1))?.facts.cpuCores).toBe(7);
  await there.servers.learn(1, { cpuCores: 8 });
  expect((await stores.servers.find(1))?.facts.cpuCores).toBe(8);
  expect((await stores.servers.list({}, PAGE)).items[0]?.facts.cpuCores).toBe(8);
  await stores.audit.list({ serverId: 1 }, PAGE);
  await there.audit.record(auditEntry(Actor.system('test'), AT, 'x', 'server:1'));
  expect((await stores.audit.list({ serverId: 1 }, PAGE)).items).toHaveLength(1);
});

test.each([
  ['a change', true, () => stores.servers.learn(1, { cpuCores: 5 })],
  ['a change by another', true, () => sqlStores(other).servers.learn(1, { cpuCores: 6 })],
  [
    'a change in a transaction',
    true,
    () => database.transaction((trx) => trx('servers').update({ tags: '["a"]' })),
  ],
  [
    'knex, with its own transactions',
    true,
    () => database.knex.transaction((trx) => trx('servers').update({ tags: '[]' })),
  ],
  [
    'a row that is written and returned',
    true,
    () => database.knex('servers').returning('id').update({ tags: '[]' }),
  ],
  ['a change that is rolled back', false, () => undone((trx) => trx('servers').update({ tags: '[]' }))],
  ['a change of no row', false, () => database.knex('servers').where({ id: 99 }).update({ tags: '[]' })],
  ['a transaction that only reads', false, () => database.transaction((trx) => trx('servers').select('id'))],
  ['a lease', false, () => stores.leases.hold('sweep', 'me', 1_000)],
  [
    'the sign of life of a replica',
    false,
    () => stores.replicas.beat({ owner: 'me', version: '1', startedAt: AT, keyIds: [] }),
  ],
])('%s is a new version: %s', async (_, isNew, change) => {
  await stores.servers.find(1);
  const before = await database.version();
  expect(await database.version()).toBe(before);
  await change();
  await nextTurn();
  expect((await database.version()) !== before).toBe(isNew);
});

test('a change of this process is a new version in the same turn of the event loop, too', async () => {
  const before = await database.version();
  await stores.servers.learn(1, { cpuCores: 9 });
  expect(await database.version()).not.toBe(before);
});

async function undone(body: (trx: Knex.Transaction) => Promise<unknown>): Promise<void> {
  const change = database.transaction(async (trx) => {
    await body(trx);
    throw new Error('no');
  });
  await expect(change).rejects.toThrow('no');
}

test('a bounded number of rows is kept, and no value that was read across a change', async () => {
  const reads = new UnchangedReads();
  const get = (version: number, key: string, rows: number): Promise<object> =>
    reads.get(
      version,
      key,
      async () => ({}),
      () => rows,
    );
  const small = await get(1, 'small', 10);
  await get(1, 'large', 20_000);
  expect(await get(1, 'small', 10)).toBe(small);
  await get(1, 'fills', 9_990);
  expect(await get(1, 'small', 10)).not.toBe(small);

  let finish = (_value: object): void => {};
  const slow = reads.get(
    1,
    'slow',
    () => new Promise<object>((resolve) => (finish = resolve)),
    () => 1,
  );
  await get(2, 'small', 1);
  const old = {};
  finish(old);
  expect(await slow).toBe(old);
  expect(await get(2, 'slow', 1)).not.toBe(old);
});
