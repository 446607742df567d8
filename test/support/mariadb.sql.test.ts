import mysql from 'mysql2/promise';
import { afterAll, expect, it } from 'vitest';
import { describeWith } from './capabilities.ts';
import { freshMariaDb } from './mariadb.ts';

describeWith('mariadb', 'a fresh MariaDB database', () => {
  const cleanUp: Array<() => Promise<void>> = [];
  afterAll(async () => {
    for (const each of cleanUp.toReversed()) await each();
  });

  async function open(): Promise<mysql.Connection> {
    const { url, drop } = await freshMariaDb();
    const connection = await mysql.createConnection({ uri: url });
    cleanUp.push(drop, () => connection.end());
    return connection;
  }

  it("is empty, and its caller's own", async () => {
    const [one, other] = [await open(), await open()];
    await one.query('CREATE TABLE mine (id INT)');
    const [tables] = await other.query('SHOW TABLES');
    expect(tables).toEqual([]);
  });

  it('runs in UTC with a binary collation, as the service expects', async () => {
    const connection = await open();
    const [rows] = await connection.query(
      'SELECT @@session.time_zone AS zone, @@collation_database AS collation',
    );
    expect(rows).toEqual([{ zone: '+00:00', collation: 'utf8mb4_bin' }]);
  });
});
