import { randomBytes } from 'node:crypto';
import mysql from 'mysql2/promise';
import { z } from 'zod';
import { ResourceClient } from './resource-client.ts';

let origin: Promise<string> | undefined;

/**
 * A new, empty database on the run's MariaDB, which the first caller starts. `drop` closes nothing: end your
 * own connections first.
 */
export async function freshMariaDb(): Promise<{ url: string; drop: () => Promise<void> }> {
  const server = await (origin ??= new ResourceClient().ask('mariadb', z.string()));
  const name = `test_${randomBytes(8).toString('hex')}`;
  await execute(server, `CREATE DATABASE ${name}`);
  return { url: `${server}/${name}`, drop: () => execute(server, `DROP DATABASE IF EXISTS ${name}`) };
}

async function execute(server: string, statement: string): Promise<void> {
  const connection = await mysql.createConnection({ uri: server });
  try {
    await connection.query(statement);
  } finally {
    await connection.end();
  }
}
