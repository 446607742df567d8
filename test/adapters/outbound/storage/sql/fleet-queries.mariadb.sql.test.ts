import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../../../src/adapters/outbound/storage/sql/database.ts';
import { describeWith } from '../../../../support/capabilities.ts';
import { mariaDbDatabase, type TestDatabase } from '../../../../support/databases.ts';
import { chunksUpTo } from '../../../../support/many-servers.ts';
import { rowsReadBy } from '../../../../support/rows-read.ts';
import { sqlStores } from '../../../../support/sql-stores.ts';
import { AT, newServer, noRecord } from '../../../../support/stores-subject.ts';

const SERVERS = 2_000;
/** The cost of reading the rows of a page, with all related rows. */
const FEW = 300;
const PAGE = { limit: 20, offset: 1_000 };

describeWith('mariadb', `what a page of ${SERVERS} servers costs MariaDB`, () => {
  let opened: TestDatabase;
  let database: Database;
  let stores: ReturnType<typeof sqlStores>;

  beforeAll(async () => {
    opened = await mariaDbDatabase();
    // One connection, since the server counts the rows that it reads by connection.
    database = openDatabase({ url: opened.url, dataDir: opened.dataDir, poolSize: 1 });
    stores = sqlStores(database);
    const { id } = await stores.servers.add(newServer('host-1'), AT, noRecord);
    const [{ id: _, ...row }] = await database.knex('servers').where({ id });
    for (const numbers of chunksUpTo(SERVERS)) {
      const others = numbers.filter((n) => n > 1);
      const named = (n: number) => ({ name: `host-${n}`, name_key: `host-${n}`, search_text: `host-${n}` });
      await database.knex('servers').insert(others.map((n) => ({ ...row, id: id + n - 1, ...named(n) })));
      const service = { kind: 'unit', severity: 1, message: '', search_text: 'ssh', checked_at: AT };
      const services = numbers.map((n) => ({ ...service, server_id: id + n - 1, label: 'ssh.service' }));
      await database.knex('services').insert(services);
    }
  });
  afterAll(async () => {
    await database.close();
    await opened.drop();
  });

  it('is one count and one walk by the index of the names for a page of all', async () => {
    const list = () => stores.servers.list({}, PAGE);
    expect(await list()).toMatchObject({ total: SERVERS });
    expect(await rowsReadBy(database, list)).toBeLessThan(SERVERS + PAGE.offset + FEW);
  });

  it('is one look at each server where one searches', async () => {
    for (const [q, total] of [
      ['host-19', 111],
      ['nothing', 0],
    ] as const) {
      const list = () => stores.servers.list({ q }, { limit: 20, offset: 0 });
      expect(await list()).toMatchObject({ total });
      // The results are counted and sorted in a temporary table, about six times.
      expect(await rowsReadBy(database, list)).toBeLessThan(SERVERS + 8 * total + FEW);
    }
  });

  it('is right beyond the end, too', async () => {
    const beyond = { limit: 20, offset: 500 };
    expect(await stores.servers.list({ q: 'host-19' }, beyond)).toMatchObject({ items: [], total: 111 });
    expect(await stores.services.list({ q: 'host-19' }, beyond)).toMatchObject({ items: [], total: 111 });
  });

  it('is one look at each server for the summary', async () => {
    expect(await rowsReadBy(database, () => stores.servers.totals({}, AT))).toBeLessThan(SERVERS + FEW);
  });

  it('is one count and one walk by their index for a page of services', async () => {
    const list = () => stores.services.list({}, PAGE);
    expect((await list()).items.map(({ serverName }) => serverName)).toContain('host-1001');
    expect(await rowsReadBy(database, list)).toBeLessThan(SERVERS + PAGE.offset + FEW);
  });
});
