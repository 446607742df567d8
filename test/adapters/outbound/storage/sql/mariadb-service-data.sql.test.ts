import { readFile, stat } from 'node:fs/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { readOneMoment } from '../../../../../src/adapters/outbound/storage/sql/mysql/session.ts';
import { serviceDataOf } from '../../../../../src/adapters/outbound/storage/sql/service-data.ts';
import { SqlSettingStore } from '../../../../../src/adapters/outbound/storage/sql/stores/sql-setting-store.ts';
import { serviceDataContract } from '../../../../contracts/service-data.contract.ts';
import { describeWith } from '../../../../support/capabilities.ts';
import { mariaDbDatabase } from '../../../../support/databases.ts';

/** The rows of each table in an export, by column. */
async function readExport(path: string): Promise<ReadonlyMap<string, readonly Record<string, unknown>[]>> {
  const Header = z.object({ table: z.string(), columns: z.array(z.string()) });
  const tables = new Map<string, Record<string, unknown>[]>();
  let columns: readonly string[] = [];
  let rows: Record<string, unknown>[] = [];
  const [first = '', ...lines] = (await readFile(path, 'utf8')).trimEnd().split('\n');
  expect(JSON.parse(first)).toEqual({ format: 'drover-export', version: 1 });
  for (const line of lines) {
    const value: unknown = JSON.parse(line);
    if (Array.isArray(value))
      rows.push(Object.fromEntries(columns.map((column, index) => [column, value[index]])));
    else {
      const header = Header.parse(value);
      columns = header.columns;
      rows = [];
      tables.set(header.table, rows);
    }
  }
  return tables;
}

/** Reports how often it wrote. */
async function writeUntil(signal: AbortSignal, write: (now: string) => Promise<void>): Promise<number> {
  let count = 0;
  for (; !signal.aborted; count += 1) await write(String(count));
  return count;
}

describeWith('mariadb', 'MariaDB', () => {
  serviceDataContract('MariaDB', async () => {
    const { database, dataDir, drop } = await mariaDbDatabase();
    const settings = new SqlSettingStore(database);
    return {
      data: serviceDataOf(database, dataDir),
      put: (name, value) => settings.set(name, value),
      readCopy: async (path, name) => {
        const row = (await readExport(path)).get('settings')?.find((each) => each['name'] === name);
        return row ? z.string().parse(row['value']) : null;
      },
      close: drop,
    };
  });

  describe('its export', () => {
    it('has every table with all of its rows, bytes among them, for its owner alone', async () => {
      const { database, dataDir, drop } = await mariaDbDatabase();
      onTestFinished(drop);
      const names = Array.from({ length: 5_000 }, (_, index) => ({ name: `n-${index}`, value: 'ü' }));
      await database.knex.batchInsert('settings', names);
      await database.knex.schema.createTable('bytes', (table) => table.binary('content'));
      await database.knex('bytes').insert({ content: Buffer.from([0, 255, 10]) });
      const path = await serviceDataOf(database, dataDir).writeDatabaseCopy();
      const tables = await readExport(path);
      expect((await stat(path)).mode & 0o777).toBe(0o600);
      expect(tables.get('settings')).toHaveLength(5_000);
      expect(tables.get('bytes')).toEqual([{ content: { base64: 'AP8K' } }]);
      for (const table of ['servers', 'jobs', 'api_tokens', 'schema_migrations'])
        expect(tables.has(table)).toBe(true);
    });

    it('is of one moment, though rows come and go while it is written', async () => {
      const { database, dataDir, another, drop } = await mariaDbDatabase();
      onTestFinished(drop);
      const writer = another();
      await database.knex('settings').insert({ name: 'pair', value: '0' });
      await database.knex('replicas').insert({ owner: 'pair', version: '0', started_at: 0, seen_at: 0 });
      const stop = new AbortController();
      const writing = writeUntil(stop.signal, async (now) =>
        writer.transaction(async (trx) => {
          await trx('settings').where({ name: 'pair' }).update({ value: now });
          await trx('replicas').where({ owner: 'pair' }).update({ version: now });
        }),
      );
      for (let round = 0; round < 10; round += 1) {
        const tables = await readExport(await serviceDataOf(database, dataDir).writeDatabaseCopy());
        expect(tables.get('settings')?.[0]?.['value']).toBe(tables.get('replicas')?.[0]?.['version']);
      }
      stop.abort();
      expect(await writing).toBeGreaterThan(0);
    });

    it('lifts the limit of a statement for itself alone', async () => {
      const { database, dataDir, drop } = await mariaDbDatabase();
      onTestFinished(drop);
      await serviceDataOf(database, dataDir).writeDatabaseCopy();
      const [rows] = await database.knex.raw('SELECT @@max_statement_time AS seconds');
      expect(rows).toEqual([{ seconds: 30 }]);
    });

    it('may stop in the middle of a table: it throws its error, and the database stays usable', async () => {
      const { database, dataDir, drop } = await mariaDbDatabase();
      onTestFinished(drop);
      const rows = Array.from({ length: 3_000 }, (_, index) => ({
        name: `n-${index}`,
        value: 'x'.repeat(1_000),
      }));
      await database.knex.batchInsert('settings', rows);
      for (let round = 0; round < 12; round += 1) {
        const stopped = readOneMoment(database.knex, async (trx) => {
          for await (const _ of trx('settings').select('value').stream()) throw new Error('disk full');
        });
        await expect(stopped).rejects.toThrow('disk full');
      }
      const path = await serviceDataOf(database, dataDir).writeDatabaseCopy();
      expect((await readExport(path)).get('settings')).toHaveLength(3_000);
    });
  });
});
