import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase, SQLITE_FILE } from '../../../../../src/adapters/outbound/storage/sql/database.ts';
import {
  openSqlite,
  StatementCache,
} from '../../../../../src/adapters/outbound/storage/sql/sqlite/driver.ts';
import { SqlDatabaseHealth } from '../../../../../src/adapters/outbound/storage/sql/stores/sql-database-health.ts';
import { databaseHealthContract } from '../../../../contracts/database-health.contract.ts';
import { RecordingLogger } from '../../../../fakes/recording-logger.ts';
import { sqliteDatabase } from '../../../../support/databases.ts';
import { expectRefusal } from '../../../../support/expect-refusal.ts';
import { databaseContract } from './database-contract.ts';

databaseContract('SQLite', sqliteDatabase);

databaseHealthContract('SQLite', async () => {
  const database = openDatabase({ url: null, dataDir: await directory() });
  return {
    health: new SqlDatabaseHealth(database),
    now: Date.now,
    // It connects with its first query.
    breakDatabase: () => writeFile(database.file ?? '', 'no database '.repeat(1_000)),
    close: () => database.close(),
  };
});

async function directory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'drover-sqlite-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

const mode = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);

describe('the SQLite database', () => {
  it('is readable by its owner alone, with the files beside it and a directory that it makes', async () => {
    const dataDir = join(await directory(), 'new', 'data');
    const database = openDatabase({ url: null, dataDir });
    await database.knex.schema.createTable('x', (table) => table.increments());
    const files = await readdir(dataDir);
    expect(files.toSorted()).toEqual([SQLITE_FILE, `${SQLITE_FILE}-shm`, `${SQLITE_FILE}-wal`]);
    for (const file of files) expect(await mode(join(dataDir, file))).toBe('600');
    expect(await mode(dataDir)).toBe('700');
    await database.close();
  });

  it('tells in the log why it cannot connect, under a name that the line does not have already', async () => {
    const dataDir = await directory();
    await writeFile(join(dataDir, SQLITE_FILE), 'no database '.repeat(1_000));
    const log = new RecordingLogger();
    const database = openDatabase({ url: null, dataDir, log });
    await expectRefusal(database.ping(5_000), 'database_unavailable');
    await database.close();
    const [line] = log.lines;
    expect(line).toMatchObject({
      level: 'warn',
      fields: { detail: expect.stringContaining('not a database') },
    });
    expect(line?.fields).not.toHaveProperty('message');
  });

  it('takes a file back that was opened to others, and leaves a directory that was there as it is', async () => {
    const dataDir = await directory();
    await chmod(dataDir, 0o755);
    await writeFile(join(dataDir, SQLITE_FILE), '', { mode: 0o644 });
    await openDatabase({ url: null, dataDir }).close();
    expect(await mode(join(dataDir, SQLITE_FILE))).toBe('600');
    expect(await mode(dataDir)).toBe('755');
  });

  it('says what to do where its file cannot be made', async () => {
    const file = join(await directory(), 'a-file');
    await writeFile(file, '');
    const opening = Promise.resolve().then(() => openDatabase({ url: null, dataDir: join(file, 'data') }));
    const refusal = await expectRefusal(opening, 'database_unavailable');
    expect(refusal.message).toContain(join(file, 'data', SQLITE_FILE));
  });

  it('says that a file is no database', async () => {
    const dataDir = await directory();
    await writeFile(join(dataDir, SQLITE_FILE), 'something else '.repeat(1_000));
    const database = openDatabase({ url: null, dataDir });
    onTestFinished(() => database.close());
    const refusal = await expectRefusal(
      database
        .knex('settings')
        .select('name')
        .then(() => {}),
      'database_unavailable',
    );
    expect(refusal.message).toContain('not a database');
  });

  it('waits for another that writes, without keeping this process from its work', async () => {
    const { database, drop } = await sqliteDatabase();
    onTestFinished(drop);
    const other = openSqlite(database.file ?? '');
    other.exec('BEGIN IMMEDIATE');
    let ticks = 0;
    const ticking = setInterval(() => {
      ticks += 1;
      if (ticks === 20) other.exec('COMMIT');
    }, 5);
    await database.knex('settings').insert({ name: 'a', value: '1' });
    await database.transaction(async (trx) => trx('settings').insert({ name: 'b', value: '2' }));
    clearInterval(ticking);
    other.close();
    expect(ticks).toBeGreaterThanOrEqual(20);
  });

  it('enforces foreign keys, writes ahead, and syncs at checkpoints', async () => {
    const { database, drop } = await sqliteDatabase();
    onTestFinished(drop);
    expect(await database.knex.raw('PRAGMA foreign_keys')).toEqual([{ foreign_keys: 1 }]);
    expect(await database.knex.raw('PRAGMA journal_mode')).toEqual([{ journal_mode: 'wal' }]);
    expect(await database.knex.raw('PRAGMA synchronous')).toEqual([{ synchronous: 1 }]);
  });

  it('goes on after a transaction that could not be committed', async () => {
    const { database, drop } = await sqliteDatabase();
    onTestFinished(drop);
    const broken = database.transaction(async (trx) => {
      // Checked at COMMIT alone, which then leaves the transaction open.
      await trx.raw('PRAGMA defer_foreign_keys = ON');
      await trx('server_inventories').insert({ server_id: 99, at: 1, inventory: '{}' });
    });
    await expect(broken).rejects.toThrow('FOREIGN KEY');
    await database.knex('settings').insert({ name: 'after', value: '1' });
    const [inventories] = await database.knex('server_inventories').count({ total: '*' });
    expect(inventories).toEqual({ total: 0 });
    const other = openSqlite(database.file ?? '');
    expect(other.prepare('SELECT name FROM settings').all()).toEqual([{ name: 'after' }]);
    other.close();
  });
});

describe('the statement cache', () => {
  it('prepares a text once and keeps the 256 that were used last', () => {
    const prepared: string[] = [];
    const cache = new StatementCache({
      prepare: (sql) => {
        prepared.push(sql);
        return { all: () => [], run: () => ({ changes: 0, lastInsertRowid: 0 }) };
      },
      exec: () => {},
      close: () => {},
    });
    const texts = Array.from({ length: 256 }, (_, index) => `SELECT ${index}`);
    for (const text of texts) expect(cache.get(text)).toBe(cache.get(text));
    expect(prepared).toEqual(texts);
    cache.get('SELECT 0');
    cache.get('SELECT more');
    cache.get('SELECT 0');
    expect(prepared.length).toBe(257);
    cache.get('SELECT 1');
    expect(prepared.length).toBe(258);
  });
});
