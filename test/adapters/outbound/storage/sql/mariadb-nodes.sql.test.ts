import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../../../src/adapters/outbound/storage/sql/database.ts';
import { describeWith } from '../../../../support/capabilities.ts';
import { freePort } from '../../../../support/free-port.ts';
import { freshMariaDb } from '../../../../support/mariadb.ts';
import { eventually } from '../../../../support/processes.ts';
import { TcpProxy } from '../../../../support/tcp-proxy.ts';

const WITHIN_MS = 60_000;

describeWith('mariadb', 'a database behind several addresses', () => {
  let maria: Awaited<ReturnType<typeof freshMariaDb>>;
  let nodes: TcpProxy[];
  let database: Database;
  /** The address of the database by these ports. */
  const through = (...ports: number[]): string => {
    const url = new URL(maria.url);
    const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',');
    return `mysql://${url.username}:${url.password}@${hosts}${url.pathname}`;
  };
  const open = (...ports: number[]): void => {
    database = openDatabase({ url: through(...ports), dataDir: '/nowhere' });
  };
  const answer = async (): Promise<unknown> => (await database.knex.raw('SELECT 1 AS one'))[0][0].one;

  beforeEach(async () => {
    maria = await freshMariaDb();
    const port = Number(new URL(maria.url).port);
    nodes = [await TcpProxy.start(port), await TcpProxy.start(port)];
  });
  afterEach(async () => {
    await database.close();
    for (const node of nodes) await node.stop();
    await maria.drop();
  });
  const [first, second] = [() => nodes[0] as TcpProxy, () => nodes[1] as TcpProxy];

  it('is asked at the first, as long as that answers', async () => {
    open(first().port, second().port);
    await Promise.all(Array.from({ length: 8 }, answer));
    expect([first().count > 0, second().count]).toEqual([true, 0]);
  });

  it('is asked at the next where the first does not take connections', async () => {
    open(await freePort(), second().port);
    expect(await answer()).toBe(1);
    expect(second().open).toBe(1);
  });

  it('is asked at the next where the first says nothing', async () => {
    first().freezeNew();
    open(first().port, second().port);
    expect(await answer()).toBe(1);
    expect([first().count > 0, second().count]).toEqual([true, 1]);
  });

  it('goes on at the next when the first dies, and stays there', async () => {
    open(first().port, second().port);
    expect(await answer()).toBe(1);
    await nodes.shift()?.stop();
    await eventually('the other answers', WITHIN_MS, () => answer().then(Boolean, () => undefined));
    await Promise.all(Array.from({ length: 8 }, answer));
    expect(first().count).toBeGreaterThan(0);
  });

  it('says that it is unavailable if no node answers', async () => {
    open(await freePort(), await freePort());
    await expect(answer()).rejects.toMatchObject({ code: 'database_unavailable' });
  });
});
