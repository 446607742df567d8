import mysql from 'mysql2/promise';
import { afterAll, expect, it } from 'vitest';
import { freshMariaDb } from './mariadb.ts';

const drops: Array<() => Promise<void>> = [];
afterAll(async () => {
  for (const drop of drops) await drop();
});

async function open(): Promise<mysql.Connection> {
  const { url, drop } = await freshMariaDb();
  drops.push(drop);
  return mysql.createConnection({ uri: url });
}

it('gives each caller an empty database of its own', async () => {
  const [one, other] = [await open(), await open()];
  await one.query('CREATE TABLE mine (id INT)');
  const [tables] = await other.query('SHOW TABLES');
  expect(tables).toEqual([]);
  await one.end();
  await other.end();
});

it('runs in UTC with a binary collation, as the service expects', async () => {
  const connection = await open();
  const [rows] = await connection.query('SELECT @@session.time_zone zone, @@collation_database collation');
  expect(rows).toEqual([{ zone: '+00:00', collation: 'utf8mb4_bin' }]);
  await connection.end();
});
